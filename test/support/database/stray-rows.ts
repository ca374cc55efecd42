import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'

interface StrayRow {
  fault: string
  document_id: string
  id: string
}

/**
 * What must never be there after a commit: vectors that nobody needs, chunks without the vector that they name or without terms,
 * packs that are not what search serves, chunks of revisions gone by, counts that are not those of the chunks.
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
    select 'a vector without terms, or terms without a vector', document_id, id from chunks
    where (vector_id is null) <> (terms is null)
    union all
    select 'a pack that is not what search serves of the document', d.id, null from documents d
    left join packs p on (p.organization_id, p.agent_id, p.document_id) = (d.organization_id, d.agent_id, d.id)
    where p.revision is distinct from d.active_revision or d.active_revision is not null
      and (p.title, p.valid_from, p.valid_until, p.chunks) is distinct from (d.title, d.valid_from, d.valid_until, (
        select packed.chunks from packed_chunks(d.organization_id, d.id, d.active_revision) packed))
    union all
    select 'a pack of a deleted document', document_id, null from packs p
    where revision is not null and not exists (
      select from documents d where d.organization_id = p.organization_id and d.id = p.document_id)
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
