import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Chunk } from '../../shared/chunking/chunker.ts'
import { inTurns, mapped } from '../../shared/concurrency/steps.ts'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Batch, Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { type AgentScope, isAgent } from '../../shared/database/scope.ts'
import { toVectorRow, type VectorRow } from '../../shared/database/vector-rows.ts'
import { isLeasedRevision, leaseFence, processing } from '../../shared/documents/processing/guards.ts'
import { insertChunks, insertVectors, type NewChunk } from '../../shared/documents/processing/new-chunks.ts'
import { deleteUnusedVectors } from '../../shared/documents/processing/served-chunks.ts'
import * as transitions from '../../shared/documents/processing/transitions.ts'
import { pagesOf } from '../../shared/documents/text/page-starts.ts'
import { newId } from '../../shared/ids.ts'
import type { Permit } from '../../shared/knowledge/commit.ts'
import { countTokens } from '../../shared/limits/tokens.ts'
import { chunkTerms } from '../../shared/terms/indexed-terms.ts'
import type { RevisionClaim, StoredChunk } from './claim.ts'
import type { Missing, RevisionPlan } from './revision-plan.ts'

export interface Embedded extends Missing {
  vector: Float32Array
}

export interface Part {
  claim: RevisionClaim
  plan: RevisionPlan
  stale?: StoredChunk[]
  embedded?: Embedded[]
  reused?: Chunk[]
  /** The first part also sets `planned_chunk_count`. */
  isFirst?: boolean
  spent?: number
}

/** The last part of a revision, after which search serves it. */
export interface LastPart extends Part {
  permit: Permit
}

/**
 * `outdated`: the agent's checks or served knowledge have changed since the verdict. `other_model`: another model serves the
 * agent by now.
 */
export type Completion = 'served' | 'lease_lost' | 'outdated' | 'other_model'

/** Stores chunks that search does not serve yet. @returns false if the lease is lost, and then nothing has changed */
export async function storePart(db: Database, part: Part): Promise<boolean> {
  const { held } = await db.batch({
    // Makes a request that changes the document wait until the parts are stored.
    held: db
      .selectFrom('documents as d')
      .select('d.id')
      .where(areLeased([part]))
      .forShare(),
    ...(await changes([part])),
    ...(part.stale?.length && { unused: deleteUnusedVectors(part.claim, areLeased([part])) }),
    ...(part.isFirst && { planned: setPlannedCount(part) }),
  })
  return held.length > 0
}

/**
 * Completes revisions of one agent; `lease_lost` also means that the stored chunks are not the planned ones. A part whose permit has a verdict
 * completes in a call of its own.
 */
export async function completeRevisions(db: Database, parts: LastPart[]): Promise<Completion[]> {
  const [{ claim: scope, permit, plan }] = parts as [LastPart, ...LastPart[]]
  const { model } = plan
  const { organizationId } = scope
  const ids = parts.map(({ claim }) => claim.documentId)
  const spent = parts.reduce((sum, part) => sum + (part.spent ?? 0), 0)
  const { completed } = await db.batch({
    // Locks in the order of all statements, and before the agent's row, which a completion locks.
    held: db.selectFrom('documents as d').select('d.id').where(areLeased(parts)).orderBy('d.id').forNoKeyUpdate(),
    ...(await changes(parts)),
    locked: permit.lock(),
    ...(parts.some(({ claim }) => claim.model === null) && { named: nameModel(scope, model) }),
    completed: db
      .with('completed', (db) =>
        db
          .updateTable('documents as d')
          .from(recordset('planned', plannedColumns, parts.map(toPlanned)))
          .set(({ ref }) => ({
            ...transitions.complete,
            chunk_count: ref('planned.chunk_count'),
            chunk_offsets: ref('planned.chunk_offsets'),
            chunk_pages: ref('planned.chunk_pages'),
            ...permit.warnings,
          }))
          .where(areLeased(parts))
          .where(permit.isValid)
          .where(isServedBy(scope, model))
          .whereRef('d.id', '=', 'planned.document_id')
          .where(({ ref }) => sql<boolean>`${fingerprintOfStored(parts)} = ${ref('planned.fingerprint')}`)
          .returning(['d.id', 'd.revision', 'planned.chunk_count', 'planned.served_revision']),
      )
      .with(
        'superseded',
        () => sql`(delete from chunks c using completed
          where c.organization_id = ${organizationId} and c.document_id = any(${ids}::uuid[])
            and c.document_id = completed.id and c.revision <> completed.revision
            and (c.revision > completed.served_revision or c.chunk_index >= completed.chunk_count
              or exists (select from chunks newer
                where newer.organization_id = ${organizationId} and newer.document_id = any(${ids}::uuid[])
                  and newer.document_id = c.document_id and newer.revision = completed.revision
                  and newer.chunk_index = c.chunk_index)))`,
      )
      .selectFrom(
        sql<{ holds: boolean; serves: boolean }>`(
          select ${permit.isValid} as holds, ${isServedBy(scope, model)} as serves)`.as('guard'),
      )
      .leftJoin('completed', (join) => join.onTrue())
      .select(['completed.id', 'guard.holds', 'guard.serves']),
    ...deleteUnused(parts),
    ...(spent > 0 && { counted: countTokens(organizationId, spent) }),
  })
  const done = new Set(completed.map(({ id }) => id))
  const { holds, serves } = completed[0]!
  const otherwise = serves ? (holds ? 'lease_lost' : 'outdated') : 'other_model'
  return ids.map((id) => (done.has(id) ? 'served' : otherwise))
}

