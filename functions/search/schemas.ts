import * as v from 'valibot'
import { embedding } from '../../shared/http/input/embedding.ts'
import { fields, listOf, maxCharacters } from '../../shared/http/input/fields.ts'
import { metadataFilter } from '../../shared/http/input/metadata.ts'
import { agentId, documentId } from '../../shared/ids.ts'

export const agentPath = v.object({ agentId })

export const searchBody = v.pipe(
  fields({
    query: v.optional(
      v.pipe(
        v.string('must be a string'),
        v.minLength(1, 'must not be empty'),
        maxCharacters(8000),
        v.metadata({ maxLength: 8000, description: 'A question or search terms. Send either this or `embedding`.' }),
      ),
    ),
    embedding: v.optional(embedding),
    limit: v.optional(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be an integer'),
        v.minValue(1, 'must be between 1 and 50'),
        v.maxValue(50, 'must be between 1 and 50'),
      ),
      5,
    ),
    min_score: v.optional(
      v.pipe(
        v.number('must be a number'),
        v.minValue(0, 'must be between 0 and 1'),
        v.maxValue(1, 'must be between 0 and 1'),
        v.description('Excludes chunks with a lower score.'),
      ),
    ),
    document_ids: v.optional(
      v.pipe(listOf(documentId, { items: 'document ids', max: 100 }), v.description('Searches only these documents.')),
    ),
    metadata: v.optional(metadataFilter),
  }),
  v.check(
    (body) => (body.query === undefined) !== (body.embedding === undefined),
    'must have either `query` or `embedding`',
  ),
  v.metadata({
    title: 'SearchQuery',
    not: { required: ['query', 'embedding'] },
    if: { not: { required: ['query'] } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { required: ['embedding'] },
  }),
)
export type SearchInput = v.InferOutput<typeof searchBody>

export const hit = v.pipe(
  v.strictObject({
    chunk_id: v.pipe(v.string(), v.uuid()),
    document_id: v.pipe(v.string(), v.uuid()),
    document_title: v.string(),
    chunk_index: v.pipe(v.number(), v.integer(), v.minValue(0)),
    content: v.string(),
    token_count: v.pipe(v.number(), v.integer(), v.minValue(0)),
    metadata: v.looseObject({}),
    score: v.pipe(v.number(), v.minValue(-1), v.maxValue(1), v.description('Cosine similarity.')),
  }),
  v.title('Hit'),
)
export const searchResponse = v.strictObject({ data: v.array(hit) })
export const hitExample: Hit = {
  chunk_id: '01981f40-11c2-7d0a-8a55-0c9f2b7e4d33',
  document_id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21',
  document_title: 'Opening hours',
  chunk_index: 0,
  content: 'On Sunday we are closed.',
  token_count: 6,
  metadata: { page: 1 },
  score: 0.83,
}
export type Hit = v.InferOutput<typeof hit>
