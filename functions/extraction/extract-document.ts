import { randomUUID } from 'node:crypto'
import {
  type Attempt,
  endInError,
  logged,
  release,
  settle,
  type Worker,
  workOf,
} from '../../shared/documents/attempt.ts'
import { fileAttemptsFailed, fileNotUploaded, fileOverwritten, fileTooLarge } from '../../shared/documents/failures.ts'
import { enqueue } from '../../shared/documents/outbox.ts'
import * as transitions from '../../shared/documents/transitions.ts'
import { type Bucket, FileOverwritten, FileTooLarge } from '../../shared/files/bucket.ts'
import { maxFileBytes } from '../../shared/files/file-types.ts'
import { fileNameOfKey } from '../../shared/files/file-url.ts'
import { log } from '../../shared/log.ts'
import { report } from '../../shared/metrics.ts'
import type { Sender, WorkMessage } from '../../shared/queue.ts'
import { claim, type FileClaim } from './claim.ts'
import { handOver } from './hand-over.ts'
import type { extractText } from './text/extract-text.ts'
import { Unreadable } from './text/unreadable.ts'

export interface Extraction extends Worker {
  bucket: Pick<Bucket, 'get'>
  embeddingQueue: Sender
  extractText: typeof extractText
}

type Job = Extraction & Attempt<FileClaim>

/** @returns undefined when the message is done, else the seconds after which to redeliver it. @throws Unavailable without the database */
export async function extractDocument(extraction: Extraction, message: WorkMessage): Promise<number | undefined> {
  const db = extraction.db.forOrganization(message.organizationId)
  const claimed = await claim(db, { ...message, leaseToken: randomUUID() })
  if (!claimed) return undefined
  const job = { ...extraction, db, claim: claimed }
  try {
    await extract(job)
  } catch (error) {
    if (error instanceof Unreadable)
      await endInError(job, { code: 'file_unreadable', message: error.message }, error.code)
    else if (error instanceof FileTooLarge) await endInError(job, fileTooLarge)
    else if (error instanceof FileOverwritten) await endInError(job, fileOverwritten)
    else return await settle(job, error, fileAttemptsFailed)
  }
  return undefined
}

async function extract(job: Job): Promise<void> {
  const { db, bucket, claim } = job
  const file = await bucket.get(claim.key, maxFileBytes, claim.eTag)
  if (!file) return await awaitFile(job)
  const started = performance.now()
  const extracted = await job.extractText(file.bytes, fileNameOfKey(claim.key), claim.organizationId)
  const milliseconds = Math.round(performance.now() - started)
  if (!(await handOver(db, claim, { ...extracted, eTag: file.eTag }))) return
  report({ FilesExtracted: 1, ExtractionMilliseconds: milliseconds })
  const [bytes, characters] = [file.bytes.length, extracted.text.length]
  log.info('file_extracted', { ...logged(claim), bytes, characters, milliseconds })
  await enqueue({ db, queue: job.embeddingQueue }, workOf(claim))
}

/** The sweeper's next message looks again, until no file can arrive any more. */
async function awaitFile(job: Job): Promise<void> {
  if (job.claim.isUploadOver) return await endInError(job, fileNotUploaded)
  if (await release(job, transitions.awaitUpload)) log.info('upload_awaited', logged(job.claim))
}
