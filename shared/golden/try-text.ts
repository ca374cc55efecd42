import { sql } from 'kysely'
import { type ChunkSize, chunking, embeddedText, vectorIdOf } from '../chunking/chunker.ts'
import type { Database } from '../database/database.ts'
import type { DocumentScope } from '../database/scope.ts'
import { type Embedder, EmbeddingError } from '../embedding/embedder.ts'
import { sketchOf } from '../embedding/sketch.ts'
import { toStored } from '../embedding/vectors.ts'
import { inTurns } from '../steps.ts'
import { indexedTerms, titleTerms } from '../terms/indexed-terms.ts'
import { Unavailable } from '../unavailable.ts'
import type { Broken } from './broken.ts'
import { checkChange } from './check.ts'
import type { Change, MadeChunk } from './search-after.ts'

export const maxTriedBytes = 1024 * 1024
const inputsPerCall = 512
const embedSeconds = 20

/**
 * Which golden questions a document would break with this text, which is not stored. Undefined if the agent has none.
 * @param reserve is told of the tokens to embed, those of texts that the document does not have yet @throws ApiError rate_limited; Unavailable
 */
export async function tryText(
  { db, embedder, chunkSize }: { db: Database; embedder: Embedder; chunkSize: ChunkSize },
  scope: DocumentScope,
  { title, content }: { title: string; content: string },
  reserve: (tokens: number) => Promise<void>,
): Promise<{ broken: Broken[] } | undefined> {
  const chunks = await inTurns(chunking(content, chunkSize))
  const texts = chunks.map((chunk) => embeddedText(title, chunk))
  const ids = texts.map((text) => vectorIdOf(text, embedder.model))
  const { stored, golden } = await db.batch({
    stored: sql<{ id: string }>`select id from vectors
      where organization_id = ${scope.organizationId} and document_id = ${scope.documentId}`,
    golden: sql`select from golden_questions
      where organization_id = ${scope.organizationId} and agent_id = ${scope.agentId} limit 1`,
  })
  if (golden.length === 0) return undefined
  const known = new Set(stored.map(({ id }) => id))
  const missing = [...new Map(ids.map((id, i) => [id, i])).entries()].filter(([id]) => !known.has(id))
  await reserve(missing.reduce((sum, [, i]) => sum + chunks[i]!.token_count, 0))
  const vectors = await embedAll(
    embedder,
    missing.map(([, i]) => texts[i]!),
  )
  const vectorOf = new Map(missing.map(([id], n) => [id, vectors[n]!]))
  const made = chunks.map(({ chunk_index, content, token_count, metadata }, i): MadeChunk => {
    const vector = vectorOf.get(ids[i]!)
    return {
      ...{ document_id: scope.documentId, chunk_index, content, token_count, metadata, vector_id: ids[i]! },
      ...(vector && { ...toStored(vector), sketch: sketchOf(vector) }),
      ...indexedTerms(content, metadata.headings),
    }
  })
  const change: Change = {
    document_id: scope.documentId,
    action: 'replaces',
    chunk_count: chunks.length,
    title,
    title_terms: titleTerms(title),
  }
  const verdict = await checkChange(db, scope, change, embedder, made)
  return verdict && { broken: verdict.broken }
}

async function embedAll(embedder: Embedder, texts: string[]): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  try {
    for (let from = 0; from < texts.length; from += inputsPerCall)
      vectors.push(...(await embedder.embed(texts.slice(from, from + inputsPerCall), { timeoutSeconds: embedSeconds })))
  } catch (error) {
    throw error instanceof EmbeddingError ? new Unavailable('embedding_provider', error) : error
  }
  return vectors
}
