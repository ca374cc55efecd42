import { randomUUID } from 'node:crypto'
import type { Database } from '../../shared/database.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedder.ts'
import { log } from '../../shared/log.ts'
import type { Queue, WorkMessage } from '../../shared/queue.ts'
import { chunk, embeddedText } from './chunker.ts'
import { type Claim, claim as claimDocument } from './claim.ts'
import { complete, fail, postpone } from './outcome.ts'
import { storeChunks, storeVectors } from './stored-chunks.ts'

export interface Pipeline {
  db: Database
  queue: Queue
  embedder: Embedder
  chunkSize: { targetTokens: number; overlapTokens: number }
}

const mostChunks = 10_000
/** Chunks embedded by one call: of 400 tokens each, a third of what OpenAI takes. */
const callSize = 256

/**
 * Brings one document from pending to completed, or to where its trouble leads. Safe to run any number of times, at once or
 * again: it works on the newest revision, and whatever it writes is fenced by the claim.
 * @throws Unavailable when the database cannot be reached; the message should then be delivered again
 */
export async function processDocument({ db, ...pipeline }: Pipeline, work: WorkMessage): Promise<void> {
  const scoped = db.forOrganization(work.organizationId)
  const claim = await claimDocument(scoped, work, randomUUID())
  if (!claim) return
  try {
    await embedRevision(scoped, pipeline, claim, work)
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error
    await settle(scoped, pipeline.queue, claim, work, error)
  }
}

async function embedRevision(
  db: Database,
  { embedder, chunkSize }: Omit<Pipeline, 'db'>,
  claim: Claim,
  work: WorkMessage,
) {
  const started = performance.now()
  const chunks = chunk(claim.content, chunkSize)
  if (chunks.length > mostChunks) {
    await fail(db, claim, {
      code: 'too_many_chunks',
      message: `The text makes ${chunks.length} passages; a document may have ${mostChunks}. Split it into several documents.`,
    })
    return
  }
  const missing = await storeChunks(db, claim, chunks, embedder.model)
  if (!missing) return
  for (let from = 0; from < missing.length; from += callSize) {
    const indexes = missing.slice(from, from + callSize)
    const vectors = await embedder.embed(indexes.map((index) => embeddedText(chunks[index]!)))
    if (!(await storeVectors(db, claim, new Map(indexes.map((index, i) => [index, vectors[i]!]))))) return
  }
  if (await complete(db, claim, chunks.length))
    log.info('document_completed', {
      ...idsOf(claim, work),
      chunks: chunks.length,
      embedded: missing.length,
      milliseconds: Math.round(performance.now() - started),
    })
}

/** What becomes of a document whose embedding failed. */
async function settle(db: Database, queue: Queue, claim: Claim, work: WorkMessage, error: EmbeddingError) {
  log.warn('embedding_failed', { ...idsOf(claim, work), reason: error.reason, error: error.message })
  if (error.reason === 'refused') {
    const message = `The embedding provider refused the text: ${error.message}. Edit the text and save it.`
    await fail(db, claim, { code: 'input_refused', message })
    return
  }
  const delay = error.retryAfterSeconds ?? 30
  if (await postpone(db, claim, delay)) await queue.send(work, delay)
}

function idsOf(claim: Claim, work: WorkMessage) {
  return {
    request_id: work.requestId,
    organization_id: claim.organizationId,
    document_id: claim.documentId,
    revision: claim.revision,
    attempt: claim.attempt,
  }
}
