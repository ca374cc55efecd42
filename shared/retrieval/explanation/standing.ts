import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { AgentScope } from '../../database/scope.ts'
import { type Embedder, EmbeddingError } from '../../embedding/embedder.ts'
import { assumedModel, servingEmbedder } from '../../embedding/serving-embedder.ts'
import type { DocumentId } from '../../ids.ts'
import { Unavailable } from '../../unavailable.ts'
import { comparedHits, orderedByRuns } from '../letter-runs.ts'
import { queryVectorKey } from '../query-vector/query-vectors.ts'
import type { Hit, Mode, Source } from '../schemas.ts'
import { withSource } from '../search.ts'
import { type AskedQuestion, asQuestion, questionsOf } from '../statement/asked-question.ts'

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
  asOf?: string | undefined
}

/** The maximum that a caller can ask search for: up to this place, a place is the one that search gives. */
const surePlaces = 50
/** An agent with more chunks is searched by candidates: `compared_exactly` in semantic-arm.sql. */
const comparedExactly = 200

/** Scores every passage of the document as search does. The vector is made here, or read where stored. @throws Unavailable */
export async function findStanding(
  db: Database,
  configured: Embedder,
  scope: AgentScope,
  { query, mode, documentId, asOf }: Asked,
): Promise<Standing> {
  const isSemantic = mode !== 'keyword'
  const embedder = await servingEmbedder(db, scope, configured)
  const vector = isSemantic && embedder.isLocal ? await embedQuery(embedder, query) : undefined
  const key = vector ? undefined : queryVectorKey(embedder.model, query)
  const [asked] = questionsOf(scope, mode, [{ query, vector, key }], {
    limit: surePlaces,
    as_of: asOf,
  })
  const models = { asked_model: embedder.model, assumed_model: assumedModel(configured) }
  const { rows } = await db.batch({ rows: standing(scope, documentId, { ...asked!, ...models }) })
  const { compared, is_large } = rows[0]!
  const found = rows.flatMap(({ compared, is_large, ...row }) => (row.place === null ? [] : [row]))
  const isOrdered = mode === 'hybrid' && found.some(({ semantic }) => semantic !== null)
  const ordered = isOrdered ? orderedByRuns([query], found) : found
  const index = ordered.findIndex(({ document_id }) => document_id === documentId)
  if (index < 0) return { best: undefined, compared, isExact: !is_large }
  const { place: given, semantic, keyword, ...hit } = ordered[index]!
  const place = given > comparedHits ? given : index + 1
  return {
    best: { place, hit: { ...withSource(hit), scores: { semantic, keyword } } },
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
  | (Omit<Hit, 'scores' | 'source'> & Hit['scores'] & Pick<Source, 'url' | 'page'> & { place: number })
  | { place: null }
)

function standing({ organizationId, agentId }: AgentScope, documentId: DocumentId, asked: AskedQuestion) {
  return sql<Row>`with placed as (
  select *, (row_number() over (order by score desc, document_id, chunk_index))::int as place
  from scored_chunks(with_stored_vectors(${asQuestion(asked)}), ${documentId})),
sized as (
  select count(*)::int as compared, (
    select coalesce(sum(chunk_count), 0) > ${comparedExactly} from documents
    where organization_id = ${organizationId} and agent_id = ${agentId} and active_revision is not null) as is_large
  from placed),
best as (
  select n.place, n.score, n.semantic, n.keyword, n.document_id, n.chunk_index,
    c.id as chunk_id, d.title as document_title, c.content, c.token_count, m.metadata,
    case when d.external_id ~ '^https?://' then d.external_id end as url, d.chunk_pages -> n.chunk_index as page
  from placed n
  join documents d on d.organization_id = ${organizationId} and d.id = n.document_id
  join chunks c on c.organization_id = d.organization_id and c.agent_id = ${agentId} and c.document_id = d.id
    and c.revision = n.revision and c.chunk_index = n.chunk_index
  cross join metadata_of_chunk(c.organization_id, c.agent_id, c.document_id, c.revision, c.chunk_index) m
  where n.place <= ${comparedHits} or n.place = (select min(place) from placed where document_id = ${documentId})
  order by n.place)
select * from sized left join best on true order by place`
}
