import { randomUUID } from 'node:crypto'
import type { Database } from '../../shared/database/database.ts'
import { sendOrSweep } from '../../shared/documents/outbox.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { Unavailable } from '../../shared/http/errors.ts'
import { describeError, log } from '../../shared/log.ts'
import { report } from '../../shared/metrics.ts'
import { idsOf as idsOfWork, type Queue, type WorkMessage } from '../../shared/queue.ts'
import type { Semaphore } from '../../shared/semaphore.ts'
import { inTurns } from '../../shared/steps.ts'
import { backoff } from './backoff.ts'
import type { CallLimits } from './batches.ts'
import { type ChunkSize, chunking } from './chunking/chunker.ts'
import { type Claim, claim as claimDocument, maxAttempts } from './claim.ts'
import { ChunkRejected, embedMissing } from './embed-missing.ts'
import { attemptsExhausted, chunkRejected, type Failure, tooManyChunks } from './failure.ts'
import { complete, fail, giveBack } from './outcome.ts'
import { storeChunks, storeVectors } from './stored-chunks.ts'

export interface Pipeline {
  db: Database
  queue: Queue
  embedder: Embedder
  chunkSize: ChunkSize
  callLimits: CallLimits
  /** Bounds the provider calls in flight. */
  semaphore: Semaphore
  /** In [0, 1); spreads retries. */
  random?: () => number
}

const maxChunks = 10_000
/** Below this, no further provider call begins: it and the storing of its vectors might not end in time. */
const lastCallMilliseconds = 30_000
/** Below this, calls in flight are given up, so that the document can be handed over. */
const requeueMilliseconds = 10_000

/**
 * Brings one document from pending to completed, or to where its trouble leads. Safe to run any number of times, at once or
 * again: it works on the newest revision, and whatever it writes is fenced by the claim.
 * @param remaining milliseconds until this process is stopped
 * @returns undefined when the message has done its duty, else the seconds after which it should come again
 * @throws Unavailable without the database; the lease will run out, and the message should come again when its visibility
 * time-out is over
 */
export async function processDocument(
  pipeline: Pipeline,
  work: WorkMessage,
  remaining: () => number,
): Promise<number | undefined> {
  const db = pipeline.db.forOrganization(work.organizationId)
  const claim = await claimDocument(db, work, randomUUID())
  if (!claim) return undefined
  // The row knows who asked for this revision; the message may be of an older one.
  const job = { ...pipeline, db, claim, work: { ...work, ...claim.origin } }
  try {
    await embedRevision(job, remaining)
  } catch (error) {
    if (error instanceof ChunkRejected) await endInError(job, chunkRejected(error))
    else if (error instanceof EmbeddingError) await scheduleRetry(job, error)
    else if (error instanceof Unavailable) await resumeLater(job, error)
    else return await recordFailedAttempt(job, error)
  }
  return undefined
}

interface Job extends Pipeline {
  claim: Claim
  work: WorkMessage
}

async function embedRevision(job: Job, remaining: () => number): Promise<void> {
  const { db, claim, embedder } = job
  const chunks = await inTurns(chunking(claim.content, job.chunkSize))
  if (chunks.length > maxChunks) return await endInError(job, tooManyChunks(chunks.length, maxChunks))
  const stored = await storeChunks(db, claim, chunks, embedder.model)
  if (!stored) return
  report({ ChunksReused: stored.reused })
  const ending = await embedMissing(stored.missing, {
    embedder,
    semaphore: job.semaphore,
    limits: job.callLimits,
    mayCall: () => remaining() > lastCallMilliseconds,
    signal: AbortSignal.timeout(Math.max(0, Math.floor(remaining()) - requeueMilliseconds)),
    async store(vectors) {
      const isHeld = await storeVectors(db, claim, vectors)
      if (isHeld) report({ ChunksEmbedded: vectors.size })
      return isHeld
    },
  })
  if (ending === 'out_of_time') return await requeueOnTimeout(job)
  if (ending === 'lease_lost' || !(await complete(db, claim, chunks.length))) return
  report({ DocumentsCompleted: 1, PendingMilliseconds: Math.round(claim.pendingMilliseconds) })
  log.info('document_completed', { ...idsOf(job), chunks: chunks.length, embedded: stored.missing.length })
}

/** Time is up, not the work: the next delivery goes on from what is stored. */
async function requeueOnTimeout(job: Job): Promise<void> {
  if (!(await giveBack(job.db, job.claim, 0))) return
  log.info('document_handed_over', idsOf(job))
  await sendOrSweep(job.db, job.queue, job.work)
}

/** The provider is busy, down or refuses our key: the document waits, however often. */
async function scheduleRetry(job: Job, error: EmbeddingError): Promise<void> {
  const { claim, random = Math.random } = job
  const seconds = backoff(claim.retries, error.retryAfterSeconds, random())
  log.warn('document_put_off', {
    ...idsOf(job),
    reason: error.reason,
    status: error.status,
    error: error.message,
    seconds,
  })
  if (!(await giveBack(job.db, claim, seconds, 'retry'))) return
  report({ DocumentsRetried: 1 })
  await sendOrSweep(job.db, job.queue, job.work, seconds)
}

/** The connection to the database broke, by no fault of the document: no attempt is counted if the database is there again. */
async function resumeLater(job: Job, error: Unavailable): Promise<void> {
  const { claim, random = Math.random } = job
  const seconds = backoff(claim.attempt, undefined, random())
  if (!(await giveBack(job.db, claim, seconds))) return
  log.warn('document_interrupted', { ...idsOf(job), error: describeError(error), seconds })
  await sendOrSweep(job.db, job.queue, job.work, seconds)
}

async function endInError(job: Job, { code, message }: Failure): Promise<void> {
  if (!(await fail(job.db, job.claim, { code, message }))) return
  report({ DocumentsFailed: 1 })
  log.warn('document_failed', { ...idsOf(job), code })
}

/**
 * Something unforeseen. The same message carries the next attempt, so that it ends in the dead letters when the document,
 * after the last one, ends in error.
 */
async function recordFailedAttempt(job: Job, error: unknown): Promise<number> {
  const { claim, random = Math.random } = job
  const seconds = backoff(claim.attempt, undefined, random())
  log.error('attempt_failed', { ...idsOf(job), error: describeError(error) })
  if (claim.attempt >= maxAttempts) await endInError(job, attemptsExhausted)
  else await giveBack(job.db, claim, seconds, 'attempt')
  return seconds
}

function idsOf({ claim, work }: Job) {
  return {
    ...idsOfWork(work),
    revision: claim.revision,
    attempt: claim.attempt,
  }
}
