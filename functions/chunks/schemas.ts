import * as v from 'valibot'
import { embedding } from '../../shared/embedding-schema.ts'
import { agentId, documentId } from '../../shared/ids.ts'
import { metadata } from '../../shared/metadata.ts'
import { cursorParameter, limitUpTo } from '../../shared/pages.ts'

const mostCharacters = 32_768
const whole = (least: number, most: number) =>
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(least, `must be ${least} to ${most}`),
    v.maxValue(most, `must be ${least} to ${most}`),
  )

export const documentPath = v.object({ agentId, documentId })

export const listQuery = v.pipe(
  v.strictObject({
    include: v.optional(v.literal('embedding', 'must be embedding')),
    limit: limitUpTo(100),
    cursor: cursorParameter,
  }),
  v.forward(
    v.check(({ include, limit }) => include === undefined || limit <= 20, 'must be at most 20 with include=embedding'),
    ['limit'],
  ),
)

const chunkInput = v.strictObject({
  content: v.pipe(
    v.string('must be a string'),
    v.minLength(1, 'must not be empty'),
    v.check(
      (text) =>
        text.length <= mostCharacters || (text.length <= 2 * mostCharacters && [...text].length <= mostCharacters),
      `must have at most ${mostCharacters} characters`,
    ),
  ),
  chunk_index: whole(0, 1_000_000),
  embedding: v.optional(embedding),
  token_count: v.optional(whole(0, 1_000_000)),
  metadata: v.optional(metadata, {}),
})
export type ChunkInput = v.InferOutput<typeof chunkInput>

export const createBody = v.strictObject({
  chunks: v.pipe(
    v.array(chunkInput, 'must be an array of chunks'),
    v.minLength(1, 'must hold at least one chunk'),
    v.maxLength(200, 'must hold at most 200 chunks'),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const seen = new Set<number>()
      for (const [position, chunk] of dataset.value.entries()) {
        if (seen.has(chunk.chunk_index))
          addIssue({
            message: `${chunk.chunk_index} stands twice in this batch`,
            path: [
              { type: 'array', origin: 'value', input: dataset.value, key: position, value: chunk },
              { type: 'object', origin: 'value', input: chunk, key: 'chunk_index', value: chunk.chunk_index },
            ],
          })
        seen.add(chunk.chunk_index)
      }
    }),
  ),
})
