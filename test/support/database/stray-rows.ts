import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'

interface StrayRow {
  fault: string
  document_id: string
  id: string
}

/**
 * What must never be there after a commit: vectors that nobody needs, chunks without the vector that they name or without terms,
 * terms of no such chunk, chunks of revisions gone by, counts that are not those of the chunks.
 */
export async function strayRows(db: Database): Promise<StrayRow[]> {
  const { rows } = await sql<StrayRow>`
    select 'a vector that no chunk names' as fault, document_id, id from vectors v
    where not exists (
      select from chunks c
      where c.organization_id = v.organization_id and c.document_id = v.document_id and c.vector_id = v.id)
    union all
    select 'a chunk without its vector, or with the sketch of another', document_id, id from chunks c
    where vector_id is not null and not exists (
      select from vectors v
      where v.organization_id = c.organization_id and v.document_id = c.document_id and v.id = c.vector_id and v.sketch = c.sketch)
    union all
    select 'a sketch without a vector', document_id, id from chunks where vector_id is null and sketch is not null
    union all
    select 'a chunk with a vector, but without terms', document_id, id from chunks c
    where vector_id is not null and not exists (
      select from chunk_terms t
      where t.organization_id = c.organization_id and t.agent_id = c.agent_id and t.document_id = c.document_id
        and t.revision = c.revision and t.chunk_index = c.chunk_index)
    union all
    select 'terms of no chunk with a vector', document_id, null from chunk_terms t
    where not exists (
      select from chunks c
      where c.organization_id = t.organization_id and c.agent_id = t.agent_id and c.document_id = t.document_id
        and c.revision = t.revision and c.chunk_index = t.chunk_index and c.vector_id is not null)
    union all
    select 'a clustered sketch of no chunk', document_id, null from clustered_sketches s
    where not exists (
      select from chunks c
      where c.organization_id = s.organization_id and c.document_id = s.document_id and c.revision = s.revision
        and c.chunk_index = s.chunk_index)
    union all
    select 'two chunks at one index, both served', c.document_id, c.id from chunks c
    join documents d on d.organization_id = c.organization_id and d.id = c.document_id
    where c.revision < d.active_revision and exists (
      select from chunks newer
      where newer.organization_id = c.organization_id and newer.document_id = c.document_id
        and newer.chunk_index = c.chunk_index and newer.revision > c.revision and newer.revision <= d.active_revision)
    union all
    select 'a count of searchable chunks that is not theirs', d.id, null from documents d
    where d.searchable_chunk_count <> (
      select count(*) from chunks c
      where c.organization_id = d.organization_id and c.document_id = d.id and c.revision <= d.active_revision
        and c.vector_id is not null)`.execute(db)
  return rows
}
