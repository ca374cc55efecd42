import * as v from 'valibot'
import { embedding } from '../../shared/http/input/embedding.ts'
import { fields, listOf, maxCharacters } from '../../shared/http/input/fields.ts'
import { metadataFilter } from '../../shared/http/input/metadata.ts'
import { agentId, documentId } from '../../shared/ids.ts'
import { timeouts } from './timeouts.ts'

export const agentPath = v.object({ agentId })

const query = v.pipe(
  v.string('must be a string'),
  v.minLength(1, 'must not be empty'),
  v.check((text) => text === '' || /\S/.test(text), 'must not be blank'),
  maxCharacters(8000),
  v.metadata({
    maxLength: 8000,
    pattern: '\\S',
    description: 'A question or search terms, as the caller said them. Send this, `embedding` or both.',
  }),
)

export const searchModes = ['hybrid', 'semantic', 'keyword'] as const

const { deadlineMilliseconds, minDeadlineMilliseconds, maxDeadlineMilliseconds } = timeouts
const deadlineRange = `must be between ${minDeadlineMilliseconds} and ${maxDeadlineMilliseconds}`

export const searchBody = v.pipe(
  fields({
    query: v.optional(query),
    embedding: v.optional(embedding),
    mode: v.optional(
      v.pipe(
        v.picklist(searchModes, `must be one of ${searchModes.join(', ')}`),
        v.description(
          '`hybrid`: by words and meaning, the default with a `query`; `semantic`: by meaning, the default with an `embedding` alone; `keyword`: by words. With both `query` and `embedding`, the meaning is that of the `embedding`.',
        ),
      ),
    ),
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
        v.description('Excludes chunks with a lower `score`.'),
      ),
    ),
    deadline_ms: v.optional(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be an integer'),
        v.minValue(minDeadlineMilliseconds, deadlineRange),
        v.maxValue(maxDeadlineMilliseconds, deadlineRange),
        v.description('Milliseconds after which the answer leaves us with what there is.'),
      ),
      deadlineMilliseconds,
    ),
    document_ids: v.optional(
      v.pipe(listOf(documentId, { items: 'document ids', max: 100 }), v.description('Searches only these documents.')),
    ),
    metadata: v.optional(metadataFilter),
  }),
  v.forward(
    v.check(
      ({ mode, query }) => mode === undefined || mode === 'semantic' || query !== undefined,
      'is required by this `mode`',
    ),
    ['query'],
  ),
  v.check(
    ({ mode, query, embedding }) =>
      query !== undefined || embedding !== undefined || (mode ?? 'semantic') !== 'semantic',
    'must have `query` or `embedding`',
  ),
  v.transform((body) => ({ ...body, mode: body.mode ?? (body.query === undefined ? 'semantic' : 'hybrid') })),
  v.metadata({ title: 'SearchQuery', anyOf: [{ required: ['query'] }, { required: ['embedding'] }] }),
)
export type SearchInput = v.InferOutput<typeof searchBody>

export const prefetchBody = v.pipe(fields({ query }), v.title('PrefetchQuery'))

const armScore = (description: string) => v.pipe(v.nullable(v.number()), v.description(description))

export const hit = v.pipe(
  v.strictObject({
    chunk_id: v.pipe(v.string(), v.uuid()),
    document_id: v.pipe(v.string(), v.uuid()),
    document_title: v.string(),
    chunk_index: v.pipe(v.number(), v.integer(), v.minValue(0)),
    content: v.pipe(
      v.string(),
      v.description('Where it begins in a table or list, below the header rows or lead-in of that.'),
    ),
    token_count: v.pipe(v.number(), v.integer(), v.minValue(0)),
    metadata: v.looseObject({}),
    score: v.pipe(
      v.number(),
      v.minValue(-1),
      v.maxValue(1),
      v.description(
        'In `semantic` the cosine similarity; in `hybrid` and `keyword` from 0 to 1, and comparable between queries of one agent.',
      ),
    ),
    scores: v.strictObject({
      semantic: armScore('Cosine similarity; null if meaning was not searched or did not find the chunk.'),
      keyword: armScore('By words, from 0 to 1; null if words were not searched or did not find the chunk.'),
    }),
  }),
  v.title('Hit'),
)
export const searchResponse = v.strictObject({
  data: v.array(hit),
  degraded: v.pipe(
    v.custom<'keyword_only' | null>((value) => value === 'keyword_only' || value === null),
    v.metadata({
      type: ['string', 'null'],
      enum: ['keyword_only', null],
      description:
        '`keyword_only` if the vector of the query was not available in time, so that only its words were searched.',
    }),
  ),
})
export const hitExample: Hit = {
  chunk_id: '01981f40-11c2-7d0a-8a55-0c9f2b7e4d33',
  document_id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21',
  document_title: 'Opening hours',
  chunk_index: 0,
  content: 'On Sunday we are closed.',
  token_count: 6,
  metadata: { page: 1 },
  score: 0.83,
  scores: { semantic: 0.81, keyword: 0.62 },
}
export type Hit = v.InferOutput<typeof hit>
