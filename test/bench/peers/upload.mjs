import { z } from 'zod'

const body = z.object({
  chunks: z
    .array(
      z.object({
        content: z.string().min(1),
        chunk_index: z.number().int().min(0),
        embedding: z.union([z.array(z.number()).length(1536), z.string()]),
        metadata: z.record(z.string(), z.unknown()),
      }),
    )
    .min(1)
    .max(200),
})

/** What a hand-written endpoint does with the same body; base64 it decodes. */
export function readUpload(text) {
  return body.parse(JSON.parse(text)).chunks.map(({ embedding }) => `[${numbersOf(embedding).join(',')}]`)
}

function numbersOf(embedding) {
  if (typeof embedding !== 'string') return embedding
  const bytes = Buffer.from(embedding, 'base64')
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}
