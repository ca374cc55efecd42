import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { leaseFence } from '../../shared/documents/transitions.ts'
import { toSql } from '../../shared/embedding/vectors.ts'
import { newId } from '../../shared/ids.ts'
import { inTurns, mapped } from '../../shared/steps.ts'
import { type Chunk, embeddedText } from './chunking/chunker.ts'
import type { Claim } from './claim.ts'

export interface Missing {
  hash: string
  /** The first chunk with this text. */
  chunk: Chunk
}

export interface Stored {
  missing: Missing[]
  reused: number
}

/** Per statement: bounds the memory for their JSON. */
const chunksPerBatch = 500
/** Per statement; a vector is about 15 kB as text. */
const vectorsPerBatch = 128

/** A chunk whose text any revision of this document has embedded reuses that vector. Undefined when the lease is lost. */
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
    const store = {
      held: lockLeased(db, claim),
      others: deleteOthersIn(db, claim, from, hashes),
      inserted: insert(db, claim, slice, hashes),
    }
    if (!isLast) {
      const { held, inserted } = await db.batch(store)
      if (held.length === 0) return undefined
      reused += inserted[0]!.reused
      continue
    }
    const { held, inserted, missing } = await db.batch({
      ...store,
      leftovers: deleteLeftovers(db, claim, chunks.length),
      missing: selectMissing(db, claim),
    })
    if (held.length === 0) return undefined
    return {
      missing: missing.map(({ hash, first_index }) => ({ hash, chunk: chunks[first_index]! })),
      reused: reused + inserted[0]!.reused,
    }
  }
}

/** Vectors by the hash of their text, stored at once: a later attempt need not pay again. False when the lease is lost. */
export async function storeVectors(db: Database, claim: Claim, vectors: Map<string, Float32Array>): Promise<boolean> {
  const entries = [...vectors]
  for (let from = 0; from < entries.length; from += vectorsPerBatch) {
    const part = entries.slice(from, from + vectorsPerBatch)
    const rows = await inTurns(mapped(part, ([hash, vector]) => ({ hash, vector: toSql(vector) })))
    const { held } = await db.batch({
      held: lockLeased(db, claim),
      stored: db
        .updateTable('chunks as c')
        .from(['documents as d', recordset('made', { hash: 'bytea', vector: 'text' }, rows)])
        .set((eb) => ({ embedding: sql<string>`${eb.ref('made.vector')}::vector(1536)` }))
        .where(leaseFence(claim))
        .where(isOfRevision)
        .whereRef('c.content_hash', '=', 'made.hash')
        .where('c.embedding', 'is', null),
    })
    if (held.length === 0) return false
  }
  return true
}

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')
const isOfDocument = sql<boolean>`(${c.organization_id}, ${c.document_id}) = (${d.organization_id}, ${d.id})`
const isOfRevision = sql<boolean>`(${c.organization_id}, ${c.document_id}, ${c.revision}) = (${d.organization_id}, ${d.id}, ${d.revision})`

/** First in each batch, so that later statements see what a rival worker wrote last. */
function lockLeased(db: Database, claim: Claim) {
  return db.selectFrom('documents as d').select('d.id').where(leaseFence(claim)).forNoKeyUpdate()
}

/** Of this revision, chunks that another version of the chunker stored before a crash. */
function deleteOthersIn(db: Database, claim: Claim, from: number, hashes: string[]) {
  return db
    .deleteFrom('chunks as c')
    .using('documents as d')
    .where(leaseFence(claim))
    .where(isOfRevision)
    .where('c.chunk_index', '>=', from)
    .where('c.chunk_index', '<', from + hashes.length)
    .where('c.content_hash', 'is distinct from', sql<Buffer>`(${hashes}::bytea[])[${c.chunk_index} - ${from}::int + 1]`)
}

const wanted = {
  id: 'uuid',
  chunk_index: 'int',
  content: 'text',
  token_count: 'int',
  metadata: 'jsonb',
  content_hash: 'bytea',
} as const

function insert(db: Database, claim: Claim, chunks: Chunk[], hashes: string[]) {
  const rows = chunks.map((chunk, i) => ({ id: newId(), ...chunk, content_hash: hashes[i] }))
  const own = Object.keys(wanted) as (keyof typeof wanted)[]
  return db
    .with('known', (db) =>
      db
        .selectFrom('chunks as c')
        .distinctOn('c.content_hash')
        .select(['c.content_hash', 'c.embedding'])
        .where('c.organization_id', '=', claim.organizationId)
        .where('c.document_id', '=', claim.documentId)
        .where('c.embedding', 'is not', null)
        .where(sql<boolean>`${c.content_hash} = any(${hashes}::bytea[])`),
    )
    .with('inserted', (db) =>
      db
        .insertInto('chunks')
        .columns(['organization_id', 'agent_id', 'document_id', 'revision', ...own, 'embedding'])
        .expression((eb) =>
          eb
            .selectFrom('documents as d')
            .crossJoin(recordset('wanted', wanted, rows))
            .leftJoin('known', 'known.content_hash', 'wanted.content_hash')
            .select(['d.organization_id', 'd.agent_id', 'd.id as document_id', 'd.revision'])
            .select(own.map((column) => `wanted.${column}` as const))
            .select('known.embedding')
            .where(leaseFence(claim)),
        )
        .onConflict((conflict) =>
          conflict.columns(['organization_id', 'document_id', 'revision', 'chunk_index']).doNothing(),
        )
        .returning((eb) => eb('embedding', 'is not', null).as('is_reused')),
    )
    .selectFrom('inserted')
    .select((eb) => sql<number>`(count(*) filter (where ${eb.ref('is_reused')}))::int`.as('reused'))
}

/** Chunks past the last, and those of revisions that are neither served nor in progress. */
function deleteLeftovers(db: Database, claim: Claim, count: number) {
  return db
    .deleteFrom('chunks as c')
    .using('documents as d')
    .where(leaseFence(claim))
    .where(isOfDocument)
    .where((eb) =>
      eb.or([
        eb.and([eb('c.revision', '=', eb.ref('d.revision')), eb('c.chunk_index', '>=', count)]),
        eb.and([
          eb('c.revision', '<>', eb.ref('d.revision')),
          eb('c.revision', 'is distinct from', eb.ref('d.active_revision')),
        ]),
      ]),
    )
}

function selectMissing(db: Database, claim: Claim) {
  return db
    .selectFrom('documents as d')
    .innerJoin('chunks as c', (join) => join.on(isOfRevision))
    .select((eb) => [
      sql<string>`${c.content_hash}::text`.as('hash'),
      eb.fn.min<number>('c.chunk_index').as('first_index'),
    ])
    .where(leaseFence(claim))
    .where('c.embedding', 'is', null)
    .groupBy('c.content_hash')
    .orderBy('first_index')
}

/** Of all that a vector depends on, model and embedded text; in Postgres's text form of a bytea. */
function hashOf(chunk: Chunk, model: string): string {
  const hash = createHash('sha256')
    .update(`${model}\n${embeddedText(chunk)}`)
    .digest('hex')
  return `\\x${hash}`
}
