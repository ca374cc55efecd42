import { sql } from 'kysely'
import type { Database } from '../../../../shared/database/database.ts'
import { type AgentScope, isOfAgent } from '../../../../shared/database/scope.ts'
import { isServed } from '../../../../shared/documents/served-chunks.ts'
import type { Served } from './find.ts'

/** More take too long to be compared while somebody waits. */
const maxChunks = 1_000

/** What search serves of the agent now or later, oldest first; undefined for more than 1,000 chunks. */
export async function readServed(db: Database, scope: AgentScope): Promise<Served[] | undefined> {
  const { rows } = await sql<Omit<Served, 'chunks'> & Served['chunks'][number]>`
    select d.id, d.title, d.valid_from, d.valid_until, c.chunk_index, c.content
    from documents d join chunks c on c.organization_id = d.organization_id and c.agent_id = d.agent_id and c.document_id = d.id
    where ${isOfAgent(scope)} and c.organization_id = ${scope.organizationId} and c.agent_id = ${scope.agentId} and ${isServed}
      and coalesce(d.valid_until > now(), true) limit ${maxChunks + 1}`.execute(db)
  if (rows.length > maxChunks) return undefined
  const documents = new Map<string, Served>()
  for (const { chunk_index, content, ...document } of rows.toSorted((a, b) => a.chunk_index - b.chunk_index)) {
    const known = documents.get(document.id) ?? { ...document, chunks: [] }
    known.chunks.push({ chunk_index, content })
    documents.set(document.id, known)
  }
  return [...documents.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
