import { type Expression, sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { PageStart, SourceType, Status } from '../../database/tables.ts'
import { uploadSeconds } from '../../files/upload-time.ts'
import type { Origin } from '../../work/message.ts'
import { type Change, fromNow, now, requestedBy } from '../../work/work-kind.ts'
import { type Failure, ownFaults } from '../contract/failures.ts'
import { processing } from './guards.ts'

/**
 * Every transition of a document. Each is an argument of Kysely's `set` for `documents as d`; the guard (guards.ts) says which rows may make it.
 *
 * | from                       | event                            | to                                        | transition, guard               |
 * |----------------------------|----------------------------------|-------------------------------------------|---------------------------------|
 * | –                          | created with content             | pending, service                          | `create`                        |
 * | –                          | created without content          | pending, client                           | `create`                        |
 * | –                          | created for a file               | pending, service, awaits its text         | `create`                        |
 * | any                        | PATCH: other content; retry; restore | pending, service, new revision            | `restart`, edits.ts             |
 * | all its chunks deleted     | PATCH: the same content          | the same                                  | `restart`, `isEmptied`          |
 * | any, was a file            | PATCH: retry                     | the same, and awaits its text             | `restart`, `awaitText`          |
 * | any, was a file            | its text is corrected            | the same, and remains a file              | `restart`, `correct`            |
 * | any, was a file            | PATCH: content                   | the same, and no longer a file            | `restart`, `becomeText`         |
 * | any, page of a source      | PATCH: content                   | the same, and is the client's own         | `restart`, `leaveSource`        |
 * | its file is missing, error | another file is announced        | the same, and awaits that file            | `restart`, `awaitFile`, `mayReplaceFile` |
 * | pending, awaits its file   | the uploader reports the file    | the same, queued                          | `reportUpload`, `awaitsFile`    |
 * | any, service               | first upload of chunks           | pending, client, new revision, no chunks  | `takeOver`, `isManagedByService` |
 * | any                        | all chunks deleted               | pending, client, new revision, not served | `empty`                         |
 * | pending, client            | PATCH: completed                 | completed, served                         | `complete`, edits.ts            |
 * | pending and due            | a worker claims it               | processing                                | `claim`, `isClaimable`          |
 * | processing, lease expired  | a worker claims it               | processing                                | `claim`, `isClaimable`          |
 * | processing, awaits text    | its text is extracted            | pending, for the embedding Lambda         | `handOver`, `leaseFence`        |
 * | processing                 | its file's text has corrections  | the same, with the corrected text         | `correct`, `leaseFence`         |
 * | processing                 | it resembles another document    | pending, held                             | `hold`, `leaseFence`            |
 * | pending, held              | a person keeps both              | pending, for the embedding Lambda         | `keepBoth`, `isHeld`            |
 * | any, service               | a held document replaces it      | pending, new revision; the other goes     | `restart`, `isHeld`             |
 * | processing                 | its chunks all have vectors      | completed, served                         | `complete`, `leaseFence`        |
 * | processing, awaits text    | a page is recognised             | the same, its lease renewed               | `progress`, `leaseFence`        |
 * | processing, awaits text    | its file is not there yet        | pending, due in two minutes               | `awaitUpload`, `leaseFence`     |
 * | processing                 | provider, database or time fails | pending, due later                        | `requeue`, `leaseFence`         |
 * | processing                 | tokens of the day are used up    | pending, due the next day                 | `postpone`, `leaseFence`        |
 * | processing                 | rejected for good                | error                                     | `fail`, `leaseFence`            |
 * | processing, lease expired  | swept                            | pending                                   | `recover`, `isLeaseExpired`     |
 * | the same after 5 attempts  | swept                            | error                                     | `fail`, `isLeaseExpired`        |
 * | pending for 24 hours       | swept                            | error                                     | `fail`, `isOverdue`             |
 * | any                        | put into the trash               | as if it were completed, not served       | `discard`                       |
 * | in the trash               | restored                         | what it was; processing becomes pending   | `bringBack`, `isInTrash`        |
 *
 * The service or the client manages a document. While a document of the service awaits its text (`awaitsText`), the extraction Lambda
 * processes it; after that, the embedding Lambda does.
 *
 * Triggers on the row add to any statement (infra/migrations/current): `touch_document` the `version` and `updated_at`,
 * `count_client_edit` the `edits`, `count_searchable_chunks` and `count_served_change` the counts, the agent's tool and its versions,
 * `limit_restarted_documents` the pipeline's limit, `mark_replaced_file_obsolete` the deletion of the file, and `keep_revision`
 * a served revision whose text the row no longer has.
 */
export type Transition = Change<'documents'>

const d = columnsOf('documents', 'd')

interface ExtractedText {
  extracted_text: string
  page_starts: string | null
  file_notes: string
  content_hash: Buffer
  source_type: SourceType
  file_etag: string
}

const noLease = processing.released
const noError = { error_code: null, error_message: null } satisfies Transition
const zeroCounters = { tries: 0, attempt: 0, retry_count: 0 } satisfies Transition
const noWait = { next_attempt_at: null, waiting_reason: null } satisfies Transition
const settled = { ...noLease, ...noError, ...zeroCounters, ...noWait, planned_chunk_count: null } satisfies Transition
/** Voids all work in flight: a worker's fence names the revision. */
const newRevision = { revision: sql<number>`${d.revision} + 1`, ...settled } satisfies Transition

export const create = (hasContent: boolean, origin: Origin) =>
  ({
    status: 'pending',
    managed_by: hasContent ? 'service' : 'client',
    ...requestedBy(origin),
    revised_by: origin.by ?? null,
  }) as const

/** Search serves the same revision as before. The caller deletes the chunks of a client's draft. */
export const restart = (origin: Origin): Transition => ({
  status: 'pending',
  managed_by: 'service',
  ...newRevision,
  chunk_count: servedChunks,
  ...requestedBy(origin),
  pending_since: now,
  ...processing.sent(),
})

const noPages = { pages_read: null, pages: null } satisfies Transition
const noText = { extracted_text: null, page_starts: null, file_notes: '[]', ...noPages } satisfies Transition
export const awaitText = { ...noText, content_hash: null, uploaded_at: now } satisfies Transition

/** Makes a file's document a text document; the file is deleted. */
export const becomeText = {
  source_type: 'manual',
  source_url: null,
  file_bytes: null,
  ...noText,
  corrections: '[]',
  resembles: null,
} satisfies Transition

/** Makes a page of a source a document of the client's own, which no crawl changes any more. */
export const leaveSource = {
  source_id: null,
  source_type: sql<SourceType>`case when ${d.source_id} is null then ${d.source_type} else 'manual' end`,
} satisfies Transition

/** Changes the file's text; the document remains a file. */
export const correct = (extracted_text: string, content_hash: Buffer, starts: readonly PageStart[] | null) =>
  ({ extracted_text, content_hash, page_starts: starts && JSON.stringify(starts) }) satisfies Transition

/** The caller makes the form that posts the file at the same time, so both expire together. */
export const awaitFile = (file: { source_url: string; source_type: SourceType; file_bytes: number }) =>
  ({ ...file, upload_until: fromNow(uploadSeconds), uploaded_at: null, file_etag: null }) satisfies Transition

/** The document's age begins here, since the time of the upload does not count as processing. */
export const reportUpload = {
  uploaded_at: now,
  pending_since: now,
  ...processing.sent(),
} satisfies Transition

/** The counters of the extraction do not count against the embedding. */
export const handOver = (text: ExtractedText): Transition => ({
  status: 'pending',
  ...text,
  ...noPages,
  ...noLease,
  ...zeroCounters,
  ...noWait,
  ...processing.sent(),
})

const ofClient = { status: 'pending', managed_by: 'client', ...newRevision, chunk_count: 0, resembles: null } as const

/** @param requested_by the id of the client's key */
export const takeOver = (requested_by: string): Transition => ({ ...ofClient, requested_by })

export const empty = (requested_by: string): Transition => ({
  ...takeOver(requested_by),
  active_revision: null,
  chunk_offsets: null,
  chunk_pages: null,
})

/** Search serves this revision from now on. The caller deletes the chunks of all others. */
export const complete = {
  status: 'completed',
  active_revision: d.revision,
  served_at: sql<Date>`case when ${d.active_revision} >= ${d.text_revision} then ${d.served_at} else now() end`,
  chunk_offsets: null,
  chunk_pages: null,
  ...settled,
} satisfies Transition

export const claim = (leaseToken: Expression<string | null>): Transition => ({
  status: 'processing',
  ...processing.claimed(leaseToken),
  tries: sql<number>`${d.tries} + ${processing.isNewClaim(leaseToken)}`,
  next_attempt_at: null,
})

/** Renews the lease of a long extraction that is alive. */
export const progress = (pages_read: number, pages: number): Transition => ({
  pages_read,
  pages,
  ...processing.renewed,
})

/** @param reason why the document waits, for the caller; null if it does not, and only continues with another message */
export const requeue = (
  afterSeconds: number,
  counters: { attempt: number; retry_count: number },
  reason: string | null,
): Transition => ({
  status: 'pending',
  ...noLease,
  ...counters,
  waiting_reason: reason,
  next_attempt_at: fromNow(afterSeconds),
  ...processing.sent(afterSeconds),
})

/** Clears a report of the file that was wrong, so that the next one counts. */
export const awaitUpload = (counters: { attempt: number; retry_count: number }): Transition => ({
  ...requeue(0, counters, null),
  uploaded_at: null,
})

/** Waits until a person says whether the document replaces the other one. */
export const hold = (resembles: string): Transition => ({
  status: 'pending',
  resembles,
  ...noLease,
  ...zeroCounters,
  ...noWait,
})

export const keepBoth = { resembles: null, may_replace: false } satisfies Transition

/** Waits without becoming overdue: its age begins, and the sweeper sends its message, when it is due. */
export const postpone = (...[afterSeconds, counters, reason]: Parameters<typeof requeue>): Transition => ({
  ...requeue(afterSeconds, counters, reason),
  pending_since: fromNow(afterSeconds),
  resend_at: fromNow(afterSeconds),
})

interface FailureOfRow extends Omit<Failure, 'message'> {
  message: Failure['message'] | Expression<string>
}

export const fail = ({ code, message }: FailureOfRow): Transition => ({
  status: 'error',
  error_code: code,
  error_message: message,
  ...noLease,
  ...noWait,
})

export const recover = {
  status: 'pending',
  ...noLease,
  next_attempt_at: now,
  waiting_reason: ownFaults.interrupted,
  // Somebody other than its worker may have ended the lease early.
  resend_at: sql<Date>`${d.lease_expires_at}`,
} satisfies Transition

/** Takes the document out of search, out of work and out of its source, and frees its external id. */
export const discard = {
  deleted_at: now,
  before_deletion: sql<string>`jsonb_build_object('status', ${d.status}, 'active_revision', ${d.active_revision},
    'external_id', ${d.external_id}, 'source_id', ${d.source_id})`,
  status: sql<Status>`case when ${d.status} = 'error' then 'error' else 'completed' end`,
  active_revision: null,
  external_id: null,
  source_id: null,
  ...noLease,
} satisfies Transition

/** The values that a document in the trash had before. */
export const before = {
  status: sql<Status>`(${d.before_deletion} ->> 'status')`,
  active_revision: sql<number | null>`(${d.before_deletion} ->> 'active_revision')::int`,
  external_id: sql<string | null>`(${d.before_deletion} ->> 'external_id')`,
  source_id: sql<string | null>`(${d.before_deletion} ->> 'source_id')::uuid`,
}

const isFailed = sql<boolean>`(${before.status} = 'error')`
const followed = sql<string | null>`(select s.id from sources s
  where s.organization_id = ${d.organization_id} and s.id = ${before.source_id} and s.status <> 'deleting')`

/** Search serves the document at once. A page whose source is gone becomes a document of the client's own. */
export const bringBack = {
  deleted_at: null,
  before_deletion: null,
  status: sql<Status>`case ${before.status} when 'processing' then 'pending' else ${before.status} end`,
  active_revision: before.active_revision,
  external_id: before.external_id,
  source_id: followed,
  source_type: sql<SourceType>`case when ${before.source_id} is null or ${followed} is not null then ${d.source_type} else 'manual' end`,
  error_code: sql<string | null>`case when ${isFailed} then ${d.error_code} end`,
  error_message: sql<string | null>`case when ${isFailed} then ${d.error_message} end`,
  ...zeroCounters,
  ...noWait,
  pending_since: now,
  ...processing.sent(),
} satisfies Transition

const c = columnsOf('chunks', 'c')
const servedChunks = sql<number>`(select count(*) from chunks c
  where ${c.organization_id} = ${d.organization_id} and ${c.document_id} = ${d.id} and ${c.revision} <= ${d.active_revision})`
