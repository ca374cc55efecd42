import { type Expression, type QueryCreator, sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Parameters } from '../../database/compiled-once.ts'
import type { Tables } from '../../database/tables.ts'
import { toStored } from '../../embedding/vectors.ts'
import type { QueryVectorKey } from '../query-vector/query-vectors.ts'
import { fence, isSearched, type Searched, type WithUnserved } from '../searched.ts'
import { allCandidates, nearCandidates } from './candidates.ts'
import { estimateDeviation, querySketch } from './query-sketch.ts'

/** A chunk is left out if its estimate is so many deviations below the last of the best estimates. */
const deviations = 3

const c = columnsOf('chunks', 'c')

/** What the statement takes for granted of the agent. If it is wrong it says so, and must be repeated. */
export interface Traits {
  /** Whether the agent may have more chunks than are all compared: right for any agent, but slower for a small one. */
  isLarge: boolean
  /** Whether the agent has chunks whose vector is still in their own row. */
  hasUnconverted: boolean
}

/** Values of the statement's parameters. */
export type Near = Searched & ReturnType<typeof nearTo> & Traits

/** A vector, or the key under which one may be stored; without either nothing is near. */
export function nearTo(vector: ArrayLike<number> | undefined, storedVector?: QueryVectorKey) {
  return { ...storedQuery(vector), storedVector: vector ? undefined : storedVector, hasVector: vector !== undefined }
}

/** As the table `query_vectors` has it. */
export function storedQuery(vector: ArrayLike<number> | undefined) {
  const { high, middle, low, cosinePerUnit } = vector ? querySketch(vector) : {}
  return { vector: vector && toStored(vector).embedding, high, middle, low, cosinePerUnit }
}

/**
 * Adds the common table expressions `query`, of one row, or none when no vector is there, and `nearest`: the agent's served chunks
 * nearest to it, in no order, with their cosine as `score`. The best `limit` are among them.
 */
export function withNearest<DB extends WithUnserved>(db: QueryCreator<DB>, near: Parameters<Near>) {
  const asked: QueryCreator<WithQuery> = (db as unknown as QueryCreator<WithUnserved>).with(
    (cte) => cte('query').materialized(),
    (db) => (near.hasVector ? givenQuery(db, near) : rememberedQuery(db, near)),
  )
  const withCandidates = near.isLarge ? nearCandidates(asked, near) : allCandidates(asked, near)
  return withCandidates.with(
    (cte) => cte('nearest').materialized(),
    (db) => {
      const nearest = db
        .selectFrom('candidates as n')
        .innerJoinLateral(
          (from) =>
            from
              .selectFrom('vectors as v')
              .select(({ ref }) => cosine(ref('v.embedding')).as('score'))
              .where('v.organization_id', '=', near.organizationId)
              .whereRef('v.document_id', '=', 'n.document_id')
              .whereRef('v.id', '=', 'n.vector_id')
              .offset(fence)
              .as('v'),
          (join) => join.onTrue(),
        )
        .select(['n.document_id', 'n.revision', 'n.chunk_index', 'v.score'])
      return near.hasUnconverted ? nearest.unionAll(unconverted(db, near)) : nearest
    },
  )
}

/** Of a vector and the query's; null when that is not there. */
export function cosine(embedding: Expression<unknown>) {
  return sql<number>`1 - (${embedding} <=> (select query.vector from query))`
}

/** The common table expression `query`. */
export interface Query {
  vector: string
  high: string
  middle: string
  low: string
  /** Units of distance by which an estimate may err. */
  slack: number
}
export type WithQuery = WithUnserved & { query: Query }

function givenQuery(db: QueryCreator<Tables>, near: Parameters<Near>): Expression<Query> {
  const { vector, high, middle, low, cosinePerUnit } = near
  return db.selectNoFrom([
    sql<string>`${vector}::halfvec(1536)`.as('vector'),
    sql<string>`${high}::bit(1536)`.as('high'),
    sql<string>`${middle}::bit(1536)`.as('middle'),
    sql<string>`${low}::bit(1536)`.as('low'),
    slackOf(sql`${cosinePerUnit}::float8`).as('slack'),
  ])
}

function rememberedQuery(db: QueryCreator<Tables>, near: Parameters<Near>): Expression<Query> {
  return db
    .selectFrom('query_vectors as q')
    .select(['q.embedding as vector', 'q.high', 'q.middle', 'q.low'])
    .select(({ ref }) => slackOf(ref('q.cosine_per_unit')).as('slack'))
    .where('q.organization_id', '=', near.organizationId)
    .where('q.key', '=', sql<Buffer>`${near.storedVector ?? sql`null`}::bytea`)
}

function slackOf(cosinePerUnit: Expression<unknown>) {
  return sql<number>`${sql.lit(deviations * estimateDeviation)} / ${cosinePerUnit}`
}

function unconverted(db: QueryCreator<WithQuery>, near: Parameters<Near>) {
  return (
    db
      .selectFrom('chunks as c')
      .select(['c.document_id', 'c.revision', 'c.chunk_index'])
      // As a float32: its numbers may be too large for half precision, or too small.
      .select(sql<number>`1 - (${c.embedding} <=> (select query.vector::vector(1536) from query))`.as('score'))
      .where(isSearched(near))
      .where(isThere(near))
      .where(isUnconverted)
  )
}

/** Whether there is a vector to compare with. */
export function isThere({ hasVector }: Parameters<Near>) {
  return hasVector ? sql<boolean>`true` : sql<boolean>`exists (select from query)`
}

export const isUnconverted = sql<boolean>`(${c.embedding} is not null and ${c.vector_id} is null)`
