import type { Insertable } from 'kysely'
import type { Database } from '../database/database.ts'
import { type AgentScope, agentNotFound } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { fileExtensions, fileTypeOf, maxFileBytes } from '../files/file-types.ts'
import { toFileName, toFileUrl, toKey } from '../files/file-url.ts'
import { ApiError } from '../http/errors.ts'
import { type DocumentId, newId } from '../ids.ts'
import type { Origin } from '../queue.ts'
import { titleTerms } from '../terms/indexed-terms.ts'
import { createdColumns, type DocumentRow } from './document.ts'
import { insertDocument, rejectPastLimit } from './insert-document.ts'
import { create } from './transitions.ts'

export interface FileInput {
  /** As the schema `title` leaves it. */
  title: string
  /** As the browser has it; its extension says what the file is. */
  fileName: string
  /** As the browser announces it. */
  fileBytes: number
  /** Name of the bucket that the file will be posted to. */
  bucket: string
}

/**
 * The document of a file that is yet to be posted under `key`. Nothing is queued: the bucket reports when the file is there.
 * @throws ApiError agent_not_found; validation_failed for a file that is empty, too large or of a type without text, and past the
 * agent's limit
 */
export async function createFileDocument(
  db: Database,
  scope: AgentScope,
  { title, fileName, fileBytes, bucket }: FileInput,
  origin: Origin,
): Promise<{ document: DocumentRow; key: string }> {
  const name = toFileName(fileName)
  const type = fileTypeOf(name)
  if (!type) throw new ApiError('validation_failed', `The file’s name must end in one of ${fileExtensions.join(', ')}.`)
  if (!(fileBytes > 0)) throw new ApiError('validation_failed', 'The file is empty.')
  if (fileBytes > maxFileBytes) throw new ApiError('validation_failed', 'A file may have at most 50 MB.')
  const id = newId() as DocumentId
  const file = { organizationId: scope.organizationId, documentId: id, fileName: name }
  const row = {
    organization_id: scope.organizationId,
    id,
    agent_id: scope.agentId,
    title,
    title_terms: titleTerms(title),
    source_type: type,
    source_url: toFileUrl(bucket, file),
    file_bytes: fileBytes,
    ...create(true, origin),
  } satisfies Insertable<Tables['documents']>
  const created = await insertDocument(db, scope, row)
    .returning(createdColumns)
    .executeTakeFirst()
    .catch(rejectPastLimit)
  return { document: { title, content: null, ...(created ?? agentNotFound()) }, key: toKey(file) }
}
