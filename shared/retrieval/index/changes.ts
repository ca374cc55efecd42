import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Database } from '../../database/database.ts'
import { type AgentScope, isAgent } from '../../database/scope.ts'
import { agentNotFound } from '../../http/not-found.ts'
import type { DocumentId } from '../../ids.ts'
import type { AgentRow, PackRow } from '../statement/read-agent.ts'
import { type AgentFacts, type AgentIndex, type Change, emptyIndex, withChanges } from './agent-index.ts'

const a = columnsOf('agents', 'a')
const p = columnsOf('packs', 'p')

/** The driver takes 10 MB at a time. */
const bytesPerPart = 5_000_000

/** The index after what a search's statement has returned. @throws ApiError agent_not_found */
export async function withRow(db: Pick<Database, 'batch'>, index: AgentIndex, row: AgentRow): Promise<AgentIndex> {
  const { version, changed, name, time_zone, holidays, model } = row
  if (version < index.version || changed === null) return await upToDate(db, index)
  return withChanges(index, changed.map(toChange), { version, agent: { name, time_zone, holidays, model } })
}

/**
 * The agent's index as it is now. Reads all changes since its version in their order, in parts: what changes meanwhile comes last.
 * @throws ApiError agent_not_found
 */
export async function upToDate(db: Pick<Database, 'batch'>, index: AgentIndex): Promise<AgentIndex> {
  const changes: Change[] = []
  let after: Position = { version: index.version }
  for (;;) {
    const { rows } = await db.batch({ rows: selectChanges(index.scope, after) })
    const { served_version: version, name, time_zone, holidays, model } = rows[0] ?? agentNotFound()
    // A database that was restored has gone back.
    if (version < index.version) return await upToDate(db, emptyIndex(index.scope))
    const packs = rows.filter(isPack)
    changes.push(...packs.map(toChange))
    const last = packs.at(-1)
    if (!last || last.is_last)
      return withChanges(index, changes, { version, agent: { name, time_zone, holidays, model } })
    after = { version: last.version, documentId: last.document_id }
  }
}

/** The last change that was read. */
interface Position {
  version: number
  documentId?: DocumentId
}

/** An agent with one of its changed documents, if any; `is_last`: no other has changed after it. */
type ChangeRow = AgentFacts & { served_version: number } & ((PackRow & { is_last: boolean }) | { document_id: null })

const isPack = (row: ChangeRow): row is ChangeRow & PackRow & { is_last: boolean } => row.document_id !== null

function selectChanges({ organizationId, agentId }: AgentScope, { version, documentId }: Position) {
  const isLater = documentId
    ? sql`(${p.version}, ${p.document_id}) > (${version}::bigint, ${documentId}::uuid)`
    : sql`${p.version} > ${version}::bigint`
  const size = sql`coalesce(octet_length(${p.chunks}), 0)`
  return sql<ChangeRow>`select ${a.served_version}::float8 as served_version, ${a.name}, ${a.time_zone}, ${a.holidays}, ${a.model},
      p.document_id, p.version::float8 as version, p.revision, p.title, p.valid_from, p.valid_until, encode(p.chunks, 'base64') as chunks,
      p.is_last
    from agents a left join (
      select p.*, sum(${size}) over in_order - ${size} as before, lead(p.version) over in_order is null as is_last
      from packs p
      where ${p.organization_id} = ${organizationId} and ${p.agent_id} = ${agentId} and ${isLater}
        and (${version}::bigint > 0 or ${p.revision} is not null)
      window in_order as (order by ${p.version}, ${p.document_id})) p on p.before < ${bytesPerPart}
    where ${isAgent({ organizationId, agentId })} order by p.version, p.document_id`
}

export function toChange({
  document_id: documentId,
  version,
  revision,
  title,
  valid_from,
  valid_until,
  chunks,
}: PackRow): Change {
  if (revision === null) return { documentId }
  const pack = {
    documentId,
    version,
    revision,
    title: title!,
    validFrom: valid_from === null ? -Infinity : new Date(valid_from).getTime(),
    validUntil: valid_until === null ? Infinity : new Date(valid_until).getTime(),
    chunks: typeof chunks === 'string' ? Buffer.from(chunks, 'base64') : chunks!,
  }
  return { documentId, pack }
}
