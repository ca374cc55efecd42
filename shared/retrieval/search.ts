import { type Kysely, sql } from 'kysely'
import { compiledOnce, type Parameters } from '../database/compiled-once.ts'
import type { Database } from '../database/database.ts'
import { type AgentScope, agentNotFound } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { chunkMetadata } from '../documents/served-chunks.ts'
import type { Similarity } from '../embedding/embedder.ts'
import { payloadLimit } from '../http/payload.ts'
import type { DocumentId } from '../ids.ts'
import { withScored } from './fusion.ts'
import { soughtBy } from './keyword/keyword-chunks.ts'
import { keywordQuery } from './keyword/keyword-query.ts'
import { type QueryVectorKey, rememberQueryVector } from './query-vector/query-vectors.ts'
import type { Hit, searchModes } from './schemas.ts'
import { type Filters, fence, searchedBy, withUnserved } from './searched.ts'
import { exactChunks } from './semantic/candidates.ts'
import { isUnconverted, nearTo, type Traits } from './semantic/nearest-chunks.ts'

export interface Asked {
  mode: (typeof searchModes)[number]
  query?: string | undefined
  /** Of the query. */
  vector?: ArrayLike<number> | undefined
  /** Without a vector: where the statement itself may find it. */
  storedVector?: QueryVectorKey | undefined
  /** Where the vector, which is new, is to be stored in the same round trip. */
  remember?: QueryVectorKey | undefined
}

export interface Found {
  hits: Hit[]
  /** Whether a vector was compared. */
  hasVector: boolean
}

const maxRemembered = 10_000
/** Right for every agent. */
export const whatever: Traits = { isLarge: true, hasUnconverted: true }

/** Of a model that says nothing of its own. */
export const defaultSimilarity: Similarity = { unlike: 0.15, alike: 0.6, trust: 0.7 }

/**
 * A search that remembers of each agent what the last one found, and so asks for no more than is needed.
 * @param similarity of the model of queries
 */
export function newSearch(similarity = defaultSimilarity) {
  const remembered = new Map<string, Traits>()

  /**
   * Best first, ties by document and index; one statement, hence one snapshot. Fewer than `limit` if more would not fit into a
   * response, but at least one if any.
   * @throws ApiError agent_not_found
   */
  return async function search(db: Database, scope: AgentScope, asked: Asked, filters: Filters): Promise<Found> {
    const { mode, vector, remember: rememberAs } = asked
    const wanted = { ...wantedBy(scope, asked, filters), ...similarity }
    const key = `${scope.organizationId} ${scope.agentId}`
    const expected = remembered.get(key) ?? { isLarge: true, hasUnconverted: false }
    const remembering = vector && rememberAs && { remembered: rememberQueryVector(scope, rememberAs, vector) }
    const send = async (traits: Traits) =>
      (await db.batch({ rows: hits({ ...wanted, ...traits }), ...remembering })).rows
    let rows = await send(expected)
    const { is_agent, has_vector, is_large, is_unconverted } = rows[0]!
    if (!is_agent) agentNotFound()
    if (mode === 'keyword' && is_large !== null) remember(key, { ...expected, isLarge: is_large })
    if (has_vector) {
      const found = { isLarge: is_large!, hasUnconverted: is_unconverted as boolean }
      if (!filters.document_ids && !filters.metadata) remember(key, found)
      const isCovered = (expected.isLarge || !found.isLarge) && (expected.hasUnconverted || !found.hasUnconverted)
      if (!isCovered) rows = await send(whatever)
    }
    const found = rows.flatMap(({ is_agent, has_vector, is_large, is_unconverted, semantic, keyword, ...hit }) =>
      hit.chunk_id === null ? [] : [{ ...hit, scores: { semantic, keyword } } as Hit],
    )
    return { hits: found, hasVector: has_vector }
  }

  function remember(key: string, traits: Traits) {
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(key, traits)
  }
}

export type Wanted = ReturnType<typeof wantedBy> & Similarity & Traits

