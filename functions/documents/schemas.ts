import * as v from 'valibot'
import { fields, maxCharacters } from '../../shared/http/input/fields.ts'
import { cursorParameter, limitUpTo } from '../../shared/http/pages.ts'
import { documentId } from '../../shared/ids.ts'
import { type Document, documentSchema, statuses } from './document.ts'

const contentLimit = 4 * 1024 * 1024

const title = v.pipe(
  v.string('must be a string'),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  maxCharacters(500),
  v.metadata({ maxLength: 500, description: 'Its length counts after trimming.' }),
)
const content = v.pipe(
  v.string('must be a string'),
  v.regex(/\S/, 'must hold at least one character that is no space'),
  v.maxBytes(contentLimit, `must have at most ${contentLimit} bytes of UTF-8`),
  v.metadata({
    minLength: 1,
    maxLength: contentLimit,
    description: 'Plain text or Markdown of at most 4 MiB of UTF-8, with at least one character that is no space.',
  }),
)

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

/** What the operations answer that can leave `content` out. A type of its own, so that clients of the others need not ask whether it is there. */
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

export const createBody = v.pipe(fields({ title, content: v.optional(content) }), v.title('NewDocument'))

export const updateBody = v.pipe(
  fields({
    title: v.optional(title),
    content: v.optional(content),
    status: v.optional(
      v.pipe(
        v.picklist(['pending', 'completed'], 'must be pending (process again) or completed (chunks are uploaded)'),
        v.description('`pending` processes the content again; `completed` puts uploaded chunks into service.'),
      ),
    ),
  }),
  v.check((body) => Object.keys(body).length > 0, 'must hold at least one of title, content, status'),
  v.metadata({ title: 'DocumentUpdate', minProperties: 1 }),
)

export type CreateInput = v.InferOutput<typeof createBody>
export type UpdateInput = v.InferOutput<typeof updateBody>

function isoOf(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
