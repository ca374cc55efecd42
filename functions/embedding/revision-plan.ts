import { type Chunk, embeddedText, vectorIdOf } from '../../shared/chunking/chunker.ts'
import type { RevisionClaim, StoredChunk } from './claim.ts'

export interface RevisionPlan {
  /** The model that makes the vectors. */
  model: string
  chunks: Chunk[]
  keptCount: number
  vectorIds: string[]
  reused: Chunk[]
  missing: Missing[]
  stale: StoredChunk[]
}

export interface Missing {
  vectorId: string
  text: string
  chunks: Chunk[]
}

/** Keeps served chunks with the same index and text, and vectors of texts that any revision has embedded with this model. */
export function planRevision(claim: RevisionClaim, chunks: Chunk[], model: string): RevisionPlan {
  const texts = chunks.map((chunk) => embeddedText(claim.title, chunk))
  const vectorIds = texts.map((text) => vectorIdOf(text, model))
  const stored = new Set<number>()
  const stale: StoredChunk[] = []
  let keptCount = 0
  for (const chunk of claim.stored) {
    const isServed = chunk.revision <= claim.activeRevision
    const isPlanned = chunk.vector_id !== null && chunk.vector_id === vectorIds[chunk.chunk_index]
    if (isPlanned && isServed) keptCount++
    if (isPlanned && (isServed || chunk.revision === claim.revision)) stored.add(chunk.chunk_index)
    else if (!isServed) stale.push(chunk)
  }

  const embedded = new Set(claim.stored.map((chunk) => chunk.vector_id))
  const reused: Chunk[] = []
  const missing = new Map<string, Missing>()
  for (const chunk of chunks) {
    if (stored.has(chunk.chunk_index)) continue
    const vectorId = vectorIds[chunk.chunk_index]!
    const known = missing.get(vectorId)
    if (embedded.has(vectorId)) reused.push(chunk)
    else if (known) known.chunks.push(chunk)
    else missing.set(vectorId, { vectorId, text: texts[chunk.chunk_index]!, chunks: [chunk] })
  }
  return { model, chunks, keptCount, vectorIds, reused, missing: [...missing.values()], stale }
}
