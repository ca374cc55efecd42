import { type Expression, sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import { uploadSeconds } from '../../files/upload-time.ts'
import type { DocumentId, OrganizationId } from '../../ids.ts'
import { fromNow, workKind } from '../../work/work-kind.ts'

/** An attempt is a delivery that may crash. */
export const processing = workKind('documents', 'd', { leaseSeconds: 150, maxAttempts: 5, lostAfterSeconds: 120 })
const maxPendingHours = 24
/** A file that has not arrived by then counts as missing. */
const lateUploadSeconds = 60

const d = columnsOf('documents', 'd')

/** True if the document's text is not extracted yet. */
export const awaitsText = sql<boolean>`(${d.source_url} is not null and ${d.content_hash} is null)`
export const isFile = sql<boolean>`(${d.source_url} is not null and ${d.content} is null)`
/** True if no file can arrive any more. */
export const isUploadOver = sql<boolean>`coalesce(${d.upload_until} < now(), true)`
export const isManagedByService = sql<boolean>`${d.managed_by} = 'service'`
/** True if search serves nothing of it, and neither the service nor the client has made chunks for it: all chunks were deleted. */
export const isEmptied = sql<boolean>`(not ${isManagedByService} and ${d.active_revision} is null and ${d.chunk_count} = 0)`
/** True if the text is there, and nobody has said yet whether the document replaces the one that it resembles. */
export const isHeld = sql<boolean>`(${d.status} = 'pending' and ${d.resembles} is not null and ${d.content_hash} is not null)`
export const isDue = sql<boolean>`(${isManagedByService} and ${d.status} = 'pending' and coalesce(${d.next_attempt_at}, now()) <= now()
  and not ${isHeld})`
export const isWaiting = sql<boolean>`(${d.status} = 'pending' and ${d.waiting_reason} is not null and ${d.next_attempt_at} is not null)`
/** True if the document waits for another day's tokens: only `postpone` lets its age begin in the future. */
export const isPostponed = sql<boolean>`(${isManagedByService} and ${d.status} = 'pending' and ${d.pending_since} > now())`
/** True if the file is unreported and may still arrive; a worker that looks for it may have claimed the document. */
export const isFileAwaited = sql<boolean>`(${awaitsText} and ${d.uploaded_at} is null and not ${isUploadOver})`
export const awaitsFile = sql<boolean>`(${isManagedByService} and ${d.status} = 'pending' and ${isFileAwaited})`
export const isFileMissing = sql<boolean>`(${awaitsFile} and ${d.upload_until} < ${fromNow(uploadSeconds - lateUploadSeconds)})`
export const mayReplaceFile = sql<boolean>`(${isFile} and (${awaitsFile} or ${d.status} = 'error'))`
export const isOverdue = sql<boolean>`(${isManagedByService} and ${d.status} = 'pending' and not ${isHeld}
  and ${d.pending_since} < now() - make_interval(hours => ${maxPendingHours}))`
export const isLeaseExpired = sql<boolean>`(${isManagedByService} and ${d.status} = 'processing' and ${processing.isLeaseExpired})`
export const hasAttemptsLeft = sql<boolean>`${d.attempt} < ${processing.maxAttempts}`

/** Includes the token's own claim, so that it may be repeated. */
export const isClaimable = (leaseToken: Expression<string | null>) =>
  sql<boolean>`(${isDue} or ${isLeaseExpired} and ${hasAttemptsLeft} or ${d.lease_token} = ${leaseToken})`

export interface Lease {
  organizationId: OrganizationId
  documentId: DocumentId
  revision: number
  leaseToken: string
}

/** True whether or not the lease is still held. */
export const isLeasedRevision = ({ organizationId, documentId, revision }: Lease) =>
  sql<boolean>`(${d.organization_id} = ${organizationId} and ${d.id} = ${documentId} and ${d.revision} = ${revision})`

/** The condition of every write of a worker: the lease is still held. */
export const leaseFence = (lease: Lease) =>
  sql<boolean>`(${isLeasedRevision(lease)} and ${d.lease_token} = ${lease.leaseToken})`
