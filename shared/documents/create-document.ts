import { type Insertable, sql } from 'kysely'
import type { AgentScope } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { type IdempotentRequest, idempotently, isRowOf, ownsIdempotencyKey } from '../http/idempotency.ts'
import { agentNotFound } from '../http/not-found.ts'
import { type DocumentId, newId } from '../ids.ts'
import type { Origin } from '../queue.ts'
import { titleTerms } from '../terms/indexed-terms.ts'
import { type Created, createdColumns, type DocumentRow } from './document.ts'
import { hashContent } from './documents.ts'
import type { CreateInput } from './input.ts'
import { insertDocument, rejectPastLimit } from './insert-document.ts'
import { enqueue, type Outbox } from './outbox.ts'
import { create } from './transitions.ts'

/**
 * With content the document is queued; without, it waits for the client's chunks. `replayed`: an earlier attempt has created it.
 * @throws ApiError agent_not_found, document_not_found, validation_failed, idempotency_key_reused, idempotency_in_progress
 */
export async function createDocument(
  outbox: Outbox,
  scope: AgentScope,
  input: CreateInput,
  origin: Origin,
  request?: IdempotentRequest,
): Promise<{ document: DocumentRow; replayed: boolean }> {
  const content = input.content ?? null
  const { row, replayed } = await store(outbox, scope, { ...input, content }, origin, request).catch(rejectPastLimit)
  if (content !== null && !replayed) {
    const documentId = row.id as DocumentId
    await enqueue(outbox, { organizationId: scope.organizationId, documentId, ...origin })
  }
  return { document: { title: input.title, content, ...row }, replayed }
}

async function store(
  { db }: Outbox,
  scope: AgentScope,
  { title, content }: { title: string; content: string | null },
  origin: Origin,
  request: IdempotentRequest | undefined,
): Promise<{ row: Created; replayed: boolean }> {
  const row = {
    organization_id: scope.organizationId,
    id: newId(),
    agent_id: scope.agentId,
    title,
    title_terms: titleTerms(title),
    content,
    content_hash: content === null ? null : hashContent(content),
    ...create(content !== null, origin),
  } satisfies Insertable<Tables['documents']>
  const insert = insertDocument(db, scope, row, ownsIdempotencyKey(request))
  if (!request) {
    const created = await insert.returning(createdColumns).executeTakeFirst()
    return { row: created ?? agentNotFound(), replayed: false }
  }
  const response = sql<{ response: Created }>`select to_jsonb(inserted) as response from (
    select ${sql.join(createdColumns.map((column) => sql.ref(column)))} from documents
    where organization_id = ${row.organization_id} and id = ${row.id}) inserted`
  const { results, ...outcome } = await idempotently(db, request, response, {
    insert,
    surviving: sql`select d.id from documents d where d.organization_id = ${scope.organizationId} and d.id = (
      select (response ->> 'id')::uuid from idempotency_keys where ${isRowOf(request)})`,
  })
  if (outcome.replayed && results.surviving.length === 0)
    throw new ApiError('document_not_found', 'The document that this Idempotency-Key created has been deleted.')
  return { row: outcome.response ?? agentNotFound(), replayed: outcome.replayed }
}
