import * as v from 'valibot'
import { toBase64 } from '../../shared/embedding/vectors.ts'
import { embedding } from '../../shared/http/input/embedding.ts'
import { described, fields, integer, listOf, maxCharacters } from '../../shared/http/input/fields.ts'
import { metadata } from '../../shared/http/input/metadata.ts'
import { cursorParameter, pageLimit } from '../../shared/http/pagination.ts'

const contentLimit = 32_768
const maxChunks = 200

export const listQuery = v.pipe(
  fields({
    include: v.optional(described(v.literal('embedding', 'must be `embedding`'), 'Adds `embedding` to each chunk.')),
    encoding: v.optional(
      described(
        v.literal('base64', 'must be `base64`'),
        'Gives each `embedding` as base64 of little-endian 32-bit floats. Only with `include=embedding`.',
      ),
    ),
    limit: pageLimit(
      'Maximum number of items in a page; at most 20 with `include=embedding` unless `encoding=base64`.',
    ),
    cursor: cursorParameter,
  }),
  v.forward(
    v.check(
      ({ include, encoding, limit }) => include === undefined || encoding !== undefined || limit <= 20,
      'must be at most 20 with `include=embedding` unless `encoding=base64`',
    ),
    ['limit'],
  ),
  v.forward(
    v.check(
      ({ include, encoding }) => encoding === undefined || include !== undefined,
      'must come with `include=embedding`',
    ),
    ['encoding'],
  ),
)

export const sortKey = v.strictTuple([integer(0, 1_000_000)])

const chunkInput = v.pipe(
  fields({
    content: v.pipe(
      v.string('must be a string'),
      v.minLength(1, 'must not be empty'),
      maxCharacters(contentLimit),
      v.metadata({ maxLength: contentLimit }),
    ),
    chunk_index: described(integer(0, 1_000_000), 'The position of the chunk, unique in its document.'),
    embedding: v.optional(embedding),
    token_count: v.optional(described(integer(0, 1_000_000), 'Estimated if absent.')),
    metadata: v.optional(metadata, {}),
  }),
  v.title('NewChunk'),
)
export type ChunkInput = v.InferOutput<typeof chunkInput>

export const createBody = v.pipe(
  fields({
    chunks: v.pipe(
      listOf(chunkInput, { items: 'chunks', min: 1, max: maxChunks }),
      v.rawCheck(({ dataset, addIssue }) => {
        const listed = Array.isArray(dataset.value) ? dataset.value : []
        const seen = new Set<number>()
        for (const [position, chunk] of listed.slice(0, maxChunks).entries()) {
          const index: unknown = chunk?.chunk_index
          if (typeof index !== 'number') continue
          if (seen.has(index))
            addIssue({
              message: `must be unique in the batch, which has ${index} more than once`,
              path: [
                { type: 'array', origin: 'value', input: listed, key: position, value: chunk },
                { type: 'object', origin: 'value', input: chunk, key: 'chunk_index', value: index },
              ],
            })
          seen.add(index)
        }
      }),
    ),
    embedding_model: v.optional(
      v.pipe(
        v.string('must be a string'),
        maxCharacters(1000),
        v.description(
          'The model that made the embeddings: the one that serves the agent (the default) or, for chunks that are stored already, the next one. `GET /v1/agents/{agentId}` names both.',
        ),
      ),
    ),
  }),
  v.title('NewChunks'),
)
export type ChunksInput = v.InferOutput<typeof createBody>

/** Prints embeddings as base64, since printing them as numbers would take long. */
export function toJson({ chunks, embedding_model }: ChunksInput) {
  const printed = chunks.map((chunk) => ({ ...chunk, embedding: chunk.embedding && toBase64(chunk.embedding) }))
  return embedding_model === undefined ? printed : { embedding_model, chunks: printed }
}
