import { randomUUID } from 'node:crypto'
import { type ChunkSize, chunking } from '../../shared/chunking/chunker.ts'
import { type Semaphore, semaphore } from '../../shared/concurrency/semaphore.ts'
import { inTurns } from '../../shared/concurrency/steps.ts'
import { hashContent } from '../../shared/documents/client/documents.ts'
import { attemptsFailed } from '../../shared/documents/contract/failures.ts'
import {
  type Attempt,
  endInError,
  logged,
  releaseDocument,
  retryLater,
  settle,
  type Worker,
} from '../../shared/documents/processing/attempt.ts'
import { leaseFence, processing } from '../../shared/documents/processing/guards.ts'
import * as transitions from '../../shared/documents/processing/transitions.ts'
import { corrected } from '../../shared/documents/text/corrections.ts'
import { movedStarts } from '../../shared/documents/text/page-starts.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { assumedModel, embedderOf } from '../../shared/embedding/serving-embedder.ts'
import { type Change, ChecksFail, commit, outdated } from '../../shared/knowledge/commit.ts'
import { releaseTokens, TokensUsedUp } from '../../shared/limits/tokens.ts'
import { log } from '../../shared/telemetry/log.ts'
import { report } from '../../shared/telemetry/metrics.ts'
import { backoff } from '../../shared/time/backoff.ts'
import type { Message } from '../../shared/work/message.ts'
import { batches, type CallLimits, tokensOf } from './batches.ts'
import type { RevisionClaim } from './claim.ts'
import { ChunkRejected, embedMissing } from './embed-missing.ts'
import { blocked, chunkRejected, tooManyChunks } from './failure.ts'
import { findResembled } from './resembled.ts'
import { planRevision } from './revision-plan.ts'
import { revisionStore, textsPerPart } from './revision-store.ts'
import type { SharedRequests } from './shared-requests.ts'
import type { Completion, Part } from './stored-chunks.ts'

export interface Pipeline extends Worker {
  embedder: Embedder
  chunkSize: ChunkSize
  callLimits: CallLimits
  semaphore: Semaphore
}

interface Job extends Pipeline, Attempt<RevisionClaim> {
  shared: SharedRequests
}

const maxChunks = 10_000
/** More than all workers may have in flight: with this many left, a small document counts its tokens only when it completes. */
const plentyOfTokens = 12_000_000
/** The time left below which no provider request begins. */
const lastCallMilliseconds = 30_000
/** The time left below which requests in flight are cancelled. */
const requeueMilliseconds = 10_000

/** @returns undefined when the message is done, else the seconds after which to redeliver it. @throws Unavailable without the database */
export async function processDocument(
  pipeline: Pipeline,
  shared: SharedRequests,
  message: Message<'document'>,
  remaining: () => number,
): Promise<number | undefined> {
  const { organizationId, id: documentId } = message
  const db = pipeline.db.forOrganization(organizationId)
  const claim = await shared.claim({ organizationId, documentId, leaseToken: randomUUID() })
  if (!claim) return undefined
  const job = { ...pipeline, db, shared, claim }
  try {
    const content = corrected(claim.content, claim.corrections)
    const pageStarts = claim.pageStarts && movedStarts(claim.pageStarts, claim.content, content)
    const read = { ...job, claim: { ...claim, content, pageStarts } }
    if (content !== claim.content && !(await storeCorrected(read))) return undefined
    await embedRevision(read, remaining)
  } catch (error) {
    if (error instanceof ChunkRejected) await endInError(job, chunkRejected(error))
    else if (error instanceof ChecksFail) await endInError(job, blocked(error))
    else if (error instanceof EmbeddingError) await scheduleRetry(job, error)
    else if (error instanceof TokensUsedUp) await waitForTokens(job, error)
    else return await settle(job, error, attemptsFailed)
  }
  return undefined
}

/** Stores a file's newly extracted text with its corrections. @returns false when the lease is lost */
async function storeCorrected({ db, claim }: Job): Promise<boolean> {
  const corrected = transitions.correct(claim.content, hashContent(claim.content), claim.pageStarts)
  return (await processing.update(leaseFence(claim), corrected).execute(db)).rows.length > 0
}

const unlimited = semaphore(Number.POSITIVE_INFINITY)

