import { type QueryCreator, type Selectable, sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Parameters } from '../../database/compiled-once.ts'
import type { Tables } from '../../database/tables.ts'
import { isSearched } from '../searched.ts'
import { isThere, type Near, type WithQuery } from './nearest-chunks.ts'

/** Up to so many chunks, all are compared exactly. */
export const exactChunks = 1000
const maxCandidates = 2000
/** A sample as large as this is not of an agent with up to `exactChunks`: it has one chunk in 32. */
const minSample = 64

type Candidate = Pick<Selectable<Tables['chunks']>, 'document_id' | 'revision' | 'chunk_index' | 'vector_id'>
/** Whether more chunks are searched than are compared exactly whatever their sketches say. */
type Size = { is_large: boolean }
type WithCandidates = WithQuery & { candidates: Candidate; size: Size }

const c = columnsOf('chunks', 'c')

/** For an agent that has few chunks: all of them. If it is large all the same, the search must be repeated for a large one. */
export function allCandidates(db: QueryCreator<WithQuery>, near: Parameters<Near>) {
  const withCandidates: QueryCreator<WithCandidates> = db
    .with(
      (cte) => cte('candidates').materialized(),
      (db) =>
        db
          .selectFrom('chunks as c')
          .select(['c.document_id', 'c.revision', 'c.chunk_index', 'c.vector_id'])
          .where(isSearched(near))
          .where('c.sketch', 'is not', null)
          .where(isThere(near))
          .limit(exactChunks + 1),
    )
    .with('size', (db) =>
      db
        .selectFrom('candidates')
        .select(({ fn }) => sql<boolean>`${fn.countAll()} > ${exactChunks}::int`.as('is_large')),
    )
  return withCandidates
}

/**
 * For an agent of any size: those that their sketches show to be near, from an index alone. They are all whose estimate is not too
 * far below the last of the best estimates. Of a large agent most are dropped before they are sorted: the last of the best in a
 * sample is no nearer than that of all, so that what is too far for the sample is too far.
 */
export function nearCandidates(db: QueryCreator<WithQuery>, near: Parameters<Near>) {
  const { limit } = near
  const differing = (plane: 'high' | 'middle' | 'low') => sql`(${c.sketch} <~> (select ${sql.ref(plane)} from query))`
  const distance = sql<number>`(4 * ${differing('high')} + 2 * ${differing('middle')} + ${differing('low')})`
  const reachOf = (table: 'sample' | 'estimated') =>
    sql<number>`(select distance from ${sql.table(table)} order by distance limit 1 offset ${limit}::int - 1) + (select slack from query)`
  const withCandidates: QueryCreator<WithCandidates> = db
    .with(
      (cte) => cte('sample').materialized(),
      (db) =>
        db
          .selectFrom('chunks as c')
          .select(distance.as('distance'))
          .where(isSearched(near))
          .where('c.sketch', 'is not', null)
          .where(isThere(near))
          .where(isSampled),
    )
    .with('reach', (db) =>
      db
        .selectFrom('sample')
        .select(({ fn }) =>
          sql<number>`coalesce(case when ${fn.countAll()} >= ${minSample}::int then ${reachOf('sample')} end, 'infinity')`.as(
            'distance',
          ),
        ),
    )
    .with(
      (cte) => cte('estimated').materialized(),
      (db) =>
        db
          .selectFrom('chunks as c')
          .select(['c.document_id', 'c.revision', 'c.chunk_index', 'c.vector_id', distance.as('distance')])
          .where(isSearched(near))
          .where('c.sketch', 'is not', null)
          .where(isThere(near))
          .where(({ eb, selectFrom }) => eb(distance, '<=', selectFrom('reach').select('reach.distance')))
          .orderBy('distance')
          .limit(maxCandidates),
    )
    .with('size', (db) =>
      db
        .selectFrom('estimated')
        .select(({ fn }) =>
          sql<boolean>`${fn.countAll()} > ${exactChunks}::int or (select distance from reach) < 'infinity'`.as(
            'is_large',
          ),
        ),
    )
    .with('candidates', (db) => {
      const inReach = db
        .selectFrom('estimated')
        .select(['document_id', 'revision', 'chunk_index', 'vector_id'])
        .where(
          sql<boolean>`distance <= (select case when is_large then ${reachOf('estimated')} else 'infinity' end from size)`,
        )
      return near.examined ? inReach.union(examinedCandidates(db, near, near.examined)) : inReach
    })
  return withCandidates
}

function examinedCandidates(
  db: QueryCreator<WithQuery>,
  near: Parameters<Near>,
  examined: NonNullable<Parameters<Near>['examined']>,
) {
  return db
    .selectFrom('chunks as c')
    .select(['c.document_id', 'c.revision', 'c.chunk_index', 'c.vector_id'])
    .where(isSearched(near))
    .where('c.sketch', 'is not', null)
    .where(isThere(near))
    .where('c.document_id', '=', examined)
}

/** As the index `chunks_sample` says it, or it would not be used. */
const isSampled = sql<boolean>`get_byte(uuid_send(${c.vector_id}), 15) < 8`
