import * as v from 'valibot'
import { described, fields, integer } from '../../shared/http/input/fields.ts'
import { hit, hitExample, source } from '../../shared/retrieval/schemas.ts'

/** Counts up with every change that an older reader would misread. */
export const formatVersion = 2

export const maxWaitSeconds = 25

const digits = v.pipe(v.string('must be given once'), v.regex(/^\d{1,15}$/, 'must be an integer'), v.transform(Number))

export const snapshotQuery = v.pipe(
  fields({
    since: v.optional(
      described(
        v.pipe(digits, integer(0, 1_000_000_000_000)),
        'The `version` that you have: returns only what has changed since. 304 if nothing has.',
      ),
    ),
    wait: v.optional(
      described(
        v.pipe(digits, integer(0, maxWaitSeconds)),
        'With `since`: answers as soon as there is a newer version, at the latest after so many seconds.',
      ),
    ),
    cursor: v.optional(
      described(v.string('must be given once'), '`next_cursor` of the part before this one, without other parameters.'),
    ),
  }),
  v.forward(
    v.check(({ since, wait }) => wait === undefined || since !== undefined, 'needs `since`'),
    ['wait'],
  ),
  v.forward(
    v.check(({ since, cursor }) => cursor === undefined || since === undefined, 'stands alone'),
    ['cursor'],
  ),
)

const base64 = (description: string) => v.pipe(v.string(), v.metadata({ contentEncoding: 'base64', description }))
const version = v.pipe(v.number(), v.integer(), v.minValue(0))
const time = v.nullable(v.pipe(v.string(), v.isoTimestamp()))
const { chunk_id, document_id, chunk_index, content, token_count, metadata } = hit.entries

const chunk = v.strictObject({
  chunk_id,
  chunk_index,
  revision: described(version, 'The revision that brought the chunk.'),
  content,
  token_count,
  metadata,
  page: source.entries.page,
  terms: base64('Its words, as search counts them.'),
  sketch: base64('1,536 bits: the signs of the rotated vector.'),
})
export type SnapshotChunk = v.InferOutput<typeof chunk>

const document = v.strictObject({
  document_id,
  version: described(version, 'The agent’s version at the last change of the document.'),
  revision: described(
    v.nullable(version),
    'The revision that search serves; null if it no longer serves the document: then there are no other fields.',
  ),
  title: v.optional(v.string()),
  url: v.optional(source.entries.url),
  metadata: v.optional(metadata),
  valid_from: v.optional(time),
  valid_until: v.optional(time),
  is_cut: v.optional(
    described(
      v.boolean(),
      'True if the service has cut the chunks: their `metadata` then has their `start` and `end` in the text.',
    ),
  ),
  is_whole: v.optional(
    described(
      v.boolean(),
      'False if further chunks come in the next part. If that doesn’t begin with them, the document has changed, and comes again later.',
    ),
  ),
  chunks: v.optional(v.array(chunk)),
})
export type SnapshotDocument = v.InferOutput<typeof document>

export const snapshotPart = v.pipe(
  v.strictObject({
    format: described(v.literal(formatVersion), 'Another number is another format.'),
    agent_id: v.pipe(v.string(), v.uuid()),
    since: described(version, 'As in the first request; 0 for a whole snapshot.'),
    version: described(version, 'The agent’s version. The last part’s is that of the whole.'),
    agent: v.strictObject({
      name: v.string(),
      time_zone: v.nullable(v.string()),
      holidays: v.nullable(v.string()),
      model: described(v.nullable(v.string()), 'The model of the vectors.'),
    }),
    removed: described(
      v.array(v.pipe(v.string(), v.uuid())),
      'Documents that search no longer serves, so that you need not wait for the last part to forget them: the newest 1,000 removed since `since`. They are in `documents`, too.',
    ),
    documents: described(v.array(document), 'By `version`, then by id. A later one replaces an earlier one.'),
    next_cursor: described(v.nullable(v.string()), 'The `cursor` of the next part; null in the last one.'),
  }),
  v.title('SnapshotPart'),
)
export type SnapshotPart = v.InferOutput<typeof snapshotPart>

export const mediaType = 'application/vnd.cuecard.snapshot'

export const snapshotExample: SnapshotPart = {
  format: formatVersion,
  agent_id: '01981f3a-1a52-7d1e-9e43-5a7f0c2b6d18',
  since: 0,
  version: 7,
  agent: { name: 'Front desk', time_zone: 'Europe/London', holidays: 'GB', model: 'text-embedding-3-small' },
  removed: [],
  documents: [
    {
      document_id: hitExample.document_id,
      version: 7,
      revision: 1,
      title: hitExample.document_title,
      url: null,
      metadata: {},
      valid_from: null,
      valid_until: null,
      is_cut: true,
      is_whole: true,
      chunks: [
        {
          chunk_id: hitExample.chunk_id,
          chunk_index: hitExample.chunk_index,
          revision: 1,
          content: hitExample.content,
          token_count: hitExample.token_count,
          metadata: hitExample.metadata,
          page: null,
          terms: 'AQLx0wTz4Q8=',
          sketch: Buffer.alloc(192).toString('base64'),
        },
      ],
    },
    { document_id: '01981f41-5b7c-7a33-8f0d-4c1e2d3b9a60', version: 6, revision: null },
  ],
  next_cursor: null,
}
