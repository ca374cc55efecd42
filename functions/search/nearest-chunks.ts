import { type Expression, sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import type { AgentScope } from '../../shared/database/scope.ts'
import { chunkMetadata } from '../../shared/documents/served-chunks.ts'
import { toStored } from '../../shared/embedding/vectors.ts'
import { estimateDeviation, querySketch } from './query-sketch.ts'
import type { SearchInput } from './schemas.ts'

export type Filters = Pick<SearchInput, 'limit' | 'min_score' | 'document_ids' | 'metadata'>

/** Up to so many chunks, all are compared exactly. */
const exactChunks = 1000
const maxCandidates = 2000
/** A chunk is left out if its estimate is so many deviations below the last of the best estimates. */
const deviations = 3

/** An offset of 0 keeps a lateral subquery as it is: row by row through a primary key, whatever the statistics say. */
export const fence = sql.lit(0)

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')

/**
 * Adds the common table expression `nearest`: the agent's served chunks nearest to the vector, in no order, with their cosine as
 * `score`. The best `limit` are among them.
 *
 * An index alone gives each chunk's sketch, by which its cosine is estimated. The best by estimate are compared exactly. How many
 * depends on the vectors: all whose estimate is not too far below the last of the best.
 */
export function withNearest(db: Database, scope: AgentScope, vector: ArrayLike<number>, filters: Filters) {
  const { planes, cosinePerUnit } = querySketch(vector)
  const weighted = planes.map((plane, i) => {
    const weight = sql.lit(2 ** (planes.length - 1 - i))
    return sql`${weight} * (${c.sketch} <~> ${plane}::bit(1536))`
  })
  const slack = (deviations * estimateDeviation) / cosinePerUnit

  return db
    .with(
      (cte) => cte('query').materialized(),
      (db) => db.selectNoFrom(sql<string>`${toStored(vector).embedding}::halfvec(1536)`.as('vector')),
    )
    .with(
      (cte) => cte('candidates').materialized(),
      (db) =>
        db
          .selectFrom('chunks as c')
          .select(['c.document_id', 'c.revision', 'c.chunk_index', 'c.vector_id'])
          .select(sql<number>`${sql.join(weighted, sql` + `)}`.as('distance'))
          .where(isSearched(scope, filters))
          .where('c.sketch', 'is not', null)
          .orderBy('distance')
          .limit(maxCandidates),
    )
    .with('bound', (db) =>
      db.selectFrom('candidates').select(({ ref, fn }) =>
        sql<number>`case when ${fn.countAll()} > ${exactChunks}::int
          then (array_agg(${ref('distance')} order by ${ref('distance')}))[${filters.limit}::int] + ${slack}::float8
          else 'infinity' end`.as('distance'),
      ),
    )
    .with('nearest', (db) =>
      db
        .selectFrom('candidates as n')
        .innerJoinLateral(
          (from) =>
            from
              .selectFrom('vectors as v')
              .select(({ ref }) => cosine(ref('v.embedding')).as('score'))
              .where('v.organization_id', '=', scope.organizationId)
              .whereRef('v.document_id', '=', 'n.document_id')
              .whereRef('v.id', '=', 'n.vector_id')
              .offset(fence)
              .as('v'),
          (join) => join.onTrue(),
        )
        .select(['n.document_id', 'n.revision', 'n.chunk_index', 'v.score'])
        .where(({ eb, selectFrom }) => eb('n.distance', '<=', selectFrom('bound').select('bound.distance')))
        .unionAll(
          db
            .selectFrom('chunks as c')
            .select(['c.document_id', 'c.revision', 'c.chunk_index'])
            // As a float32: its numbers may be too large for half precision, or too small.
            .select(sql<number>`1 - (${c.embedding} <=> (select query.vector::vector(1536) from query))`.as('score'))
            .where(isSearched(scope, filters))
            .where('c.embedding', 'is not', null)
            .where('c.vector_id', 'is', null),
        ),
    )
}

function cosine(embedding: Expression<unknown>) {
  return sql<number>`1 - (${embedding} <=> (select query.vector from query))`
}

function isSearched({ organizationId, agentId }: AgentScope, { document_ids, metadata }: Filters) {
  // By far most agents have no such document, and none of their chunks is looked at.
  const unserved = sql`select ${d.id} from documents d where ${d.organization_id} = ${organizationId}
    and ${d.agent_id} = ${agentId} and ${d.active_revision} is distinct from ${d.revision}`
  const ofDocument = sql`from documents d where ${d.organization_id} = ${organizationId} and ${d.id} = ${c.document_id}`
  const conditions = [
    sql`${c.organization_id} = ${organizationId} and ${c.agent_id} = ${agentId}`,
    sql`(${c.document_id} <> all(array(${unserved})) or ${c.revision} <= (select ${d.active_revision} ${ofDocument}))`,
  ]
  if (document_ids) conditions.push(sql`${c.document_id} = any(${document_ids}::uuid[])`)
  if (metadata) {
    const isOwn = !('start' in metadata || 'end' in metadata)
    const searched = isOwn ? c.metadata : sql`(select ${chunkMetadata} ${ofDocument})`
    conditions.push(sql`${searched} @> ${JSON.stringify(metadata)}::jsonb`)
  }
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}
