import * as v from 'valibot'
import { fromStored } from '../../embedding/stored-vectors.ts'
import { toBase64 } from '../../embedding/vectors.ts'
import { described } from '../../http/input/fields.ts'

export const chunkSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    document_id: v.pipe(v.string(), v.uuid()),
    agent_id: v.pipe(v.string(), v.uuid()),
    content: described(
      v.string(),
      'A chunk that begins inside a table or list repeats the header rows, or the lead-in and parent items, above its own text. `metadata.start` and `metadata.end` leave these out.',
    ),
    chunk_index: v.pipe(v.number(), v.integer(), v.minValue(0)),
    token_count: v.pipe(v.number(), v.integer(), v.minValue(0)),
    metadata: v.looseObject({}),
    created_at: v.pipe(v.string(), v.isoTimestamp()),
    embedding: v.exactOptional(
      described(
        v.union([v.array(v.number()), v.string(), v.null()]),
        'Only with `include=embedding`: an array of numbers or, with `encoding=base64`, base64 of little-endian 32-bit floats; null for a chunk that was stored without one. Each number is within 0.05 % of the stored one or, if that is more, within 2e-12 of the vector’s largest.',
      ),
    ),
  }),
  v.title('Chunk'),
)
export type Chunk = v.InferOutput<typeof chunkSchema>

export const chunkExample: Chunk = {
  id: '01981f40-11c2-7d0a-8a55-0c9f2b7e4d33',
  document_id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21',
  agent_id: '01981f3d-02ab-7b3e-9d0c-6f2f8a4b7e10',
  content: 'On Sunday we are closed.',
  chunk_index: 0,
  token_count: 6,
  metadata: { page: 1 },
  created_at: '2026-03-02T08:16:01.250Z',
}

/** `created_at` is a string after JSON in the database; `embedding` is present only on request. */
export type ChunkRow = Omit<Chunk, 'created_at' | 'embedding'> & {
  created_at: Date | string
  embedding?: string | null | undefined
  exponent?: number | null | undefined
}

export function toChunk(row: ChunkRow, encoding?: 'base64'): Chunk {
  const { id, document_id, agent_id, content, chunk_index, token_count, metadata } = row
  return {
    id,
    document_id,
    agent_id,
    content,
    chunk_index,
    token_count,
    metadata,
    created_at: new Date(row.created_at).toISOString(),
    ...(row.embedding !== undefined && { embedding: embeddingOf(row, encoding) }),
  }
}

function embeddingOf(row: ChunkRow, encoding: 'base64' | undefined): number[] | string | null {
  if (!row.embedding) return null
  const vector = fromStored(row.embedding, row.exponent!)
  if (encoding === 'base64') return toBase64(vector)
  // Nine digits tell any two 32-bit floats apart; as doubles they would print some twenty.
  return Array.from(vector, (float) => Number(float.toPrecision(9)))
}
