import { randomUUID } from 'node:crypto'
import { backoff } from '../../shared/backoff.ts'
import type { Database } from '../../shared/database/database.ts'
import { attemptsFailed, type Failure, ownFaults } from '../../shared/documents/failures.ts'
import { enqueue } from '../../shared/documents/outbox.ts'
import { fail, postpone, requeue } from '../../shared/documents/outcome.ts'
import { maxAttempts } from '../../shared/documents/transitions.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { releaseTokens, TokensUsedUp } from '../../shared/limits/tokens.ts'
import { describeError, log } from '../../shared/log.ts'
import { report } from '../../shared/metrics.ts'
import { idsOf as idsOfWork, type Queue, type WorkMessage } from '../../shared/queue.ts'
import { type Semaphore, semaphore } from '../../shared/semaphore.ts'
import { inTurns } from '../../shared/steps.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { batches, type CallLimits, tokensOf } from './batches.ts'
import { type ChunkSize, chunking } from './chunking/chunker.ts'
import type { Claim } from './claim.ts'
import { ChunkRejected, embedMissing } from './embed-missing.ts'
import { chunkRejected, tooManyChunks } from './failure.ts'
import { planRevision } from './revision-plan.ts'
import { revisionStore, textsPerPart } from './revision-store.ts'
import type { SharedRequests } from './shared-requests.ts'

export interface Pipeline {
  db: Database
  queue: Queue
  embedder: Embedder
  chunkSize: ChunkSize
  callLimits: CallLimits
  semaphore: Semaphore
  random?: () => number
}

const maxChunks = 10_000
/** No provider call begins below this: it and the storing of its vectors might not end in time. */
const lastCallMilliseconds = 30_000
/** Calls in flight are cancelled below this, so that the document can be requeued. */
const requeueMilliseconds = 10_000

/**
 * Brings one document from pending to completed or error, or schedules a retry. Safe to repeat and to run concurrently: it works
 * on the newest revision, and the lease fences whatever it writes.
 * @param shared by the documents of one delivery
 * @param remaining milliseconds until this process is stopped
 * @returns undefined when the message is done, else the seconds after which to redeliver it
 * @throws Unavailable without the database: let the visibility time-out redeliver the message, by when the lease has expired
 */
export async function processDocument(
  pipeline: Pipeline,
  shared: SharedRequests,
  work: WorkMessage,
  remaining: () => number,
): Promise<number | undefined> {
  const db = pipeline.db.forOrganization(work.organizationId)
  const claim = await shared.claim({ ...work, leaseToken: randomUUID() })
  if (!claim) return undefined
  // The row has the origin of this revision; the message may be of an older one.
  const job = { ...pipeline, db, shared, claim, work: { ...work, ...claim.origin } }
  try {
    await embedRevision(job, remaining)
  } catch (error) {
    if (error instanceof ChunkRejected) await endInError(job, chunkRejected(error))
    else if (error instanceof EmbeddingError) await scheduleRetry(job, error)
    else if (error instanceof TokensUsedUp) await waitForTokens(job, error)
    else if (error instanceof Unavailable) await requeueOnDisconnect(job, error)
    else return await recordFailedAttempt(job, error)
  }
  return undefined
}

/** The shared calls have permits of their own. */
const unlimited = semaphore(Number.POSITIVE_INFINITY)

interface Job extends Pipeline {
  shared: SharedRequests
  claim: Claim
  work: WorkMessage
}

