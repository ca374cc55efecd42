import * as v from 'valibot'
import type { ListedRevision, Revision } from '../../shared/documents/client/revisions.ts'
import {
  type DocumentRow,
  documentExample,
  documentSchema,
  statuses,
  toDocument,
} from '../../shared/documents/contract/document.ts'
import { externalId, flag } from '../../shared/documents/contract/input.ts'
import { described, fields, printable } from '../../shared/http/input/fields.ts'
import { time } from '../../shared/http/input/time.ts'
import { cursorParameter, pageLimit } from '../../shared/http/pagination.ts'
import { agentId, documentId, uuid } from '../../shared/ids.ts'

const exclude = v.optional(
  described(
    v.literal('content', 'must be `content`'),
    'Leaves `content` out of the response: for an overview, or to poll the status.',
  ),
)

const include = v.optional(
  described(v.literal('text', 'must be `text`'), 'Adds `text`: the text extracted from the file.'),
)

export const getQuery = fields({ exclude, include })
export type GetQuery = v.InferOutput<typeof getQuery>

export const namedPath = v.object({
  agentId,
  externalId: v.pipe(
    externalId,
    // Segments of dots arrive encoded, as they would change the path.
    v.transform((id) => id.replace(/(?<![^/])(%2e){1,2}(?![^/])/g, (dots) => dots.replaceAll('%2e', '.'))),
    v.description(
      'Your own id of the document, percent-encoded. Encode it twice if it has `?` or `%`: the gateway decodes a path twice, and after the first time drops everything behind a `?`. Twice is right for any id.',
    ),
  ),
})

export const listQuery = fields({
  status: v.optional(
    described(v.picklist(statuses, `must be one of ${statuses.join(', ')}`), 'Only documents of this status.'),
  ),
  external_id_prefix: v.optional(described(printable(255), 'Only documents whose `external_id` begins with this.')),
  source_id: v.optional(described(uuid, 'Only documents that are pages of this source.')),
  metadata: v.optional(
    v.pipe(
      v.string('must be given once'),
      v.regex(/^[^=]+=/, 'must be a name, `=` and a value'),
      v.description('Only documents whose metadata has this value under this name, such as `branch=north`.'),
    ),
  ),
  trashed: flag('Only documents in the trash, with the status, `external_id` and `source_id` that they had.'),
  exclude,
  limit: pageLimit(),
  cursor: cursorParameter,
})

/** The document in responses that can leave `content` out; in all others clients need not check whether it is there. */
export const fetchedDocument = v.pipe(
  v.strictObject({
    ...documentSchema.entries,
    content: v.optional(
      described(
        v.nullable(v.string()),
        'Absent with `exclude=content`. Null for a document that waits for chunks, or is a file.',
      ),
    ),
    text: v.optional(
      described(
        v.nullable(v.string()),
        'Only with `include=text`: the text extracted from the file, with the dashboard’s corrections. Null until it is extracted, and without a file.',
      ),
    ),
  }),
  v.title('FetchedDocument'),
)

export const createdDocuments = v.strictObject({ data: v.array(documentSchema) })

export function toFetched(
  { text, ...row }: DocumentRow & { text?: string | null },
  { exclude, include }: GetQuery,
): v.InferOutput<typeof fetchedDocument> {
  const { content, ...document } = toDocument(row)
  return { ...document, ...(!exclude && { content }), ...(include && { text }) }
}

export const announcedFile = v.strictObject({
  document: documentSchema,
  upload: v.strictObject({
    url: v.pipe(v.string(), v.url()),
    fields: described(v.record(v.string(), v.string()), 'Send these fields before the file, unchanged.'),
  }),
})

export const sortKey = v.strictTuple([time, documentId])

const revisionEntries = {
  revision: v.pipe(
    v.number(),
    v.integer(),
    v.description(
      'Grows with each edit. Revisions that only processed the same content again are shown as one, under the last number.',
    ),
  ),
  title: described(v.string(), 'The last title that the document had with this content.'),
  created_at: v.pipe(v.string(), v.isoTimestamp(), v.description('When the content was set.')),
  created_by: described(v.nullable(v.string()), 'The name of the key, or the mail address of the person, that set it.'),
  bytes: described(
    v.nullable(v.pipe(v.number(), v.integer())),
    'The content’s size in UTF-8; null for chunks of your own.',
  ),
  is_served: described(v.boolean(), 'True if search serves it now.'),
}

export const listedRevision = v.pipe(v.strictObject(revisionEntries), v.title('RevisionSummary'))

export const revisionSchema = v.pipe(
  v.strictObject({
    ...revisionEntries,
    content: described(v.nullable(v.string()), 'Null for chunks of your own, whose texts are not kept.'),
  }),
  v.title('Revision'),
)

/** The sort key of the list of revisions: their numbers. */
export const revisionSortKey = v.strictTuple([v.pipe(v.number(), v.integer())])

export function toListedRevision({ served_at: _, ...revision }: ListedRevision) {
  return revision
}

export function toRevision({ chunk_offsets: _, ...revision }: Revision) {
  return toListedRevision(revision)
}

export const revisionExample: v.InferOutput<typeof revisionSchema> = {
  revision: 1,
  title: documentExample.title,
  created_at: documentExample.created_at,
  created_by: 'Front desk',
  bytes: 65,
  is_served: true,
  content: documentExample.content,
}