function nameModel(scope: AgentScope, model: string) {
  return sql`update agents a set model = ${model} where ${isAgent(scope)} and a.model is null`
}

function isServedBy(scope: AgentScope, model: string) {
  return sql<boolean>`exists (select from agents a where ${isAgent(scope)} and a.model = ${model})`
}

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')

const plannedColumns = {
  document_id: 'uuid',
  served_revision: 'int',
  chunk_count: 'int',
  chunk_offsets: 'int[]',
  chunk_pages: 'jsonb',
  fingerprint: 'bytea',
} as const

function toPlanned({ claim, plan }: Part): Record<keyof typeof plannedColumns, unknown> {
  return {
    document_id: claim.documentId,
    served_revision: claim.activeRevision,
    chunk_count: plan.chunks.length,
    chunk_offsets: offsetsOf(plan.chunks),
    chunk_pages: claim.pageStarts && pagesOf(plan.chunks, claim.pageStarts),
    fingerprint: `\\x${fingerprint(plan.vectorIds)}`,
  }
}

function areLeased(parts: Part[]) {
  const fences = parts.map(({ claim }) => leaseFence(claim))
  return sql<boolean>`(${sql.join(fences, sql` or `)})`
}

async function changes(parts: Part[]): Promise<Batch> {
  const stale = parts.flatMap(({ claim, stale = [] }) =>
    stale.map((chunk) => ({ document_id: claim.documentId, ...chunk })),
  )
  const vectors = await Promise.all(
    parts.map(async ({ claim, embedded = [] }) => ({ scope: claim, rows: await toRows(embedded) })),
  )
  const chunks = await Promise.all(
    parts.map(async (part) => ({ scope: part.claim, rows: await inTurns(mapped(chunksOf(part), toNewChunk(part))) })),
  )
  return {
    ...(stale.length > 0 && { stale: deleteStale(parts, stale) }),
    ...(vectors.some(({ rows }) => rows.length > 0) && {
      vectors: insertVectors(vectors, areLeased(parts), parts[0]!.plan.model),
    }),
    ...(chunks.some(({ rows }) => rows.length > 0) && {
      chunks: insertChunks(chunks, areLeased(parts)),
    }),
  }
}

function setPlannedCount({ claim, plan }: Part) {
  return processing.update(leaseFence(claim), { planned_chunk_count: plan.chunks.length - plan.keptCount })
}

function deleteStale(parts: Part[], stale: object[]) {
  const columns = { document_id: 'uuid', revision: 'int', chunk_index: 'int' } as const
  const rows = recordset('stale', columns, stale as Record<keyof typeof columns, unknown>[])
  return sql`delete from chunks c using documents d, ${rows}
    where ${areLeased(parts)} and c.organization_id = ${parts[0]!.claim.organizationId} and c.document_id = d.id
      and (c.document_id, c.revision, c.chunk_index) = (stale.document_id, stale.revision, stale.chunk_index)`
}

function deleteUnused(parts: Part[]): Batch {
  const edited = parts.filter(({ claim }) => claim.stored.length > 0)
  return Object.fromEntries(edited.map(({ claim }, i) => [`unused${i}`, deleteUnusedVectors(claim, isServed(claim))]))
}

function isServed(claim: RevisionClaim) {
  return sql<boolean>`(${isLeasedRevision(claim)} and ${d.active_revision} = ${d.revision})`
}

async function toRows(embedded: Embedded[]): Promise<VectorRow[]> {
  return await inTurns(mapped(embedded, ({ vectorId, vector }) => toVectorRow(vectorId, vector)))
}

function chunksOf({ reused = [], embedded = [] }: Part): Chunk[] {
  return [...reused, ...embedded.flatMap((each) => each.chunks)]
}

const toNewChunk =
  ({ plan: { vectorIds } }: Part) =>
  ({ metadata: { headings }, ...chunk }: Chunk): NewChunk => ({
    ...chunk,
    id: newId(),
    metadata: { headings },
    vector_id: vectorIds[chunk.chunk_index]!,
    terms: chunkTerms(chunk.content, headings),
  })

/** The hash of the vector ids that the revision of `d` brought or keeps, in order. */
function fingerprintOfStored(parts: Part[]) {
  return sql<Buffer>`(
    select sha256(coalesce(string_agg(uuid_send(stored.vector), '' order by stored.position), '')) from (
      select distinct on (${c.chunk_index}) ${c.chunk_index} as position, ${c.vector_id} as vector from chunks c
      where ${c.organization_id} = ${parts[0]!.claim.organizationId} and ${c.document_id} = ${d.id} and (${c.revision} = ${d.revision}
        or ${c.revision} <= ${sql.ref('planned.served_revision')} and ${c.chunk_index} < ${sql.ref('planned.chunk_count')})
      order by ${c.chunk_index}, ${c.revision} desc) stored)`
}

function fingerprint(vectorIds: string[]): string {
  const hash = createHash('sha256')
  for (const id of vectorIds) hash.update(id.replaceAll('-', ''), 'hex')
  return hash.digest('hex')
}

function offsetsOf(chunks: Chunk[]): number[] {
  return chunks.flatMap(({ metadata: { start, end } }) => [start, end])
}
