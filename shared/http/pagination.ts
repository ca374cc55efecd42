import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import * as v from 'valibot'
import { uuid } from '../ids.ts'
import type { ApiEnv } from './api.ts'
import { ApiError } from './errors.ts'
import { described, fields, integer } from './input/fields.ts'

const digits = v.pipe(v.string('must be given once'), v.regex(/^\d{1,6}$/, 'must be an integer'), v.transform(Number))

/** A page has at most 100 items. */
export function pageLimit(description = 'Maximum number of items in a page.') {
  return v.pipe(v.optional(v.pipe(digits, integer(1, 100)), '20'), v.metadata({ description, default: 20 }))
}

export const cursorParameter = v.optional(
  described(
    v.string('must be given once'),
    '`next_cursor` of the previous page of the same list with the same filters.',
  ),
)

/** The query of a list without filters. */
export const listQuery = fields({ limit: pageLimit(), cursor: cursorParameter })

/** The sort key of a list that is sorted by id. */
export const byId = v.strictTuple([uuid])

export type Page<T> = { data: T[]; has_more: boolean; next_cursor: string | null }

/** The responses of a route that lists `items`. */
export function pageOf<S extends v.GenericSchema>(items: string, item: S, example: v.InferOutput<S>) {
  const schema = v.strictObject({
    data: v.array(item),
    has_more: v.boolean(),
    next_cursor: described(v.nullable(v.string()), 'The `cursor` of the next page; null on the last page.'),
  })
  const page: Page<v.InferOutput<S>> = { data: [example], has_more: false, next_cursor: null }
  return { 200: { description: `A page of ${items}`, schema, example: page, headers: ['Link'] } }
}

/** A keyset cursor, signed with the organization's key and valid only for `list`, which names the list with its filters. */
export function encodeCursor(signedWith: KeyObject, list: string, sortKey: (string | number | boolean)[]): string {
  const text = Buffer.from(JSON.stringify(sortKey))
  return Buffer.concat([sign(signedWith, list, text), text]).toString('base64url')
}

/** @throws ApiError invalid_cursor when this list did not issue it */
export function decodeCursor<T>(
  signedWith: KeyObject,
  list: string,
  cursor: string,
  shape: v.GenericSchema<unknown, T>,
): T {
  const bytes = Buffer.from(cursor, 'base64url')
  const text = bytes.subarray(signatureBytes)
  const isIssued =
    bytes.length > signatureBytes &&
    // The decoder skips characters that are not base64url.
    bytes.toString('base64url') === cursor &&
    timingSafeEqual(bytes.subarray(0, signatureBytes), sign(signedWith, list, text))
  const sortKey = isIssued ? v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text.toString()) : undefined
  if (!sortKey?.success)
    throw new ApiError('invalid_cursor', 'Use `next_cursor` of a page of this list with the same filters.', {
      errors: [{ parameter: 'cursor', code: 'invalid_cursor', detail: 'is not a cursor of this list' }],
    })
  return sortKey.output
}

/** The sort key after which the page begins; undefined for the first page. @throws ApiError invalid_cursor */
export function readAfter<T>(
  { cursorKey }: Signer,
  list: string,
  cursor: string | undefined,
  shape: v.GenericSchema<unknown, T>,
): T | undefined {
  return cursor === undefined ? undefined : decodeCursor(cursorKey, list, cursor, shape)
}

interface Signer {
  cursorKey: KeyObject
}

/** @param last the sort key of the page's last item; undefined on the last page */
export function respondPage<T>(
  c: Context<ApiEnv>,
  { cursorKey }: Signer,
  list: string,
  data: T[],
  last: (string | number | boolean)[] | undefined,
): Response {
  const cursor = last ? encodeCursor(cursorKey, list, last) : null
  if (cursor) {
    const next = new URL(c.req.url)
    next.searchParams.set('cursor', cursor)
    c.header('link', `<${next.pathname}${next.search}>; rel="next"`)
  }
  return c.json({ data, has_more: cursor !== null, next_cursor: cursor } satisfies Page<T>)
}

const signatureBytes = 16

function sign(key: KeyObject, list: string, text: Buffer): Buffer {
  return createHmac('sha256', key).update(`${list}\n`).update(text).digest().subarray(0, signatureBytes)
}
