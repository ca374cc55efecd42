import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import { type AgentScope, type DocumentScope, isDocument } from '../../database/scope.ts'
import { fileExtensions, fileTypeOf, maxFileBytes } from '../../files/file-types.ts'
import { keyOfUrl, newFile, toFileName } from '../../files/file-url.ts'
import { ApiError } from '../../http/errors.ts'
import type { IdempotentRequest } from '../../http/idempotency.ts'
import { requireDocument } from '../../http/not-found.ts'
import { type DocumentId, newId } from '../../ids.ts'
import type { Origin } from '../../work/message.ts'
import { enqueue, type Outbox } from '../../work/outbox.ts'
import type { DocumentRow } from '../contract/document.ts'
import type { CreateInput } from '../contract/input.ts'
import { awaitsFile, mayReplaceFile, processing } from '../processing/guards.ts'
import { rejectPastQuota } from '../processing/quotas.ts'
import { awaitFile, awaitText, create, reportUpload, restart } from '../processing/transitions.ts'
import { selectDocument } from './chunks.ts'
import { insertDocuments } from './insert-document.ts'

type AnnouncedFile = { fileName: string; fileBytes: number; bucket: string }

interface NewFileOptions {
  mayReplace?: boolean
  replaces?: DocumentId | undefined
  request?: IdempotentRequest | undefined
}

type NewFile = AnnouncedFile &
  Pick<CreateInput, 'external_id' | 'metadata' | 'valid_from' | 'valid_until'> & { title?: string | undefined }

/**
 * Creates the document of a file that is yet to be posted under `key`. `reportFile`, or a sweep, queues it.
 * `replayed`: an earlier attempt has created it.
 * @param mayReplace asks a person, before it is served, whether it replaces `replaces`, or a document that it resembles
 * @throws ApiError agent_not_found, document_not_found, validation_failed, rate_limited, idempotency_key_reused, idempotency_in_progress
 */
export async function createFileDocument(
  db: Database,
  scope: AgentScope,
  { title: givenTitle, external_id, metadata, valid_from, valid_until, ...announced }: NewFile,
  origin: Origin,
  { mayReplace = false, replaces, request }: NewFileOptions = {},
): Promise<{ document: DocumentRow; key: string; replayed: boolean }> {
  const id = newId() as DocumentId
  const { columns } = toFile({ ...scope, documentId: id }, announced)
  const title = givenTitle ?? titleOfName(announced.fileName)
  const given = { external_id, metadata, valid_from, valid_until }
  const document = { id, title, title_from_file: givenTitle === undefined, ...given }
  const file = {
    ...columns,
    ...(mayReplace && { may_replace: true }),
    ...(replaces && {
      resembles: sql`(select d.id from documents d where ${isDocument({ ...scope, documentId: replaces })})`,
    }),
  }
  const made = { documents: [{ ...document, ...create(true, origin) }], file }
  const { rows, replayed } = await insertDocuments(db, scope, made, request)
  const row = rows[0]!
  return { document: { title, content: null, ...row }, key: keyOfUrl(row.source_url!), replayed }
}

/**
 * Has the document await another file, to be posted under `key`.
 * @throws ApiError agent_not_found, document_not_found, validation_failed, rate_limited, invalid_transition
 */
export async function replaceFile(
  db: Database,
  scope: DocumentScope,
  announced: AnnouncedFile,
  origin: Origin,
): Promise<{ key: string }> {
  const { key, columns } = toFile(scope, announced)
  const { documents, replaced } = await db
    .batch({
      documents: selectDocument(db, scope),
      replaced: processing.update(sql`${isDocument(scope)} and ${mayReplaceFile}`, {
        ...{ ...restart(origin), ...awaitText, ...columns },
      }),
    })
    .catch(rejectPastQuota)
  await requireDocument(db, scope, documents)
  if (replaced.length === 0)
    throw new ApiError('invalid_transition', 'Only a file that is missing or could not be read can be replaced.')
  return { key }
}

/** Queues a document for extraction, once, after its file has been posted. @throws ApiError agent_not_found, document_not_found */
export async function reportFile({ db, queue }: Outbox, scope: DocumentScope, origin: Origin): Promise<void> {
  const { documents, reported } = await db.batch({
    documents: selectDocument(db, scope),
    reported: processing.update(sql`${isDocument(scope)} and ${awaitsFile}`, reportUpload),
  })
  await requireDocument(db, scope, documents)
  const { organizationId, documentId } = scope
  if (reported.length > 0)
    await enqueue({ db, queue }, { organizationId, kind: 'document', id: documentId, awaitsText: true, ...origin })
}

function toFile({ organizationId, documentId }: DocumentScope, { fileName, fileBytes, bucket }: AnnouncedFile) {
  const name = toFileName(fileName)
  const type = fileTypeOf(name)
  if (!type) throw new ApiError('validation_failed', `The file’s name must end in one of ${fileExtensions.join(', ')}.`)
  if (!(fileBytes > 0)) throw new ApiError('validation_failed', 'The file is empty.')
  if (fileBytes > maxFileBytes) throw new ApiError('validation_failed', 'A file may have at most 50 MB.')
  const { key, url } = newFile(bucket, organizationId, documentId, name)
  return { key, columns: awaitFile({ source_url: url, source_type: type, file_bytes: fileBytes }) }
}

export function titleOfName(fileName: string): string {
  const inLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return [...(inLine(fileName.replace(/\.\w+$/, '')) || inLine(fileName))].slice(0, 500).join('')
}
