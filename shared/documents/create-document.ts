import { sql } from 'kysely'
import { recordset } from '../database/recordset.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import { ApiError } from '../http/errors.ts'
import { type IdempotentRequest, idempotently, isRowOf, ownsIdempotencyKey } from '../http/idempotency.ts'
import { agentNotFound } from '../http/not-found.ts'
import { type DocumentId, newId } from '../ids.ts'
import type { Origin } from '../queue.ts'
import { titleTerms } from '../terms/indexed-terms.ts'
import { type Created, createdColumns, type DocumentRow } from './document.ts'
import { hashContent } from './documents.ts'
import type { CreateInput } from './input.ts'
import { admitsDocuments, rejectPastLimit } from './insert-document.ts'
import { enqueueAll, type Outbox } from './outbox.ts'
import { create } from './transitions.ts'

/**
 * Creates all documents or none. With content a document is queued; without, it waits for the client's chunks.
 * `replayed`: an earlier attempt has created them.
 * @throws ApiError agent_not_found, document_not_found, validation_failed, idempotency_key_reused, idempotency_in_progress
 */
export async function createDocuments(
  outbox: Outbox,
  scope: AgentScope,
  inputs: CreateInput[],
  origin: Origin,
  request?: IdempotentRequest,
): Promise<{ documents: DocumentRow[]; replayed: boolean }> {
  const { rows, replayed } = await store(outbox, scope, inputs, origin, request).catch(rejectPastLimit)
  const documents = rows.map((row, i) => ({ title: inputs[i]!.title, content: inputs[i]!.content ?? null, ...row }))
  if (!replayed) {
    const queued = documents.filter(({ content }) => content !== null)
    const { organizationId } = scope
    await enqueueAll(
      outbox,
      queued.map(({ id }) => ({ organizationId, documentId: id as DocumentId, ...origin })),
    )
  }
  return { documents, replayed }
}

/** Creates one document: see `createDocuments`. */
export async function createDocument(
  outbox: Outbox,
  scope: AgentScope,
  input: CreateInput,
  origin: Origin,
  request?: IdempotentRequest,
): Promise<{ document: DocumentRow; replayed: boolean }> {
  const { documents, replayed } = await createDocuments(outbox, scope, [input], origin, request)
  return { document: documents[0]!, replayed }
}

const columns = {
  id: 'uuid',
  title: 'text',
  title_terms: 'sparsevec',
  content: 'text',
  content_hash: 'bytea',
  valid_from: 'timestamptz',
  valid_until: 'timestamptz',
  status: 'text',
  managed_by: 'text',
  request_id: 'text',
  requested_by: 'uuid',
  revised_by: 'uuid',
} as const

async function store(
  { db }: Outbox,
  scope: AgentScope,
  inputs: CreateInput[],
  origin: Origin,
  request: IdempotentRequest | undefined,
): Promise<{ rows: Created[]; replayed: boolean }> {
  const made = inputs.map(({ title, content, valid_from = null, valid_until = null }) => ({
    id: newId(),
    title,
    title_terms: titleTerms(title),
    content: content ?? null,
    content_hash: content === undefined ? null : `\\x${hashContent(content).toString('hex')}`,
    valid_from,
    valid_until,
    ...create(content !== undefined, origin),
  }))
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)))
  const created = sql.join(createdColumns.map((column) => sql.ref(column)))
  const processed = inputs.filter(({ content }) => content !== undefined).length
  // A repeat is not refused past a limit.
  const insert = sql`with agent as materialized (
      select a.organization_id, a.id from agents a where ${isAgent(scope)}
        and case when ${ownsIdempotencyKey(request)} then ${admitsDocuments(made.length, processed)} end)
    insert into documents (organization_id, agent_id, ${names})
    select agent.organization_id, agent.id, ${sql.join(Object.keys(columns).map((name) => sql.ref(`made.${name}`)))}
    from agent cross join ${recordset('made', columns, made)}`
  // Ids sort as they were made.
  if (!request) {
    const { rows } = await sql<Created>`${insert} returning ${created}`.execute(db)
    if (rows.length === 0) agentNotFound()
    return { rows: rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)), replayed: false }
  }
  const response = sql<{
    response: Created[] | null
  }>`select jsonb_agg(to_jsonb(inserted) order by id) as response from (
    select ${created} from documents
    where organization_id = ${scope.organizationId} and id = any(${made.map(({ id }) => id)}::uuid[])) inserted`
  const { results, ...outcome } = await idempotently(db, request, response, {
    insert,
    surviving: sql`select d.id from documents d where d.organization_id = ${scope.organizationId} and d.id in (
      select (jsonb_path_query(response, '$[*].id') #>> '{}')::uuid from idempotency_keys where ${isRowOf(request)})`,
  })
  const rows = outcome.response ?? agentNotFound()
  if (outcome.replayed && results.surviving.length < rows.length)
    throw new ApiError('document_not_found', 'A document that this Idempotency-Key created has been deleted.')
  return { rows, replayed: outcome.replayed }
}
