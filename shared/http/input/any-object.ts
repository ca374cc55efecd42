import * as v from 'valibot'

/** A JSON object with any fields: Valibot's own schemas of objects take arrays too, and drop some keys. */
export const anyObject = v.custom<Record<string, unknown>>(isObject, 'must be an object')

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
