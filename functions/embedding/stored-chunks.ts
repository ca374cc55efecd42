import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../shared/database.ts'
import { newId } from '../../shared/ids.ts'
import { toSql } from '../../shared/vectors.ts'
import { type Chunk, embeddedText } from './chunker.ts'
import { type Claim, held } from './claim.ts'

/**
 * Stores the claimed revision's chunks, out of search's sight until it completes. A chunk whose text some revision of this
 * document already has embedded takes over that vector, an interrupted attempt's included.
 * @returns the indexes of chunks that have no vector yet; undefined when the claim no longer holds
 */
export async function storeChunks(
  db: Database,
  claim: Claim,
  chunks: Chunk[],
  model: string,
): Promise<number[] | undefined> {
  const rows = chunks.map((chunk) => ({ id: newId(), ...chunk, content_hash: hashOf(chunk, model).toString('hex') }))
  const wanted = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as wanted(id uuid, chunk_index int, content text, token_count int, metadata jsonb, content_hash text)`
  const mine = sql`c.organization_id = ${claim.organizationId} and c.document_id = ${claim.documentId} and c.revision = ${claim.revision}`
  const [held_, , , missing] = await db.batch(
    sql`select from documents d where ${held(claim)} for no key update`,
    // Another version of the chunker may have stored this revision's chunks before a crash.
    sql`
      delete from chunks c using documents d
      where ${held(claim)} and ${mine} and not exists (
        select from ${wanted} where wanted.chunk_index = c.chunk_index and decode(wanted.content_hash, 'hex') = c.content_hash)`,
    sql`
      with known as (
        select distinct on (content_hash) content_hash, embedding from chunks
        where organization_id = ${claim.organizationId} and document_id = ${claim.documentId}
          and content_hash is not null and embedding is not null
      )
      insert into chunks (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count, metadata, content_hash, embedding)
      select d.organization_id, wanted.id, d.agent_id, d.id, d.revision, wanted.chunk_index, wanted.content, wanted.token_count,
        wanted.metadata, decode(wanted.content_hash, 'hex'), known.embedding
      from documents d
      cross join ${wanted}
      left join known on known.content_hash = decode(wanted.content_hash, 'hex')
      where ${held(claim)}
      on conflict (organization_id, document_id, revision, chunk_index) do nothing`,
    sql<{
      chunk_index: number
    }>`select c.chunk_index from chunks c where ${mine} and c.embedding is null order by c.chunk_index`,
  )
  return held_.length === 0 ? undefined : missing.map((row) => row.chunk_index)
}

/**
 * Keeps vectors as soon as they are there, so that a later attempt need not pay for them again.
 * @returns false, and nothing is changed, when the claim no longer holds
 */
export async function storeVectors(db: Database, claim: Claim, vectors: Map<number, Float32Array>): Promise<boolean> {
  const [held_] = await db.batch(
    sql`select from documents d where ${held(claim)} for no key update`,
    sql`
      update chunks c set embedding = vectors.embedding::vector(1536)
      from documents d, unnest(${[...vectors.keys()]}::int[], ${[...vectors.values()].map(toSql)}::text[]) as vectors(chunk_index, embedding)
      where ${held(claim)} and (c.organization_id, c.document_id, c.revision) = (d.organization_id, d.id, d.revision)
        and c.chunk_index = vectors.chunk_index`,
  )
  return held_.length > 0
}

function hashOf(chunk: Chunk, model: string): Buffer {
  return createHash('sha256')
    .update(`${model}\n${embeddedText(chunk)}`)
    .digest()
}
