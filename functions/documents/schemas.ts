import * as v from 'valibot'
import { type Document, documentSchema, statuses } from '../../shared/documents/document.ts'
import { fields } from '../../shared/http/input/fields.ts'
import { cursorParameter, limitUpTo } from '../../shared/http/pages.ts'
import { documentId } from '../../shared/ids.ts'

const exclude = v.optional(
  v.pipe(
    v.literal('content', 'must be `content`'),
    v.description('Leaves `content` out of the response: for an overview, or to poll the status.'),
  ),
)

export const getQuery = fields({ exclude })

export const listQuery = fields({
  status: v.optional(
    v.pipe(
      v.picklist(statuses, `must be one of ${statuses.join(', ')}`),
      v.description('Only documents of this status.'),
    ),
  ),
  exclude,
  limit: limitUpTo(100),
  cursor: cursorParameter,
})

/** The document in responses that can leave `content` out; in all others clients need not check whether it is there. */
export const fetchedDocument = v.pipe(
  v.strictObject({
    ...documentSchema.entries,
    content: v.optional(
      v.pipe(
        v.nullable(v.string()),
        v.description('Absent with `exclude=content`. Null for a document that waits for chunks, or was a file.'),
      ),
    ),
  }),
  v.title('FetchedDocument'),
)

export const createdDocuments = v.strictObject({ data: v.array(documentSchema) })

export function withoutContent({ content: _, ...rest }: Document): v.InferOutput<typeof fetchedDocument> {
  return rest
}

/** A day that exists in the calendar, in a year that Postgres has (from 1 on). */
const time = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.check((text) => text >= '0001' && isoOf(new Date(text)) === text),
)

export const sortKey = v.strictTuple([time, documentId])

function isoOf(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
