import { sql } from 'kysely'
import type { Chunk } from '../../shared/chunking/chunker.ts'
import { inTurns, mapped } from '../../shared/concurrency/steps.ts'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { type AgentScope, isAgent, isOfAgent } from '../../shared/database/scope.ts'
import { toVectorRow } from '../../shared/database/vector-rows.ts'
import { insertVectors } from '../../shared/documents/processing/new-chunks.ts'
import type { DocumentId } from '../../shared/ids.ts'
import { commit } from '../../shared/knowledge/commit.ts'
import { lockModel } from '../../shared/knowledge/locks.ts'
import type { Embedded } from './stored-chunks.ts'

const a = columnsOf('agents', 'a')
const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')

export interface Place {
  document_id: DocumentId
  revision: number
  chunk_index: number
}

/** A chunk that search serves, without a vector of the next model. */
export interface UnembeddedChunk extends Chunk, Place {
  vector_id: string
  title: string
}

const chunksPerPage = 100
const deletedPerStep = 500
/** The number of documents in the way that are named. */
const maxNamed = 5

/** The agent's change of model; undefined without the agent. `is_over`: the former model's vectors are no longer kept. */
export async function findChange(db: Database, scope: AgentScope) {
  const { agents } = await db.batch({
    agents: sql<{ next_model: string | null; former_model: string | null; is_over: boolean }>`
      select ${a.next_model}, ${a.former_model}, coalesce(${a.former_until} <= now(), false) as is_over
      from agents a where ${isAgent(scope)}`,
  })
  return agents[0]
}

/** The next chunks in order that the service can embed: a client's own are not served before the client has completed them. */
export async function findPage(
  db: Database,
  { organizationId, agentId }: AgentScope,
  after: Place | undefined,
  except: DocumentId[],
): Promise<UnembeddedChunk[]> {
  const isNext = after
    ? sql`(c.document_id, c.revision, c.chunk_index) > (${after.document_id}, ${after.revision}, ${after.chunk_index})`
    : sql`true`
  const { page } = await db.batch({
    page: sql<UnembeddedChunk>`
      select ${c.document_id}, ${c.revision}, ${c.chunk_index}, ${c.vector_id}, ${c.content}, ${c.token_count}, d.title,
        ${c.metadata} || jsonb_build_object('headings', coalesce(${c.metadata} -> 'headings', '[]')) as metadata
      from chunks c join documents d on d.organization_id = c.organization_id and d.id = c.document_id
      where c.organization_id = ${organizationId} and c.agent_id = ${agentId} and ${isNext}
        and c.document_id <> all (${except}::uuid[]) and ${c.vector_id} is not null and ${c.other_vector_id} is null
        and ${c.revision} <= ${d.active_revision} and (${d.managed_by} = 'service' or ${d.active_revision} < ${d.revision})
      order by c.document_id, c.revision, c.chunk_index limit ${chunksPerPage}`,
  })
  return page
}

/** Some documents with a client's own chunks that have no vector of the next model. */
export async function findInTheWay(db: Database, { organizationId, agentId }: AgentScope): Promise<string[]> {
  const { documents } = await db.batch({
    documents: sql<{ id: string }>`select d.id from documents d
      where ${isOfAgent({ organizationId, agentId })} and d.managed_by = 'client' and exists (
        select from chunks c where c.organization_id = d.organization_id and c.document_id = d.id
          and c.revision = d.revision and ${c.vector_id} is not null and ${c.other_vector_id} is null)
      order by d.id limit ${maxNamed}`,
  })
  return documents.map(({ id }) => id)
}

const other = { document_id: 'uuid', revision: 'int', chunk_index: 'int', vector_id: 'uuid', other_id: 'uuid' } as const

