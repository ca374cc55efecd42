import { randomUUID } from 'node:crypto'
import { backoff } from '../../shared/backoff.ts'
import type { Database } from '../../shared/database/database.ts'
import {
  type Failure,
  fileAttemptsFailed,
  fileNotUploaded,
  fileOverwritten,
  fileTooLarge,
  ownFaults,
} from '../../shared/documents/failures.ts'
import { enqueue } from '../../shared/documents/outbox.ts'
import { awaitUpload, fail, requeue } from '../../shared/documents/outcome.ts'
import { maxAttempts } from '../../shared/documents/transitions.ts'
import { type Bucket, FileOverwritten, FileTooLarge } from '../../shared/files/bucket.ts'
import { maxFileBytes } from '../../shared/files/file-types.ts'
import { fileNameOfKey } from '../../shared/files/file-url.ts'
import { describeError, log } from '../../shared/log.ts'
import { report } from '../../shared/metrics.ts'
import { idsOf as idsOfWork, type Queue, type Sender, type WorkMessage } from '../../shared/queue.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { type Claim, claim } from './claim.ts'
import { handOver } from './hand-over.ts'
import type { extractText } from './text/extract-text.ts'
import { Unreadable } from './text/unreadable.ts'

export interface Extraction {
  db: Database
  bucket: Pick<Bucket, 'get'>
  /** Of files whose text awaits extraction: where this Lambda's messages come from. */
  queue: Queue
  /** Where those go whose text is handed over. */
  embeddingQueue: Sender
  extractText: typeof extractText
  random?: () => number
}

/**
 * Makes the text of one file, and hands it over to the embedding Lambda. Safe to repeat and to run concurrently: the lease fences
 * whatever it writes.
 * @returns undefined when the message is done, else the seconds after which to redeliver it
 * @throws Unavailable without the database: let the visibility time-out redeliver the message
 */
export async function extractDocument(extraction: Extraction, work: WorkMessage): Promise<number | undefined> {
  const db = extraction.db.forOrganization(work.organizationId)
  const claimed = await claim(db, { ...work, leaseToken: randomUUID() })
  if (!claimed) return undefined
  // The row has the origin of this revision; the message may be of an older one.
  const job = { ...extraction, db, claim: claimed, work: { ...work, ...claimed.origin } }
  try {
    await extract(job)
  } catch (error) {
    if (error instanceof Unreadable)
      await endInError(job, { code: 'file_unreadable', message: error.message }, error.code)
    else if (error instanceof FileTooLarge) await endInError(job, fileTooLarge)
    else if (error instanceof FileOverwritten) await endInError(job, fileOverwritten)
    else if (error instanceof Unavailable) await requeueOnOutage(job, error)
    else return await recordFailedAttempt(job, error)
  }
  return undefined
}

interface Job extends Extraction {
  claim: Claim
  work: WorkMessage
}

async function extract(job: Job): Promise<void> {
  const { db, bucket, claim, work } = job
  const file = await bucket.get(claim.key, maxFileBytes, claim.eTag)
  if (!file) return await awaitFile(job)
  const started = performance.now()
  const extracted = await job.extractText(file.bytes, fileNameOfKey(claim.key), claim.organizationId)
  const milliseconds = Math.round(performance.now() - started)
  if (!(await handOver(db, claim, { ...extracted, eTag: file.eTag }))) return
  report({ FilesExtracted: 1, ExtractionMilliseconds: milliseconds })
  log.info('file_extracted', {
    ...idsOf(job),
    bytes: file.bytes.length,
    characters: extracted.text.length,
    milliseconds,
  })
  await enqueue({ db, queue: job.embeddingQueue }, { ...work, awaitsText: false })
}

/** The sweeper's next message looks again, until no file can arrive any more. */
async function awaitFile(job: Job): Promise<void> {
  const { db, claim } = job
  if (claim.isUploadOver) return await endInError(job, fileNotUploaded)
  if (await awaitUpload(db, claim)) log.info('upload_awaited', idsOf(job))
}

/** Neither the file's fault nor ours: no attempt is counted. */
async function requeueOnOutage(job: Job, error: Unavailable): Promise<void> {
  const { claim, random = Math.random } = job
  const seconds = backoff(claim.tries, undefined, random())
  const isDatabase = error.service === 'database'
  const reason = isDatabase ? ownFaults.noDatabase : ownFaults.noFile
  if (!(await requeue(job.db, claim, seconds, reason))) return
  if (!isDatabase) report({ DocumentsRetried: 1 })
  log.warn('document_interrupted', { ...idsOf(job), error: describeError(error), seconds })
  await enqueue(job, job.work, seconds)
}

/** @param fault what is wrong with the file, for the log */
async function endInError(job: Job, failure: Failure, fault?: string): Promise<void> {
  if (!(await fail(job.db, job.claim, failure))) return
  report({ DocumentsFailed: 1 })
  log.warn('document_failed', { ...idsOf(job), code: failure.code, fault })
}

/** The same message brings the next attempt: it becomes a dead letter when the document ends in error. */
async function recordFailedAttempt(job: Job, error: unknown): Promise<number> {
  const { claim, random = Math.random } = job
  const seconds = backoff(claim.attempt, undefined, random())
  log.error('attempt_failed', { ...idsOf(job), error: describeError(error) })
  if (claim.attempt >= maxAttempts) await endInError(job, fileAttemptsFailed)
  else await requeue(job.db, claim, seconds, ownFaults.internalError, 'attempt')
  return seconds
}

function idsOf({ claim, work }: Job) {
  return { ...idsOfWork(work), revision: claim.revision, attempt: claim.attempt }
}
