import { parse } from 'node:querystring'
import type { Context } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import { type ApiEnv, sentBody } from '../../shared/http/api.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { icon } from './icons.ts'
import type { Html } from './layout.ts'

const maxFields = 1000

/** A form's typed text, with its parsed values or a message for each invalid field. */
export type Form<Values> = { typed: Readonly<Record<string, string | undefined>>; chosen: Chosen } & (
  | { isValid: true; values: Values }
  | { isValid: false; faults: Faults }
)

export type Faults = Readonly<Record<string, string | undefined>>

/** All values that were sent under each name, such as the checked boxes. */
export type Chosen = Readonly<Record<string, readonly string[] | undefined>>

/** Any of the values, or none. @param message the fault of another value */
export function someOf<const T extends readonly string[]>(values: T, message: string) {
  return v.pipe(
    v.optional(v.union([v.array(v.string()), v.string()]), []),
    v.transform((sent) => [sent].flat()),
    v.array(v.picklist(values, message)),
  )
}

/** One or more of the values. @param message the fault of another value, or of none */
export function anyOf<const T extends readonly string[]>(values: T, message: string) {
  return v.pipe(someOf(values, message), v.minLength(1, message))
}

/** Makes one trimmed line without control characters: Postgres can't store U+0000. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim()
}

/** Splits a text area into its non-empty lines. */
export const lines = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text.split('\n').map(oneLine).filter(Boolean)),
)

/** Cuts text to the maximum: fields show typed text again, which may have any length. */
export function shortened(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  return [...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join('')
}

export const mailAddress = v.pipe(
  v.optional(v.string(), ''),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(254, 'A mail address has at most 254 characters.'),
  v.email('Enter a mail address, such as anna@example.com.'),
)

export function line(maxCharacters: number, messages: { missing: string; tooLong: string }) {
  return v.pipe(
    v.string(messages.missing),
    v.transform(oneLine),
    v.nonEmpty(messages.missing),
    v.check((text) => [...text].length <= maxCharacters, messages.tooLong),
  )
}

/**
 * Requires a form's content type even where no fields are read: `csrf` checks the origin of form types only.
 * @throws ApiError unsupported_media_type for any other type
 */
export function requireForm(c: Context<ApiEnv>): void {
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
    throw new ApiError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
}

/** The schema's messages are shown to people. */
export async function readForm<Values>(
  c: Context<ApiEnv>,
  schema: v.GenericSchema<unknown, Values>,
): Promise<Form<Values>> {
  const sent = await sentBody(c)
  // Postgres can't store U+0000.
  const text = (typeof sent === 'string' ? sent : Buffer.from(sent).toString()).replaceAll('%00', '')
  // URLSearchParams takes quadratic time for names without `=`: 90 s for the million that a body may have.
  const input = { ...parse(text, '&', '=', { maxKeys: maxFields }) }
  const result = v.safeParse(schema, input)
  const chosen = Object.fromEntries(Object.entries(input).map(([name, value = []]) => [name, [value].flat()]))
  const typed = Object.fromEntries(Object.entries(chosen).map(([name, [first]]) => [name, first]))
  if (result.success) return { isValid: true, values: result.output, typed, chosen }
  const faults = result.issues.map((issue) => [String(issue.path?.[0]?.key), issue.message] as const)
  // Reversed, so that each field keeps its first message.
  return { isValid: false, faults: Object.fromEntries(faults.toReversed()), typed, chosen }
}

/** Shows a field's fault below it. The field's `aria-describedby` must name `NAME-fault`. */
export function faultOf(name: string, fault: string | undefined): Html | '' {
  return fault === undefined ? '' : html`<p id="${name}-fault" class="fault">${icon('alert')} ${fault}</p>`
}

export function invalid(fault: string | undefined): Html | '' {
  return fault === undefined ? '' : html` aria-invalid="true"`
}
