import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Database } from '../../database/database.ts'
import { type AgentScope, isAgent } from '../../database/scope.ts'
import { agentNotFound } from '../../http/not-found.ts'
import type { DocumentId } from '../../ids.ts'
import { type AgentFacts, type AgentIndex, type Change, emptyIndex, withChanges } from './agent-index.ts'

const a = columnsOf('agents', 'a')
const p = columnsOf('packs', 'p')

/** Changes come in parts of about so many bytes, since the driver takes 10 MB at a time. */
const maxBytes = 5_000_000

/** The last change that was read. */
interface Position {
  version: number
  documentId?: DocumentId | undefined
}

/** A document's row of `packs`. */
export interface PackRow {
  document_id: DocumentId
  version: number
  /** Null if search no longer serves the document. */
  revision: number | null
  title: string | null
  valid_from: Date | string | null
  valid_until: Date | string | null
  /** In base64, unless they are not from the database. */
  chunks: string | Uint8Array | null
}

/** An agent's version, and its documents that have changed since a position: one row, as JSON, of one snapshot. */
export type ChangesRow = AgentFacts & {
  version: number
  changed: PackRow[] | null
  is_complete: boolean
}

/** The columns of an agent `a` that `ChangesRow` has. */
export function changesSince({ organizationId, agentId }: AgentScope, { version, documentId }: Position) {
  const isLater =
    documentId === undefined
      ? sql`${p.version} > ${version}::bigint`
      : sql`(${p.version}, ${p.document_id}) > (${version}::bigint, ${documentId}::uuid)`
  const isMissed = version === 0 ? sql`${p.revision} is not null` : sql`true`
  const order = sql`order by ${p.version}, ${p.document_id}`
  return sql`${a.name}, ${a.time_zone}, ${a.holidays}, ${a.model}, ${a.served_version}::float8 as version, changes.changed,
    changes.is_complete
    from agents a cross join lateral (
      select json_agg(json_build_object('document_id', c.document_id, 'version', c.version, 'revision', c.revision,
          'title', c.title, 'valid_from', c.valid_from, 'valid_until', c.valid_until,
          'chunks', encode(c.chunks, 'base64')) order by c.version, c.document_id)
          filter (where c.before < ${maxBytes}) as changed,
        coalesce(bool_and(c.before < ${maxBytes}), true) as is_complete
      from (
        select p.*, sum(coalesce(octet_length(${p.chunks}), 0)) over (${order}) - coalesce(octet_length(${p.chunks}), 0) as before
        from packs p
        where ${p.organization_id} = ${organizationId} and ${p.agent_id} = ${agentId} and ${isLater} and ${isMissed}
          and ${a.served_version} <> ${documentId === undefined ? version : -1}::bigint) c) changes`
}

/** The index after the changes that a statement has returned. Reads the others, if the row has not all. */
export async function withRow(db: Pick<Database, 'batch'>, index: AgentIndex, row: ChangesRow): Promise<AgentIndex> {
  // A database that was restored has gone back.
  if (row.version < index.version) return await upToDate(db, emptyIndex(index.scope))
  const changes = (row.changed ?? []).map(toChange)
  let last = row
  while (!last.is_complete) {
    const { document_id: documentId, version } = last.changed!.at(-1)!
    last = await read(db, index.scope, { version, documentId })
    changes.push(...(last.changed ?? []).map(toChange))
  }
  const { version, name, time_zone, holidays, model } = last
  return withChanges(index, changes, { version, agent: { name, time_zone, holidays, model } })
}

/** The agent's index as it is now. @throws ApiError agent_not_found */
export async function upToDate(db: Pick<Database, 'batch'>, index: AgentIndex): Promise<AgentIndex> {
  const row = await read(db, index.scope, index)
  return row.version === index.version ? index : await withRow(db, index, row)
}

async function read(db: Pick<Database, 'batch'>, scope: AgentScope, position: Position): Promise<ChangesRow> {
  const { rows } = await db.batch({
    rows: sql<ChangesRow>`select ${changesSince(scope, position)} where ${isAgent(scope)}`,
  })
  return rows[0] ?? agentNotFound()
}

export function toChange({
  document_id: documentId,
  revision,
  title,
  valid_from,
  valid_until,
  chunks,
}: PackRow): Change {
  if (revision === null) return { documentId }
  const pack = {
    documentId,
    revision,
    title: title!,
    validFrom: valid_from === null ? -Infinity : new Date(valid_from).getTime(),
    validUntil: valid_until === null ? Infinity : new Date(valid_until).getTime(),
    chunks: typeof chunks === 'string' ? Buffer.from(chunks, 'base64') : chunks!,
  }
  return { documentId, pack }
}
