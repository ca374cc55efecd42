import { sql } from 'kysely'
import { type ChunkSize, chunking, embeddedText, vectorIdOf } from '../chunking/chunker.ts'
import { inTurns } from '../concurrency/steps.ts'
import type { Database } from '../database/database.ts'
import type { AgentScope, DocumentScope } from '../database/scope.ts'
import { type Embedder, EmbeddingError } from '../embedding/embedder.ts'
import { servingEmbedder } from '../embedding/serving-embedder.ts'
import { sketchOf } from '../embedding/sketch.ts'
import type { DocumentId } from '../ids.ts'
import type { Effect, MadeChunk } from '../knowledge/search-after.ts'
import { withTokens } from '../limits/tokens.ts'
import { chunkTerms } from '../terms/indexed-terms.ts'
import { Unavailable } from '../unavailable.ts'
import type { Broken } from './broken.ts'
import { type Renewal, tryChange } from './try-change.ts'

const inputsPerCall = 512
const embedSeconds = 20

interface Text {
  documentId: DocumentId
  title: string
  content: string
}

export interface Trier extends Renewal {
  db: Database
  chunkSize: ChunkSize
}

/**
 * Finds the checks that a document would break with this text, which is not stored. Undefined if the agent has none.
 * @throws ApiError rate_limited; Unavailable
 */
export async function tryText(
  { db, embedder: configured, ...rest }: Trier,
  scope: DocumentScope,
  text: { title: string; content: string },
): Promise<{ broken: Broken[] } | undefined> {
  const golden = sql`select from golden_questions
    where organization_id = ${scope.organizationId} and agent_id = ${scope.agentId} limit 1`
  if ((await db.batch({ golden })).golden.length === 0) return undefined
  const embedder = await servingEmbedder(db, scope, configured)
  const trier = { db, embedder, ...rest }
  const { changes, made } = await replacing(trier, scope, [{ documentId: scope.documentId, ...text }])
  const verdict = await tryChange(db, scope, changes, trier, made)
  return verdict && { broken: verdict.broken }
}

/** The changes and chunks that would replace the texts of these documents, for `searchAfter`. @throws ApiError rate_limited; Unavailable */
export async function replacing(
  { db, embedder, chunkSize, ...meter }: Trier,
  scope: AgentScope,
  texts: readonly Text[],
) {
  const { stored } = await db.batch({
    stored: sql<{ id: string; sketch: Buffer }>`select document_id || ' ' || id as id, sketch from vectors
      where organization_id = ${scope.organizationId} and document_id = any (${texts.map(({ documentId }) => documentId)}::uuid[])`,
  })
  const known = new Map(stored.map(({ id, sketch }) => [id, sketch]))
  const changes: Effect[] = []
  const made: Omit<MadeChunk, 'sketch'>[] = []
  const missing = new Map<string, { text: string; tokens: number }>()
  for (const { documentId: document_id, title, content } of texts) {
    const chunks = await inTurns(chunking(content, chunkSize))
    changes.push({ document_id, action: 'replaces', chunk_count: chunks.length, title })
    for (const chunk of chunks) {
      const { metadata, ...rest } = chunk
      const text = embeddedText(title, chunk)
      const vector_id = vectorIdOf(text, embedder.model)
      if (!known.has(`${document_id} ${vector_id}`)) missing.set(vector_id, { text, tokens: chunk.token_count })
      const terms = chunkTerms(chunk.content, metadata.headings)
      made.push({ document_id, ...rest, metadata: { ...metadata }, vector_id, terms })
    }
  }
  const total = [...missing.values()].reduce((sum, { tokens }) => sum + tokens, 0)
  const lacking = [...missing.values()].map(({ text }) => text)
  const vectors = await withTokens(meter, total, () => embedAll(embedder, lacking))
  const vectorOf = new Map([...missing.keys()].map((id, i) => [id, vectors[i]!]))
  const withSketches = made.map((chunk): MadeChunk => {
    const vector = vectorOf.get(chunk.vector_id)
    const sketch = vector ? sketchOf(vector) : known.get(`${chunk.document_id} ${chunk.vector_id}`)!
    return { ...chunk, sketch, ...(vector && { vector }) }
  })
  return { changes, made: withSketches }
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