async function embedRevision(job: Job, remaining: () => number): Promise<void> {
  const { db, shared, claim, embedder, callLimits: limits } = job
  const chunks = await inTurns(chunking(claim.content, job.chunkSize))
  if (chunks.length > maxChunks) return await endInError(job, tooManyChunks(chunks.length, maxChunks))
  const plan = planRevision(claim, chunks, embedder.model)
  const { missing } = plan
  report({ ChunksReused: chunks.length - missing.length })
  const revision = revisionStore(db, claim, plan)
  const isSmall = missing.length <= textsPerPart && batches(missing, limits).length === 1
  const ending = await embedMissing(missing, {
    ...(isSmall ? { embedder: shared.embedder, semaphore: unlimited } : { embedder, semaphore: job.semaphore }),
    limits,
    mayCall: () => remaining() > lastCallMilliseconds,
    reserve: (call) => shared.reserve({ organizationId: claim.organizationId, tokens: tokensOf(call) }),
    release: (call) => releaseTokens(db, claim.organizationId, tokensOf(call)),
    signal: AbortSignal.timeout(Math.max(0, Math.floor(remaining()) - requeueMilliseconds)),
    async store(embedded) {
      const isHeld = await revision.store(embedded)
      if (isHeld) report({ ChunksEmbedded: embedded.length })
      return isHeld
    },
  })
  if (ending === 'out_of_time') return await requeueOnTimeout(job)
  if (ending === 'lease_lost' || !(await shared.complete(revision.lastPart()))) return
  report({ DocumentsCompleted: 1, PendingMilliseconds: Math.round(claim.pendingMilliseconds) })
  log.info('document_completed', { ...idsOf(job), chunks: chunks.length, embedded: missing.length })
}

/** The next delivery continues from what is stored. */
async function requeueOnTimeout(job: Job): Promise<void> {
  if (!(await requeue(job.db, job.claim, 0, null))) return
  log.info('document_requeued', idsOf(job))
  await enqueue(job, job.work)
}

/** The provider is busy, down or rejects our key: the document waits, with no limit on retries. */
async function scheduleRetry(job: Job, error: EmbeddingError): Promise<void> {
  const { claim, random = Math.random } = job
  const seconds = backoff(claim.retries, error.retryAfterSeconds, random())
  log.warn('document_retry_scheduled', {
    ...idsOf(job),
    reason: error.reason,
    status: error.status,
    error: error.message,
    seconds,
  })
  if (!(await requeue(job.db, claim, seconds, error.message, 'retry'))) return
  report({ DocumentsRetried: 1 })
  await enqueue(job, job.work, seconds)
}

/** So that the documents that wait for a day do not all begin in its first second. */
const dayBeginsWithinSeconds = 600

/** The organization's tokens of the day are used up: the document waits for the next one, and nothing counts against it. */
async function waitForTokens(job: Job, error: TokensUsedUp): Promise<void> {
  const { claim, random = Math.random } = job
  const seconds = error.seconds + random() * dayBeginsWithinSeconds
  if (!(await postpone(job.db, claim, seconds, error.message))) return
  report({ DocumentsPostponed: 1 })
  log.warn('document_postponed', { ...idsOf(job), seconds })
}

/** A broken database connection is not the document's fault: no attempt is counted if the database is back. */
async function requeueOnDisconnect(job: Job, error: Unavailable): Promise<void> {
  const { claim, random = Math.random } = job
  const seconds = backoff(claim.attempt, undefined, random())
  if (!(await requeue(job.db, claim, seconds, ownFaults.noDatabase))) return
  log.warn('document_interrupted', { ...idsOf(job), error: describeError(error), seconds })
  await enqueue(job, job.work, seconds)
}

async function endInError(job: Job, failure: Failure): Promise<void> {
  if (!(await fail(job.db, job.claim, failure))) return
  report({ DocumentsFailed: 1 })
  log.warn('document_failed', { ...idsOf(job), code: failure.code })
}

/** The same message brings the next attempt: it becomes a dead letter when the document ends in error. */
async function recordFailedAttempt(job: Job, error: unknown): Promise<number> {
  const { claim, random = Math.random } = job
  const seconds = backoff(claim.attempt, undefined, random())
  log.error('attempt_failed', { ...idsOf(job), error: describeError(error) })
  if (claim.attempt >= maxAttempts) await endInError(job, attemptsFailed)
  else await requeue(job.db, claim, seconds, ownFaults.internalError, 'attempt')
  return seconds
}

function idsOf({ claim, work }: Job) {
  return {
    ...idsOfWork(work),
    revision: claim.revision,
    attempt: claim.attempt,
  }
}
