import type { Database } from '../../database/database.ts'
import type { AgentScope } from '../../database/scope.ts'
import { agentNotFound } from '../../http/not-found.ts'
import type { DocumentId } from '../../ids.ts'
import { type AgentRow, type PackRow, readAgent } from '../statement/read-agent.ts'
import { type AgentIndex, type Change, emptyIndex, withChanges } from './agent-index.ts'

/** The index after the changes that a statement has returned. Reads the others, if the row has not all. */
export async function withRow(db: Pick<Database, 'batch'>, index: AgentIndex, row: AgentRow): Promise<AgentIndex> {
  // A database that was restored has gone back.
  if (row.version < index.version) return await upToDate(db, emptyIndex(index.scope))
  const changes = (row.changed ?? []).map(toChange)
  let last = row
  while (!last.is_complete) {
    const { document_id: documentId, version } = last.changed!.at(-1)!
    last = await read(db, index.scope, version, documentId)
    changes.push(...(last.changed ?? []).map(toChange))
  }
  const { version, name, time_zone, holidays, model } = last
  return withChanges(index, changes, { version, agent: { name, time_zone, holidays, model } })
}

/** The agent's index as it is now. @throws ApiError agent_not_found */
export async function upToDate(db: Pick<Database, 'batch'>, index: AgentIndex): Promise<AgentIndex> {
  const row = await read(db, index.scope, index.version)
  return row.version === index.version ? index : await withRow(db, index, row)
}

async function read(db: Pick<Database, 'batch'>, scope: AgentScope, version: number, documentId?: DocumentId) {
  const { rows } = await db.batch({ rows: readAgent(scope, { version, documentId }) })
  return rows[0] ?? agentNotFound()
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
