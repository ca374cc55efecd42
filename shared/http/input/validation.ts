import * as v from 'valibot'
import { ApiError, type Fault, type FaultCode } from '../errors.ts'
import type { Schema } from '../route-metadata.ts'

/** The most faults of a body that an answer lists. */
const maxFaults = 1000

/** What the schema makes of path, query or header parameters; what breaks it is added to `faults`. */
export function readParameters(
  schema: Schema,
  input: Record<string, unknown>,
  place: 'parameter' | 'header',
  faults: Fault[],
): unknown {
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  for (const issue of result.issues) {
    const name = String(issue.path?.[0]?.key ?? '')
    faults.push({ ...(place === 'header' ? { header: name } : { parameter: name }), ...explain(issue) })
  }
  return undefined
}

/** What the schema makes of a body. @throws ApiError validation_failed, which lists every fault */
export function readBody(schema: Schema, input: unknown): unknown {
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  const errors = result.issues.slice(0, maxFaults).map((issue) => ({ pointer: pointerTo(issue), ...explain(issue) }))
  throw new ApiError('validation_failed', 'See errors for each fault.', { errors })
}

/** RFC 6901 JSON Pointer to the value that the issue is about. */
function pointerTo(issue: v.BaseIssue<unknown>): string {
  return (issue.path ?? []).map((step) => `/${String(step.key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Valibot's actions whose failure has a code of its own. */
const codeOf: Record<string, FaultCode> = {
  min_length: 'too_short',
  max_length: 'too_long',
  max_characters: 'too_long',
  min_value: 'too_small',
  max_value: 'too_large',
  integer: 'wrong_type',
}

function explain(issue: v.BaseIssue<unknown>): { code: FaultCode; detail: string } {
  if (issue.kind === 'schema' && issue.expected === 'never')
    return { code: 'unknown_field', detail: 'is not a field here' }
  if (issue.kind === 'schema' && issue.received === 'undefined') return { code: 'required', detail: 'is required' }
  return { code: issue.kind === 'schema' ? 'wrong_type' : (codeOf[issue.type] ?? 'invalid'), detail: issue.message }
}
