import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, violates } from '../../shared/database/database.ts'
import {
  type AgentScope,
  agentNotFound,
  type DocumentScope,
  documentNotFound,
  findAgent,
  isDocument,
} from '../../shared/database/scope.ts'
import type { Status } from '../../shared/database/tables.ts'
import { ApiError } from '../../shared/http/errors.ts'
import type { Versions } from '../../shared/http/etag.ts'
import { type IdempotentRequest, idempotently, isRowOf, ownsIdempotencyKey } from '../../shared/http/idempotency.ts'
import { pageBytes } from '../../shared/http/payload.ts'
import { newId } from '../../shared/ids.ts'
import type { Origin } from '../../shared/queue.ts'
import { type Created, createdColumns, type DocumentRow, documentColumns } from './document.ts'
import type { CreateInput } from './schemas.ts'

/** SHA-256 of the content's UTF-8. */
export function hashContent(content: string): Buffer {
  return createHash('sha256').update(content).digest()
}

/**
 * Stores a document. With content it is pending and the service's work; without, it waits for the client's chunks.
 * @throws ApiError agent_not_found; validation_failed past the agent's limit; idempotency_key_reused, idempotency_in_progress;
 * document_not_found when the document of an earlier attempt has been deleted
 */
export async function createDocument(
  db: Database,
  scope: AgentScope,
  input: CreateInput,
  origin: Origin,
  request?: IdempotentRequest,
) {
  const id = newId()
  const content = input.content ?? null
  const insert = sql<Created>`
    insert into documents as d (organization_id, id, agent_id, title, content, content_hash, status, managed_by, request_id, requested_by)
    select organization_id, ${id}, id, ${input.title}, ${content}::text, ${content === null ? null : hashContent(content)}::bytea,
      'pending', ${content === null ? 'client' : 'service'}, ${origin.requestId ?? null}, ${origin.apiKeyId ?? null}::uuid
    from agents
    where organization_id = ${scope.organizationId} and id = ${scope.agentId} and ${ownsIdempotencyKey(request)}
    returning ${createdColumns}`
  const withTexts = (created: Created): DocumentRow => ({ title: input.title, content, ...created })
  try {
    if (!request) {
      const [[created]] = await db.batch(insert)
      return { document: withTexts(created ?? agentNotFound()), replayed: false }
    }
    const { results, response, replayed } = await idempotently(
      db,
      request,
      sql<{
        response: Created
      }>`select to_jsonb(d) as response from (select ${createdColumns} from documents d where organization_id = ${scope.organizationId} and id = ${id}) d`,
      {
        insert,
        surviving: sql`select from documents where organization_id = ${scope.organizationId}
          and id = (select (response ->> 'id')::uuid from idempotency_keys where ${isRowOf(request)})`,
      },
    )
    if (replayed && results.surviving.length === 0)
      throw new ApiError('document_not_found', 'The document that this Idempotency-Key created has been deleted.')
    return { document: withTexts(response ?? agentNotFound()), replayed }
  } catch (error) {
    if (violates(error, 'agents_document_limit'))
      throw new ApiError(
        'validation_failed',
        'The agent has 10,000 documents, the most it may have. Delete some first.',
        { cause: error },
      )
    throw error
  }
}

export interface DocumentsPage {
  documents: DocumentRow[]
  hasMore: boolean
}

/**
 * A page of an agent's documents, newest first, after the one whose key is given. It holds fewer than `limit` when their
 * contents together are large, but always at least one if there is one.
 * @throws ApiError agent_not_found
 */
export async function listDocuments(
  db: Database,
  scope: AgentScope,
  { status, limit, after }: { status?: Status | undefined; limit: number; after?: [string, string] | undefined },
): Promise<DocumentsPage> {
  const [agents, rows] = await db.batch(
    findAgent(scope),
    sql<DocumentRow & { available: string }>`
      with page as (
        select *, row_number() over newest as position, sum(coalesce(octet_length(content), 0)) over newest as bytes
        from documents
        where organization_id = ${scope.organizationId} and agent_id = ${scope.agentId}
          and ${status ? sql`status = ${status}` : sql`true`}
          and ${after ? sql`(created_at, id) < (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql`true`}
        window newest as (order by created_at desc, id desc)
        order by created_at desc, id desc
        limit ${limit + 1}
      )
      select ${documentColumns}, (select count(*) from page) as available
      from page d
      where position <= ${limit} and (position = 1 or bytes <= ${pageBytes})
      order by created_at desc, id desc`,
  )
  if (agents.length === 0) agentNotFound()
  return { documents: rows, hasMore: rows.length > 0 && rows.length < Number(rows[0]!.available) }
}

/**
 * One document; its content is left out (null) when the caller already has one of `known` versions.
 * @throws ApiError agent_not_found, document_not_found
 */
export async function getDocument(db: Database, scope: DocumentScope, known: Versions = []) {
  const isKnown = known === '*' ? sql<boolean>`true` : sql<boolean>`d.version::text = any(${known}::text[])`
  const { rows } = await sql<(DocumentRow & { is_known: boolean }) | { id: null }>`
    select ${documentColumns}, ${isKnown} as is_known, case when ${isKnown} then null else d.content end as content
    from agents a
    left join documents d on (d.organization_id, d.agent_id, d.id) = (a.organization_id, a.id, ${scope.documentId})
    where a.organization_id = ${scope.organizationId} and a.id = ${scope.agentId}`.execute(db)
  const row = rows[0] ?? agentNotFound()
  return row.id === null ? documentNotFound() : row
}

/**
 * Deletes a document with its chunks and embeddings; a worker still busy with it finds nothing to write to.
 * @throws ApiError agent_not_found, document_not_found, precondition_failed
 */
export async function deleteDocument(db: Database, scope: DocumentScope, match: Versions = '*'): Promise<void> {
  const [agents, found, deleted] = await db.batch(
    findAgent(scope),
    sql`select from documents d where ${isDocument(scope)} for update`,
    sql`delete from documents d where ${isDocument(scope)} and ${matches(match)} returning id`,
  )
  if (agents.length === 0) agentNotFound()
  if (found.length === 0) documentNotFound()
  if (deleted.length === 0) preconditionFailed()
}

/** The condition that `If-Match` sets on a row of documents. */
export function matches(versions: Versions) {
  return versions === '*' ? sql<boolean>`true` : sql<boolean>`version::text = any(${versions}::text[])`
}

export function preconditionFailed(): never {
  throw new ApiError(
    'precondition_failed',
    'The document has changed since. Get it again and repeat with its new ETag.',
  )
}
