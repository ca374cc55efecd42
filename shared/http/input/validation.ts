import * as v from 'valibot'
import { ApiError, echoed, type InputError, type InputErrorCode } from '../errors.ts'
import type { Schema } from '../route-metadata.ts'

const maxErrors = 1000

export function readParameters(
  schema: Schema,
  input: Record<string, unknown>,
  place: 'parameter' | 'header',
  errors: InputError[],
): unknown {
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  for (const issue of result.issues) {
    const name = echoed(String(issue.path?.[0]?.key ?? ''))
    errors.push({ ...(place === 'header' ? { header: name } : { parameter: name }), ...explain(issue, 'parameter') })
  }
  return undefined
}

/** @throws ApiError invalid_parameter */
export function requireValid(errors: InputError[]): void {
  if (errors.length > 0) throw new ApiError('invalid_parameter', 'See `errors` for each invalid parameter.', { errors })
}

/** The parameters of a query. A repeated one becomes an array, which every schema of a parameter rejects. */
export function singleValues(queries: Record<string, string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length > 1 ? values : values[0]!]),
  )
}

export function readBody(schema: Schema, input: unknown): unknown {
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  const errors = result.issues
    .slice(0, maxErrors)
    .map((issue) => ({ pointer: pointerTo(issue), ...explain(issue, 'field') }))
  throw new ApiError('validation_failed', 'See `errors` for each invalid field.', { errors })
}

function pointerTo(issue: v.BaseIssue<unknown>): string {
  const names = (issue.path ?? []).map((step) => echoed(String(step.key)))
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

const codeOf: Record<string, InputErrorCode> = {
  min_length: 'too_short',
  max_length: 'too_long',
  max_characters: 'too_long',
  max_bytes: 'too_long',
  min_value: 'too_small',
  max_value: 'too_large',
  integer: 'wrong_type',
  picklist: 'not_allowed_value',
  literal: 'not_allowed_value',
}

const unknown = {
  field: { code: 'unknown_field', detail: 'is not a known field' },
  parameter: { code: 'unknown_parameter', detail: 'is not a known query parameter' },
} as const

function explain(issue: v.BaseIssue<unknown>, what: keyof typeof unknown): { code: InputErrorCode; detail: string } {
  if (issue.kind === 'schema' && issue.expected === 'never')
    return { code: unknown[what].code, detail: `${unknown[what].detail} (${issue.message})` }
  if (issue.kind === 'schema' && issue.received === 'undefined') return { code: 'required', detail: 'is required' }
  const code = codeOf[issue.type] ?? (issue.kind === 'schema' ? 'wrong_type' : 'invalid')
  return { code, detail: issue.message }
}
