import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { toSql } from '../../shared/embedding/vectors.ts'
import { newId } from '../../shared/ids.ts'
import { inTurns, mapped } from '../../shared/steps.ts'
import { type Chunk, embeddedText } from './chunking/chunker.ts'
import { type Claim, leaseFence } from './claim.ts'

/** A text that has no vector yet, by the hash under which its chunks are stored. */
export interface Missing {
  hash: string
  /** The first chunk with this text. */
  chunk: Chunk
}

export interface Stored {
  missing: Missing[]
  /** Chunks that took over a vector. */
  reused: number
}

/** Chunks sent to the database at once: bounds what their JSON takes of memory. */
const chunksPerBatch = 500
/** Vectors sent at once; as text each takes about 15 kB. */
const vectorsPerBatch = 128

/**
 * Stores the claimed revision's chunks, out of search's sight until it completes. A chunk whose text some revision of this
 * document already has embedded takes over that vector, an interrupted attempt's included.
 * @returns undefined when the claim no longer holds
 */
export async function storeChunks(
  db: Database,
  claim: Claim,
  chunks: Chunk[],
  model: string,
): Promise<Stored | undefined> {
  let reused = 0
  for (let from = 0; ; from += chunksPerBatch) {
    const slice = chunks.slice(from, from + chunksPerBatch)
    const hashes = slice.map((chunk) => hashOf(chunk, model))
    const isLast = from + chunksPerBatch >= chunks.length
    const [isHeld, , [taken], , missing] = await db.batch(
      lock(claim),
      deleteOthersIn(claim, from, hashes),
      insert(claim, slice, hashes),
      isLast ? deleteLeftovers(claim, chunks.length) : nothing,
      isLast ? selectMissing(claim) : nothing,
    )
    if (isHeld.length === 0) return undefined
    reused += taken!.reused
    if (isLast)
      return { missing: missing.map(({ hash, chunk_index }) => ({ hash, chunk: chunks[chunk_index]! })), reused }
  }
}

/**
 * Keeps vectors, by the hash of their text, as soon as they are there: a later attempt need not pay for them again.
 * @returns false, and nothing more is changed, when the claim no longer holds
 */
export async function storeVectors(db: Database, claim: Claim, vectors: Map<string, Float32Array>): Promise<boolean> {
  const entries = [...vectors]
  for (let from = 0; from < entries.length; from += vectorsPerBatch) {
    const part = entries.slice(from, from + vectorsPerBatch)
    const texts = await inTurns(mapped(part, ([, vector]) => toSql(vector)))
    const [isHeld] = await db.batch(
      lock(claim),
      sql`
        update chunks c set embedding = vectors.embedding::vector(1536)
        from documents d,
          unnest(${part.map(([hash]) => hash)}::text[], ${texts}::text[]) as vectors(hash, embedding)
        where ${leaseFence(claim)} and ${isOfRevision} and c.content_hash = decode(vectors.hash, 'hex') and c.embedding is null`,
    )
    if (isHeld.length === 0) return false
  }
  return true
}

const isOfRevision = sql`(c.organization_id, c.document_id, c.revision) = (d.organization_id, d.id, d.revision)`

const nothing = sql<{ hash: string; chunk_index: number }>`select where false`

/** First in each batch, so that the statements after it see what the claim's last rival did. */
function lock(claim: Claim) {
  return sql`select from documents d where ${leaseFence(claim)} for no key update`
}

/** Of this revision, chunks that another version of the chunker stored before a crash. */
function deleteOthersIn(claim: Claim, from: number, hashes: string[]) {
  return sql`
    delete from chunks c using documents d
    where ${leaseFence(claim)} and ${isOfRevision} and c.chunk_index >= ${from} and c.chunk_index < ${from + hashes.length}
      and c.content_hash is distinct from decode((${hashes}::text[])[c.chunk_index - ${from}::int + 1], 'hex')`
}

function insert(claim: Claim, chunks: Chunk[], hashes: string[]) {
  const rows = chunks.map((chunk, i) => ({ id: newId(), ...chunk, hash: hashes[i] }))
  return sql<{ reused: number }>`
    with known as (
      select distinct on (content_hash) content_hash, embedding from chunks
      where organization_id = ${claim.organizationId} and document_id = ${claim.documentId} and embedding is not null
        and content_hash in (select decode(hash, 'hex') from unnest(${hashes}::text[]) as hash)
    ),
    inserted as (
      insert into chunks (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count, metadata, content_hash, embedding)
      select d.organization_id, wanted.id, d.agent_id, d.id, d.revision, wanted.chunk_index, wanted.content, wanted.token_count,
        wanted.metadata, decode(wanted.hash, 'hex'), known.embedding
      from documents d
      cross join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as wanted(id uuid, chunk_index int, content text, token_count int, metadata jsonb, hash text)
      left join known on known.content_hash = decode(wanted.hash, 'hex')
      where ${leaseFence(claim)}
      on conflict (organization_id, document_id, revision, chunk_index) do nothing
      returning embedding is not null as is_reused
    )
    select count(*) filter (where is_reused)::int as reused from inserted`
}

/** Chunks past the last, and those of revisions that neither search serves nor this claim makes: nobody will use them. */
function deleteLeftovers(claim: Claim, count: number) {
  return sql`
    delete from chunks c using documents d
    where ${leaseFence(claim)} and c.organization_id = d.organization_id and c.document_id = d.id
      and (c.revision = d.revision and c.chunk_index >= ${count}
        or c.revision <> d.revision and c.revision is distinct from d.active_revision)`
}

/** A text that stands in several chunks is embedded once. */
function selectMissing(claim: Claim) {
  return sql<{ hash: string; chunk_index: number }>`
    select encode(c.content_hash, 'hex') as hash, min(c.chunk_index) as chunk_index
    from documents d join chunks c on ${isOfRevision}
    where ${leaseFence(claim)} and c.embedding is null
    group by c.content_hash
    order by 2`
}

/** Of what the vector depends on: the model and the very text that is embedded. */
function hashOf(chunk: Chunk, model: string): string {
  return createHash('sha256')
    .update(`${model}\n${embeddedText(chunk)}`)
    .digest('hex')
}