async function embedRevision(job: Job, remaining: () => number): Promise<void> {
  const { db, shared, claim, callLimits: limits } = job
  const embedder = embedderFor(job)
  const other = claim.mayReplace ? await findResembled(db, claim) : undefined
  if (other) return await hold(job, other)
  const chunks = await inTurns(chunking(claim.content, job.chunkSize))
  if (chunks.length > maxChunks) return await endInError(job, tooManyChunks(chunks.length, maxChunks))
  const plan = planRevision(claim, chunks, embedder.model)
  const { missing } = plan
  report({ ChunksReused: chunks.length - missing.length })
  const revision = revisionStore(db, claim, plan)
  const isSmall = missing.length <= textsPerPart && batches(missing, limits).length === 1
  const isCountedLater = isSmall && claim.tokensLeft > plentyOfTokens
  let spent = 0
  const ending = await embedMissing(missing, {
    ...(isSmall
      ? { embedder: shared.embedderFor(embedder), semaphore: unlimited }
      : { embedder, semaphore: job.semaphore }),
    limits,
    mayCall: () => remaining() > lastCallMilliseconds,
    async reserve(call) {
      if (isCountedLater) spent += tokensOf(call)
      else await shared.reserve({ organizationId: claim.organizationId, tokens: tokensOf(call) })
    },
    async release(call) {
      if (isCountedLater) spent -= tokensOf(call)
      else await releaseTokens(db, claim.organizationId, tokensOf(call))
    },
    signal: AbortSignal.timeout(Math.max(0, Math.floor(remaining()) - requeueMilliseconds)),
    async store(embedded) {
      const isStored = await revision.store(embedded)
      if (isStored) report({ ChunksEmbedded: embedded.length })
      return isStored
    },
  })
  if (ending === 'out_of_time') return await requeueOnTimeout(job)
  if (ending === 'lease_lost' || !(await switchRevision(job, { ...revision.lastPart(), spent }, remaining))) return
  report({ DocumentsCompleted: 1, PendingMilliseconds: Math.round(claim.pendingMilliseconds) })
  log.info('document_completed', { ...logged(claim), chunks: chunks.length, embedded: missing.length })
}

/** The embedder of the model that serves the agent. @throws EmbeddingError if the settings name none for it */
function embedderFor({ claim: { model, isServing }, embedder }: Job): Embedder {
  const found = embedderOf(embedder, model ?? (isServing ? assumedModel(embedder) : embedder.model))
  if (found) return found
  throw new EmbeddingError('wrong_model', 'The service has no provider for the embedding model that serves the agent.')
}

/** Holds the document until a person answers in the dashboard; none of its chunks are stored before. */
async function hold({ db, claim }: Job, other: string): Promise<void> {
  const { rows } = await processing.update(leaseFence(claim), transitions.hold(other)).execute(db)
  if (rows.length > 0) log.info('document_held', { ...logged(claim), resembles: other })
}

/** Serves the revision. @returns false if another revision stays served */
async function switchRevision(job: Job, last: Part, remaining: () => number): Promise<boolean> {
  const { db, shared, claim } = job
  const { organizationId, documentId } = claim
  const { plan } = last
  const effect = { document_id: documentId, action: 'serves', chunk_count: plan.chunks.length } as const
  let isStored = false
  const change: Change<Completion | 'out_of_time'> = {
    effects: [effect],
    ignores: claim.ignoresChecks,
    async make(permit) {
      const completion = await shared.complete({ ...(isStored ? { claim, plan } : last), permit })
      isStored = true
      if (completion !== 'outdated') return completion
      return remaining() > requeueMilliseconds ? outdated : 'out_of_time'
    },
    isMade: (completion) => completion === 'served',
    served: {
      scope: claim,
      chunks: { title: claim.title, revision: claim.revision, chunk_count: plan.chunks.length, chunks: plan.chunks },
    },
  }
  const renewal = {
    embedder: embedderFor(job),
    reserveTokens: (tokens: number) => shared.reserve({ organizationId, tokens }),
    releaseTokens: (tokens: number) => releaseTokens(db, organizationId, tokens),
  }
  const completion = await commit(db, claim, () => change, { renewal, turns: shared.turns })
  if (completion === 'other_model' || completion === 'out_of_time') await requeueOnTimeout(job)
  return completion === 'served'
}

async function requeueOnTimeout(job: Job): Promise<void> {
  if (await retryLater(job, 0, null)) log.info('document_requeued', logged(job.claim))
}

/** Retries without limit, since the provider is busy, down or rejects our key. */
async function scheduleRetry(job: Job, { retryAfterSeconds, reason, status, message }: EmbeddingError): Promise<void> {
  const { claim, random = Math.random } = job
  const seconds = backoff(claim.retries, retryAfterSeconds, random())
  log.warn('document_retry_scheduled', { ...logged(claim), reason, status, error: message, seconds })
  if (await retryLater(job, seconds, message, 'retry')) report({ DocumentsRetried: 1 })
}

const dayBeginsWithinSeconds = 600

/** Waits for the next day's tokens. No attempt is counted. */
async function waitForTokens(job: Job, error: TokensUsedUp): Promise<void> {
  const { claim, random = Math.random } = job
  const seconds = error.seconds + random() * dayBeginsWithinSeconds
  if (!(await releaseDocument(job, (counters) => transitions.postpone(seconds, counters, error.message)))) return
  report({ DocumentsPostponed: 1 })
  log.warn('document_postponed', { ...logged(claim), seconds })
}