/** Stores the other vectors of chunks that have not changed since they were read, while the change is in progress. */
export async function storeOther(db: Database, scope: AgentScope, model: string, embedded: Embedded[]): Promise<true> {
  const { organizationId, agentId } = scope
  const stored = await inTurns(
    mapped(embedded, ({ vectorId, vector, chunks }) => ({
      row: toVectorRow(vectorId, vector),
      chunks: chunks as UnembeddedChunk[],
    })),
  )
  const rows = stored.flatMap(({ row, chunks }) =>
    chunks.map(({ document_id, revision, chunk_index, vector_id }) => ({
      ...{ document_id, revision, chunk_index, vector_id, other_id: row.id, row },
    })),
  )
  const ids = [...new Set(rows.map(({ document_id }) => document_id))]
  const documents = ids.map((documentId) => ({
    scope: { ...scope, documentId },
    rows: rows.flatMap(({ document_id, row }) => (document_id === documentId ? [row] : [])),
  }))
  const isUnderWay = sql<boolean>`exists (
    select from agents a where ${isAgent(scope)} and ${a.next_model} = ${model} and ${a.former_model} is null)`
  await db.batch({
    // Locks in the order of all statements: a deletion locks documents before the knowledge.
    held: sql`select from documents d
      where d.organization_id = ${organizationId} and d.id = any (${ids}::uuid[]) order by d.id for no key update`,
    locked: lockModel(scope),
    vectors: insertVectors(documents, isUnderWay, model),
    chunks: sql`update chunks c set other_vector_id = w.other_id
      from ${recordset(
        'w',
        other,
        rows.map(({ row, ...each }) => each),
      )}
        join vectors v on v.organization_id = ${organizationId} and v.document_id = w.document_id and v.id = w.other_id
      where c.organization_id = ${organizationId} and c.agent_id = ${agentId} and c.other_vector_id is null and ${isUnderWay}
        and (c.document_id, c.revision, c.chunk_index, c.vector_id) = (w.document_id, w.revision, w.chunk_index, w.vector_id)`,
  })
  return true
}

/** Deletes the vectors of the former model from some documents; when none are left, the agent has no former model any more. */
export async function deleteFormer(db: Database, scope: AgentScope, former: string): Promise<void> {
  const { organizationId, agentId } = scope
  const isFormer = sql`exists (select from agents a where ${isAgent(scope)} and ${a.former_model} = ${former})`
  const others = sql`from chunks c where c.organization_id = ${organizationId} and c.agent_id = ${agentId}
    and c.other_vector_id is not null`
  const { cleared } = await db.batch({
    locked: lockModel(scope),
    cleared: sql<{ document_id: string }>`
      with chosen as (
        select distinct document_id from (select c.document_id ${others} order by c.document_id limit ${deletedPerStep}) first),
      cleared as (
        update chunks c set other_vector_id = null from chosen
        where c.organization_id = ${organizationId} and c.agent_id = ${agentId} and c.document_id = chosen.document_id
          and c.other_vector_id is not null and ${isFormer}
        returning c.document_id),
      deleted as (
        delete from vectors v using chosen
        where v.organization_id = ${organizationId} and v.document_id = chosen.document_id and ${isFormer}
          and coalesce(v.model, ${former}) = ${former} and not exists (
            select from chunks c where c.organization_id = ${organizationId} and c.agent_id = ${agentId}
              and c.document_id = v.document_id and c.vector_id = v.id))
      select document_id from cleared limit 1`,
  })
  if (cleared.length > 0) return
  const ended = sql`update agents a set former_model = null, former_until = null,
      model_due_at = case when ${a.next_model} is not null then now() end
    where ${isAgent(scope)} and ${a.former_model} = ${former} and not exists (select ${others})`
  await commit(db, scope, () => ({ effects: [], make: (permit) => db.batch({ locked: permit.lock(), ended }) }))
}

export interface Waiting {
  /** Tells people why the change waits; null if it does not. */
  reason: string | null
  seconds: number
}

/** Schedules the next message, which the sweeper sends when it is due. */
export async function waitWith(db: Database, scope: AgentScope, { reason, seconds }: Waiting): Promise<void> {
  await sql`update agents a set model_due_at = now() + make_interval(secs => ${seconds}), model_waiting = ${reason}
    where ${isAgent(scope)} and ${a.model_due_at} is not null`.execute(db)
}
