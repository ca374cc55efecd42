import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Batch, Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import type { VectorRow } from '../../shared/database/vector-rows.ts'
import { insertChunks, insertVectors, type NewChunk } from '../../shared/documents/new-chunks.ts'
import { deleteUnusedVectors } from '../../shared/documents/served-chunks.ts'
import * as transitions from '../../shared/documents/transitions.ts'
import { sketchOf } from '../../shared/embedding/sketch.ts'
import { toStored } from '../../shared/embedding/vectors.ts'
import { newId } from '../../shared/ids.ts'
import { inTurns, mapped } from '../../shared/steps.ts'
import type { Chunk } from './chunking/chunker.ts'
import type { Claim, StoredChunk } from './claim.ts'
import type { Missing, RevisionPlan } from './revision-plan.ts'

export interface Embedded extends Missing {
  vector: Float32Array
}

/** What one transaction stores of a revision. */
export interface Part {
  stale?: StoredChunk[]
  embedded?: Embedded[]
  reused?: Chunk[]
}

/** Until the revision is complete, search finds none of it. False, and nothing is changed, if the lease is lost. */
export async function storePart(db: Database, claim: Claim, plan: RevisionPlan, part: Part): Promise<boolean> {
  const { held } = await db.batch({
    // Shared by the revision's parts; a request that changes the document waits until they are stored.
    held: db.selectFrom('documents as d').select('d.id').where(transitions.leaseFence(claim)).forShare(),
    ...(await changes(db, claim, plan, part)),
    ...(part.stale?.length && { unused: deleteUnusedVectors(db, claim) }),
  })
  return held.length > 0
}

/**
 * Stores the last part and serves this revision alone. False, and search serves what it served before, if the lease is lost or
 * the stored chunks are not those of the plan.
 */
export async function completeRevision(db: Database, claim: Claim, plan: RevisionPlan, last: Part): Promise<boolean> {
  const count = plan.chunks.length
  const { completed } = await db.batch({
    held: db.selectFrom('documents as d').select('d.id').where(transitions.leaseFence(claim)).forNoKeyUpdate(),
    ...(await changes(db, claim, plan, last)),
    completed: db
      .with('completed', (db) =>
        db
          .updateTable('documents as d')
          .set({ ...transitions.complete, chunk_count: count, chunk_offsets: offsetsOf(plan.chunks) })
          .where(transitions.leaseFence(claim))
          .where(sql<boolean>`${fingerprintOfStored(claim, count)} = ${fingerprint(plan.vectorIds)}`)
          .returning('d.id'),
      )
      .with('superseded', (db) =>
        db
          .deleteFrom('chunks as c')
          .using('completed')
          .where('c.organization_id', '=', claim.organizationId)
          .where('c.document_id', '=', claim.documentId)
          .where('c.revision', '<>', claim.revision)
          .where(({ eb, or, exists, selectFrom }) =>
            or([
              eb('c.revision', '>', claim.activeRevision),
              eb('c.chunk_index', '>=', count),
              exists(
                selectFrom('chunks as newer')
                  .select('newer.chunk_index')
                  .where('newer.organization_id', '=', claim.organizationId)
                  .where('newer.document_id', '=', claim.documentId)
                  .where('newer.revision', '=', claim.revision)
                  .whereRef('newer.chunk_index', '=', 'c.chunk_index'),
              ),
            ]),
          ),
      )
      .selectFrom('completed')
      .select('completed.id'),
    ...(claim.stored.length > 0 && { unused: deleteUnusedVectors(db, claim) }),
  })
  return completed.length > 0
}

const c = columnsOf('chunks', 'c')

/** Repeatable: what is stored already stays. */
async function changes(db: Database, claim: Claim, plan: RevisionPlan, part: Part): Promise<Batch> {
  const { stale = [], embedded = [], reused = [] } = part
  const isHeld = transitions.leaseFence(claim)
  const vectors = await toRows(embedded)
  const chunks = [...reused, ...embedded.flatMap((each) => each.chunks)].map((chunk) => toNewChunk(chunk, plan))
  return {
    ...(stale.length > 0 && { stale: deleteStale(db, claim, stale) }),
    ...(vectors.length > 0 && {
      vectors: insertVectors(db, claim, vectors, isHeld).onConflict((conflict) => conflict.doNothing()),
    }),
    ...(chunks.length > 0 && {
      chunks: insertChunks(db, claim, chunks, isHeld).onConflict((conflict) => conflict.doNothing()),
    }),
  }
}

function deleteStale(db: Database, claim: Claim, stale: StoredChunk[]) {
  return db
    .deleteFrom('chunks as c')
    .using(['documents as d', recordset('stale', { revision: 'int', chunk_index: 'int' }, stale)])
    .where(transitions.leaseFence(claim))
    .where('c.organization_id', '=', claim.organizationId)
    .where('c.document_id', '=', claim.documentId)
    .whereRef('c.revision', '=', 'stale.revision')
    .whereRef('c.chunk_index', '=', 'stale.chunk_index')
}

async function toRows(embedded: Embedded[]): Promise<VectorRow[]> {
  return await inTurns(
    mapped(embedded, ({ vectorId, vector }) => ({ id: vectorId, ...toStored(vector), sketch: sketchOf(vector) })),
  )
}

function toNewChunk({ metadata: { headings }, ...chunk }: Chunk, { vectorIds }: RevisionPlan): NewChunk {
  return { ...chunk, id: newId(), metadata: { headings }, vector_id: vectorIds[chunk.chunk_index]! }
}

/** Of the vectors of the revision's chunks, in order: those that it brought and those that it keeps. */
function fingerprintOfStored({ organizationId, documentId, revision, activeRevision }: Claim, count: number) {
  return sql<Buffer>`(
    select sha256(coalesce(string_agg(uuid_send(planned.vector), '' order by planned.position), '')) from (
      select distinct on (${c.chunk_index}) ${c.chunk_index} as position, ${c.vector_id} as vector from chunks c
      where ${c.organization_id} = ${organizationId} and ${c.document_id} = ${documentId}
        and (${c.revision} = ${revision} or ${c.revision} <= ${activeRevision} and ${c.chunk_index} < ${count})
      order by ${c.chunk_index}, ${c.revision} desc) planned)`
}

function fingerprint(vectorIds: string[]): Buffer {
  const hash = createHash('sha256')
  for (const id of vectorIds) hash.update(id.replaceAll('-', ''), 'hex')
  return hash.digest()
}

function offsetsOf(chunks: Chunk[]): number[] {
  return chunks.flatMap(({ metadata: { start, end } }) => [start, end])
}