export function wantedBy(
  scope: AgentScope,
  { mode, query, vector, storedVector }: Asked,
  filters: Filters,
  examined?: DocumentId,
) {
  const sought = mode !== 'semantic' && query !== undefined ? keywordQuery(query) : undefined
  const isSemantic = mode !== 'keyword'
  return {
    ...searchedBy(scope, filters, examined),
    ...(isSemantic ? nearTo(vector, storedVector) : nearTo(undefined)),
    ...soughtBy(sought),
    isHybrid: mode === 'hybrid',
    isSemantic,
    isKeyword: sought !== undefined,
    minScore: filters.min_score,
  }
}

/** Whether a statement for a large agent is the better one. */
export function isLarge({ isSemantic, isKeyword }: Parameters<Wanted>) {
  if (isSemantic) return sql`(select is_large from size)`
  return isKeyword ? sql`(select all_chunks > ${sql.lit(exactChunks)} from totals)` : sql`null`
}

const hits = compiledOnce((db, asked: Parameters<Wanted>) => selectHits(db, asked))

/** One row at least, whose hit may be null. */
function selectHits(db: Kysely<Tables>, asked: Parameters<Wanted>) {
  return withScored(withUnserved(db, asked), asked)
    .with('best', (db) =>
      db
        .selectFrom('scored')
        .selectAll()
        .$if(asked.minScore !== undefined, (query) => query.where('score', '>=', asked.minScore!))
        .orderBy('score', 'desc')
        .orderBy('document_id')
        .orderBy('chunk_index')
        .limit(asked.limit),
    )
    .with('sized', (db) =>
      db
        .selectFrom('best as n')
        // With the fence for the planner's sake too: it weighs no orders of joins, which took it 0.1 ms.
        .crossJoinLateral((from) =>
          from
            .selectFrom('documents as d')
            .select(['d.title', 'd.active_revision', 'd.chunk_offsets'])
            .where('d.organization_id', '=', asked.organizationId)
            .whereRef('d.id', '=', 'n.document_id')
            .offset(fence)
            .as('d'),
        )
        .crossJoinLateral((from) =>
          from
            .selectFrom('chunks as c')
            .select(['c.id', 'c.content', 'c.token_count', chunkMetadata.as('metadata')])
            .where('c.organization_id', '=', asked.organizationId)
            .whereRef('c.document_id', '=', 'n.document_id')
            .whereRef('c.revision', '=', 'n.revision')
            .whereRef('c.chunk_index', '=', 'n.chunk_index')
            .offset(fence)
            .as('c'),
        )
        .select(['c.id as chunk_id', 'n.document_id', 'd.title as document_title', 'n.chunk_index', 'c.content'])
        .select(['c.token_count', 'c.metadata', 'n.score', 'n.semantic', 'n.keyword'])
        .select(({ ref }) => {
          const best = sql`over (order by ${ref('n.score')} desc, ${ref('n.document_id')}, ${ref('n.chunk_index')})`
          const bytes = sql`octet_length(${ref('c.content')}) + octet_length(${ref('c.metadata')}::text)`
          return [sql<number>`row_number() ${best}`.as('position'), sql<number>`sum(${bytes}) ${best}`.as('bytes')]
        }),
    )
    .with('agent', (db) =>
      db.selectNoFrom(({ exists, selectFrom }) => [
        exists(
          selectFrom('agents as a')
            .select('a.id')
            .where('a.organization_id', '=', asked.organizationId)
            .where('a.id', '=', asked.agentId),
        ).as('is_agent'),
        exists(
          selectFrom('chunks as c')
            .select('c.document_id')
            .where('c.organization_id', '=', asked.organizationId)
            .where('c.agent_id', '=', asked.agentId)
            .where(isUnconverted),
        ).as('is_unconverted'),
        sql<boolean>`${asked.isSemantic ? sql`exists (select from query)` : sql`false`}`.as('has_vector'),
        sql<boolean | null>`${isLarge(asked)}`.as('is_large'),
      ]),
    )
    .selectFrom('agent')
    .leftJoin('sized', (join) => join.on((eb) => eb.or([eb('position', '=', 1), eb('bytes', '<=', payloadLimit)])))
    .select(['is_agent', 'has_vector', 'is_large', 'is_unconverted', 'semantic', 'keyword'])
    .select(['chunk_id', 'document_id', 'document_title', 'chunk_index', 'content', 'token_count', 'metadata', 'score'])
    .orderBy('position')
}
