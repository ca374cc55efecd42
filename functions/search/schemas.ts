import * as v from 'valibot'
import { embedding } from '../../shared/http/input/embedding.ts'
import { between, described, fields, integer, listOf } from '../../shared/http/input/fields.ts'
import { metadataFilter } from '../../shared/http/input/metadata.ts'
import { documentId } from '../../shared/ids.ts'
import { levels } from '../../shared/retrieval/answerable.ts'
import {
  alternatives,
  asOf,
  callId,
  dates,
  degraded,
  format,
  history,
  hit,
  query,
  searchModes,
  seen,
  value,
} from '../../shared/retrieval/schemas.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'

const { deadlineMilliseconds, minDeadlineMilliseconds, maxDeadlineMilliseconds } = timeouts

export const searchBody = v.pipe(
  fields({
    query: v.optional(query),
    alternatives: v.optional(alternatives),
    embedding: v.optional(embedding),
    mode: v.optional(
      described(
        v.picklist(searchModes, `must be one of ${searchModes.join(', ')}`),
        '`hybrid`: by words and meaning, the default with a `query`; `semantic`: by meaning, the default with an `embedding` only; `keyword`: by words. With both `query` and `embedding`, the meaning is that of the `embedding`.',
      ),
    ),
    limit: v.optional(integer(1, 50), 5),
    min_score: v.optional(described(between(0, 1), 'Excludes chunks with a lower `score`.')),
    deadline_ms: v.optional(
      described(
        integer(minDeadlineMilliseconds, maxDeadlineMilliseconds),
        'Milliseconds after which search answers with the hits found so far.',
      ),
      deadlineMilliseconds,
    ),
    document_ids: v.optional(
      described(listOf(documentId, { items: 'document ids', max: 100 }), 'Searches only these documents.'),
    ),
    metadata: v.optional(metadataFilter('Finds only chunks whose metadata contains this object.')),
    document_metadata: v.optional(
      metadataFilter('Finds only chunks of documents whose metadata contains this object.'),
    ),
    format: v.optional(format),
    call_id: v.optional(callId),
    history: v.optional(history),
    seen: v.optional(seen),
    as_of: v.optional(asOf),
  }),
  v.forward(
    v.check(
      ({ mode, query }) => mode === undefined || mode === 'semantic' || query !== undefined,
      'is required by this `mode`',
    ),
    ['query'],
  ),
  v.forward(
    v.check(({ query, alternatives }) => alternatives === undefined || query !== undefined, 'needs `query`'),
    ['alternatives'],
  ),
  v.forward(
    v.check(({ query, history }) => history === undefined || query !== undefined, 'needs `query`'),
    ['history'],
  ),
  v.check(
    ({ mode, query, embedding }) =>
      query !== undefined || embedding !== undefined || (mode ?? 'semantic') !== 'semantic',
    'must have `query` or `embedding`',
  ),
  v.transform((body) => ({ ...body, mode: body.mode ?? (body.query === undefined ? 'semantic' : 'hybrid') })),
  v.metadata({ title: 'SearchQuery', description: 'With `query`, `embedding` or both.' }),
)

export const prefetchBody = v.pipe(
  fields({
    query,
    alternatives: v.optional(alternatives),
    history: v.optional(history),
    call_id: v.optional(callId),
    as_of: v.optional(asOf),
    vectors: v.optional(
      described(
        v.boolean('must be true or false'),
        'True to get the vectors, for a program that searches in its own process.',
      ),
    ),
  }),
  v.title('PrefetchQuery'),
)

export const prefetchResponse = v.pipe(
  v.strictObject({
    model: v.string(),
    vectors: described(
      v.array(v.pipe(v.string(), v.metadata({ contentEncoding: 'base64' }))),
      'The vectors of `query` and of its different `alternatives`, in their order: 1,536 32-bit floats, the lowest byte first.',
    ),
  }),
  v.title('QuestionVectors'),
)

export const searchResponse = v.strictObject({
  data: v.array(hit),
  degraded,
  answerable: described(
    v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
    'The probability that the first hit answers the query: 0 without a hit, null in a search by `embedding` only.',
  ),
  status: described(
    v.picklist(levels),
    '`found` with a `value`, or with an `answerable` of at least 0.5; `uncertain` below, if `answerable` is null, and where two documents give different prices or times; `nothing` without a hit, or with an `answerable` so low that platforms and MCP give their models no passage. `limit` and `min_score` do not change it, unless no hit is left.',
  ),
  value: described(
    v.nullable(value),
    'The table cell among the ten best hits that answers the query: null unless every word of the question is accounted for, and if another document, or an exception from the usual hours of the asked day, contradicts it.',
  ),
  dates,
})
