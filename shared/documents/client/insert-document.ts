import { type Expression, sql } from 'kysely'
import { type Database, violates } from '../../database/database.ts'
import { recordset } from '../../database/recordset.ts'
import { type AgentScope, isAgent } from '../../database/scope.ts'
import { ApiError } from '../../http/errors.ts'
import { type IdempotentRequest, idempotently, isRowOf, ownsIdempotencyKey } from '../../http/idempotency.ts'
import { agentNotFound } from '../../http/not-found.ts'
import { type Created, createdColumns } from '../contract/document.ts'
import type { CreateInput } from '../contract/input.ts'
import { rejectPastQuota } from '../processing/quotas.ts'
import type { create } from '../processing/transitions.ts'

const columns = {
  id: 'uuid',
  title: 'text',
  external_id: 'text',
  metadata: 'jsonb',
  title_from_file: 'boolean',
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

interface NewDocuments {
  documents: NewDocument[]
  /** The other columns of a document that is a file. */
  file?: Record<string, unknown>
  /** If it does not hold, nothing is inserted and the agent counts as not found. */
  guard?: Expression<boolean>
}

type NewDocument = ReturnType<typeof create> &
  Omit<CreateInput, 'content'> & {
    id: string
    title_from_file?: boolean
    content?: string | null
    content_hash?: string | null
  }

/**
 * Inserts all documents or none, and returns them in the order of their ids. `replayed`: an earlier attempt has inserted them.
 * @throws ApiError agent_not_found, document_not_found, validation_failed, external_id_conflict, rate_limited, idempotency_key_reused, idempotency_in_progress
 */
export async function insertDocuments(
  db: Database,
  scope: AgentScope,
  { documents, file = {}, guard = sql<boolean>`true` }: NewDocuments,
  request?: IdempotentRequest,
): Promise<{ rows: Created[]; replayed: boolean }> {
  const made = documents.map((document) => ({
    title_from_file: false,
    ...document,
    metadata: document.metadata ?? {},
  }))
  const processed = documents.filter(({ managed_by }) => managed_by === 'service').length
  const rejected = async (error: unknown): Promise<never> => {
    await rejectTakenIds(db, scope, documents, error)
    rejectPastQuota(error)
  }
  const names = Object.keys(columns)
  const inserted = sql.join([...names, ...Object.keys(file)].map((name) => sql.ref(name)))
  const values = sql.join([...names.map((name) => sql.ref(`made.${name}`)), ...Object.values(file)])
  const created = sql.join(createdColumns.map((column) => sql.ref(column)))
  // The limits do not apply to a repeated request.
  const insert = sql`with agent as materialized (
      select a.organization_id, a.id from agents a where ${isAgent(scope)} and ${guard}
        and case when ${ownsIdempotencyKey(request)}
          then admit_documents(a.organization_id, a.id, ${made.length}::int, ${processed}::int) end)
    insert into documents (organization_id, agent_id, ${inserted})
    select agent.organization_id, agent.id, ${values} from agent cross join ${recordset('made', columns, made)}`
  if (!request) {
    const { rows } = await sql<Created>`${insert} returning ${created}`.execute(db).catch(rejected)
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
    surviving: sql`select d.id from documents d where d.organization_id = ${scope.organizationId} and d.deleted_at is null and d.id in (
      select (jsonb_path_query(response, '$[*].id') #>> '{}')::uuid from idempotency_keys where ${isRowOf(request)})`,
  }).catch(rejected)
  const rows = outcome.response ?? agentNotFound()
  if (outcome.replayed && results.surviving.length < rows.length)
    throw new ApiError('document_not_found', 'A document that this Idempotency-Key created has been deleted.')
  return { rows, replayed: outcome.replayed }
}

/** @throws ApiError external_id_conflict, which names the ids that other documents have */
export async function rejectTakenIds(
  db: Database,
  { organizationId, agentId }: AgentScope,
  documents: Pick<NewDocument, 'external_id'>[],
  error: unknown,
): Promise<void> {
  if (!violates(error, 'documents_external_id')) return
  const wanted = documents.flatMap(({ external_id }) => external_id ?? [])
  const { rows } = await db.batch({
    rows: sql<{ external_id: string }>`select external_id from documents
      where organization_id = ${organizationId} and agent_id = ${agentId} and external_id = any(${wanted}::text[])`,
  })
  const external_ids = rows.map(({ external_id }) => external_id)
  throw new ApiError(
    'external_id_conflict',
    'Other documents of the agent have these external ids: see `external_ids`.',
    {
      extra: { external_ids },
      cause: error,
    },
  )
}
