import * as v from 'valibot'
import { embedding } from '../../shared/embedding-schema.ts'
import { agentId, documentId } from '../../shared/ids.ts'
import { metadata } from '../../shared/metadata.ts'

export const agentPath = v.object({ agentId })

export const searchBody = v.pipe(
  v.strictObject({
    query: v.optional(
      v.pipe(
        v.string('must be a string'),
        v.minLength(1, 'must not be empty'),
        v.check(
          (text) => text.length <= 8000 || (text.length <= 16000 && [...text].length <= 8000),
          'must have at most 8,000 characters',
        ),
      ),
    ),
    embedding: v.optional(embedding),
    limit: v.optional(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be a whole number'),
        v.minValue(1, 'must be 1 to 50'),
        v.maxValue(50, 'must be 1 to 50'),
      ),
      5,
    ),
    min_score: v.optional(
      v.pipe(v.number('must be a number'), v.minValue(0, 'must be 0 to 1'), v.maxValue(1, 'must be 0 to 1')),
    ),
    document_ids: v.optional(
      v.pipe(v.array(documentId, 'must be an array of uuids'), v.maxLength(100, 'must hold at most 100 ids')),
    ),
    metadata: v.optional(metadata),
  }),
  v.check(
    (body) => (body.query === undefined) !== (body.embedding === undefined),
    'must hold either query or embedding',
  ),
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
    score: v.pipe(v.number(), v.minValue(-1), v.maxValue(1)),
  }),
  v.title('Hit'),
)
export const searchAnswer = v.strictObject({ data: v.array(hit) })
export type Hit = v.InferOutput<typeof hit>
