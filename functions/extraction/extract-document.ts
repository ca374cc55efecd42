import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { hashContent } from '../../shared/documents/client/documents.ts'
import {
  fileAttemptsFailed,
  fileNotUploaded,
  fileOverwritten,
  fileTooLarge,
} from '../../shared/documents/contract/failures.ts'
import {
  type Attempt,
  type Claim,
  type Claimant,
  claimDocuments,
  endInError,
  logged,
  releaseDocument,
  settle,
  toClaim,
  type Worker,
  workOf,
} from '../../shared/documents/processing/attempt.ts'
import {
  awaitsText,
  isLeasedRevision,
  isUploadOver,
  type Lease,
  leaseFence,
  processing,
} from '../../shared/documents/processing/guards.ts'
import * as transitions from '../../shared/documents/processing/transitions.ts'
import { type Bucket, FileOverwritten, FileTooLarge } from '../../shared/files/bucket.ts'
import { maxFileBytes } from '../../shared/files/file-types.ts'
import { fileNameOfKey, keyOfUrl } from '../../shared/files/file-url.ts'
import { log } from '../../shared/telemetry/log.ts'
import { report } from '../../shared/telemetry/metrics.ts'
import { Unreadable } from '../../shared/text/unreadable.ts'
import type { Message } from '../../shared/work/message.ts'
import { enqueue, type Sender } from '../../shared/work/outbox.ts'
import { progressWriter } from './progress.ts'
import type { extractText } from './text/extract-text.ts'
import type { Extracted } from './text/read-file.ts'

export interface Extraction extends Worker {
  bucket: Pick<Bucket, 'get'>
  embeddingQueue: Sender
  extractText: typeof extractText
}

interface FileClaim extends Claim {
  key: string
  /** The ETag of the file whose text was extracted before, if any. */
  eTag: string | null
  isUploadOver: boolean
}

type Job = Extraction & Attempt<FileClaim>

/** @returns undefined when the message is done, else the seconds after which to redeliver it. @throws Unavailable without the database */
export async function extractDocument(
  extraction: Extraction,
  message: Message<'document'>,
): Promise<number | undefined> {
  const { organizationId, id: documentId } = message
  const db = extraction.db.forOrganization(organizationId)
  const claimed = await claimFile(db, { organizationId, documentId, leaseToken: randomUUID() })
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
  const progress = progressWriter(job)
  const extracted = await job.extractText(file.bytes, fileNameOfKey(claim.key), claim.organizationId, progress.report)
  await progress.written()
  const milliseconds = Math.round(performance.now() - started)
  if (!(await handOver(db, claim, { ...extracted, eTag: file.eTag }))) return
  report({ FilesExtracted: 1, ExtractionMilliseconds: milliseconds })
  const [bytes, characters] = [file.bytes.length, extracted.text.length]
  log.info('file_extracted', { ...logged(claim), bytes, characters, milliseconds })
  await enqueue({ db, queue: job.embeddingQueue }, workOf(claim))
}

/** Waits for the file: the sweeper's next message looks again, until no file can arrive any more. */
async function awaitFile(job: Job): Promise<void> {
  if (job.claim.isUploadOver) return await endInError(job, fileNotUploaded)
  if (await releaseDocument(job, transitions.awaitUpload)) log.info('upload_awaited', logged(job.claim))
}

async function claimFile(db: Database, claimant: Claimant): Promise<FileClaim | undefined> {
  const row = await claimDocuments(db, [claimant])
    .where(awaitsText)
    .returning(['d.source_url', 'd.file_etag', isUploadOver.as('is_upload_over')])
    .executeTakeFirst()
  if (!row) return undefined
  return { ...toClaim(row), key: keyOfUrl(row.source_url!), eTag: row.file_etag, isUploadOver: row.is_upload_over }
}

/** Can be repeated: it then finds its own text on the unclaimed row. @returns false when the lease is lost */
async function handOver(
  db: Database,
  lease: Lease,
  { text, notes = [], pageStarts = [], sourceType, title, eTag }: Extracted & { eTag: string },
): Promise<boolean> {
  const content_hash = hashContent(text)
  const file_notes = JSON.stringify(notes)
  const page_starts = pageStarts.length > 0 ? JSON.stringify(pageStarts) : null
  const extracted = {
    extracted_text: text,
    page_starts,
    file_notes,
    content_hash,
    source_type: sourceType,
    file_etag: eTag,
  }
  const { handedOver } = await db.batch({
    ...(title !== undefined && {
      titled: sql`update documents d set title = ${title} where ${leaseFence(lease)} and d.title_from_file`,
    }),
    handedOver: processing.update(
      sql`${isLeasedRevision(lease)} and (d.lease_token = ${lease.leaseToken}
        or d.status = 'pending' and d.content_hash = ${content_hash} and d.tries = 0)`,
      transitions.handOver(extracted),
    ),
  })
  return handedOver.length > 0
}
