import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { ApiError } from './errors.ts'

const digits = v.pipe(
  v.string('must be given once'),
  v.regex(/^\d{1,6}$/, 'must be a whole number'),
  v.transform(Number),
)

/** The `limit` parameter of a list: 1 to `most`, 20 when absent. */
export function limitUpTo(most: number) {
  return v.optional(
    v.pipe(digits, v.minValue(1, `must be 1 to ${most}`), v.maxValue(most, `must be 1 to ${most}`)),
    '20',
  )
}

/** The `cursor` parameter of a list. */
export const cursorParameter = v.optional(v.pipe(v.string('must be given once'), v.maxLength(500)))

/** A page of a list as the API answers it. */
export interface Page<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}

export function pageSchema<S extends v.GenericSchema>(item: S) {
  return v.strictObject({ data: v.array(item), has_more: v.boolean(), next_cursor: v.nullable(v.string()) })
}

/**
 * A keyset cursor: the sort key of a page's last item. `list` names the list with its filters; a cursor made for another
 * list, or by somebody else, is told by its digest.
 */
export function encodeCursor(list: string, key: (string | number)[]): string {
  const text = JSON.stringify(key)
  return Buffer.from(digest(list, text) + text).toString('base64url')
}

/** The sort key in a cursor; throws `invalid_cursor` when this list did not issue it. */
export function decodeCursor<T extends (string | number)[]>(list: string, cursor: string): T {
  const decoded = Buffer.from(cursor, 'base64url').toString()
  const text = decoded.slice(digestLength)
  if (digest(list, text) !== decoded.slice(0, digestLength))
    throw new ApiError('invalid_cursor', 'Pass next_cursor of a page of this very list, with the same filters.', {
      errors: [{ parameter: 'cursor', code: 'invalid_cursor', detail: 'was not issued by this list' }],
    })
  return JSON.parse(text)
}

const digestLength = 8

function digest(list: string, text: string): string {
  return createHash('sha256').update(`${list}\n${text}`).digest('base64url').slice(0, digestLength)
}

/** The `Link` header that leads to the next page: this request's own address with the cursor set. */
export function linkToNext(requestUrl: string, cursor: string): string {
  const url = new URL(requestUrl)
  url.searchParams.set('cursor', cursor)
  return `<${url.pathname}${url.search}>; rel="next"`
}
