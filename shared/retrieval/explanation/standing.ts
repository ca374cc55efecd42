import { sql } from 'kysely'
import { compiledOnce } from '../../database/compiled-once.ts'
import type { Database } from '../../database/database.ts'
import type { AgentScope } from '../../database/scope.ts'
import { chunkMetadata } from '../../documents/served-chunks.ts'
import { type Embedder, EmbeddingError } from '../../embedding/embedder.ts'
import type { DocumentId } from '../../ids.ts'
import { Unavailable } from '../../unavailable.ts'
import { comparedHits, orderedByRuns } from '../letter-runs.ts'
import { queryVectorKey } from '../query-vector/query-vectors.ts'
import type { Hit, Mode } from '../schemas.ts'
import { worstCaseTraits } from '../search.ts'
import { type SearchParameters, searchParameters } from '../statement/search-parameters.ts'
import { arms, isLarge } from '../statement/search-statement.ts'

export interface Standing {
  /** Undefined where no passage of the document has anything of the question, or none is served. */
  best: { hit: Hit; place: number } | undefined
  compared: number
  /** Whether these are all that have anything of the question; else `place` is the best that it can be. */
  isExact: boolean
}

interface Asked {
  query: string
  mode: Mode
  documentId: DocumentId
}

/** The maximum that a caller can ask search for: up to this place, a place is the one that search gives. */
const surePlaces = 50

/** Runs the statement of search so that it scores every passage of the document too. The vector is made here, or read where stored. @throws Unavailable */
export async function findStanding(
  db: Database,
  embedder: Embedder,
  scope: AgentScope,
  { query, mode, documentId }: Asked,
): Promise<Standing> {
  const isSemantic = mode !== 'keyword'
  const vector = isSemantic && embedder.isLocal ? await embedQuery(embedder, query) : undefined
  const storedVector = vector ? undefined : queryVectorKey(embedder.model, query)
  const parameters = searchParameters(scope, { mode, query, vector, storedVector }, { limit: surePlaces }, documentId)
  const statement = standing({ ...parameters, ...worstCaseTraits })
  const { rows } = await db.batch({ rows: statement })
  const { compared, is_large } = rows[0]!
  const found = rows.flatMap(({ compared, is_large, ...row }) => (row.place === null ? [] : [row]))
  const isOrdered = mode === 'hybrid' && found.some(({ semantic }) => semantic !== null)
  const ordered = isOrdered ? orderedByRuns(query, found) : found
  const index = ordered.findIndex(({ document_id }) => document_id === documentId)
  if (index < 0) return { best: undefined, compared, isExact: !is_large }
  const { place: given, semantic, keyword, ...hit } = ordered[index]!
  const place = given > comparedHits ? given : index + 1
  return {
    best: { place, hit: { ...hit, scores: { semantic, keyword } } },
    compared,
    isExact: !is_large || place <= surePlaces,
  }
}

async function embedQuery(embedder: Embedder, query: string): Promise<Float32Array> {
  try {
    const [vector] = await embedder.embed([query], { of: 'query' })
    return vector!
  } catch (error) {
    throw error instanceof EmbeddingError ? new Unavailable('embedding_provider', error) : error
  }
}

type Row = { compared: number; is_large: boolean } & (
  | (Omit<Hit, 'scores'> & Hit['scores'] & { place: number })
  | { place: null }
)

const standing = compiledOnce<SearchParameters, Row>(
  (_, p) => sql<Row>`with ${arms(p)},
placed as (
  select *, (row_number() over (order by score desc, document_id, chunk_index))::int as place from scored),
sized as (
  select count(*)::int as compared, coalesce(${isLarge(p)}, false) as is_large from scored),
best as (
  select n.place, n.score, n.semantic, n.keyword, n.document_id, n.chunk_index,
    c.id as chunk_id, c.title as document_title, c.content, c.token_count, c.metadata
  from placed n cross join lateral (
    select d.title, c.id, c.content, c.token_count, ${chunkMetadata} as metadata
    from documents d join chunks c on c.organization_id = d.organization_id and c.document_id = d.id
    where d.organization_id = ${p.organizationId} and d.id = n.document_id
      and c.revision = n.revision and c.chunk_index = n.chunk_index offset 0) c
  where n.place <= ${sql.lit(comparedHits)}
    or n.place = (select min(place) from placed where document_id = ${p.examined})
  order by n.place)
select * from sized left join best on true order by place`,
)
