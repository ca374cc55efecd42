import { type Kysely, sql } from 'kysely'
import { compiledOnce, type Parameters } from '../../database/compiled-once.ts'
import type { Database } from '../../database/database.ts'
import type { AgentScope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { chunkMetadata } from '../../documents/served-chunks.ts'
import type { Embedder } from '../../embedding/embedder.ts'
import type { DocumentId } from '../../ids.ts'
import { withScored } from '../fusion.ts'
import { queryVectorKey } from '../query-vector/query-vectors.ts'
import type { Hit, searchModes } from '../schemas.ts'
import { defaultSimilarity, isLarge, type Wanted, wantedBy, whatever } from '../search.ts'
import { fence, withUnserved } from '../searched.ts'

/** Where a document's best passage stands among all of the agent's for a question. */
export interface Standing {
  /** Undefined where no passage of the document has anything of the question, or none is served. */
  best: { hit: Hit; place: number } | undefined
  /** How many passages have been scored. */
  compared: number
  /** Whether these are all that have anything of the question; else `place` is the best that it can be. */
  isExact: boolean
}

interface Asked {
  query: string
  mode: (typeof searchModes)[number]
  documentId: DocumentId
}

/** As many as a caller can ask search for: up to this place, a place is the one that search gives. */
const surePlaces = 50

/**
 * By the statement of search, which scores every passage of the document too, however far down it is. The vector of the question is
 * made here or stored: search has stored it when it answered that question.
 */
export async function findStanding(
  db: Database,
  embedder: Embedder,
  scope: AgentScope,
  { query, mode, documentId }: Asked,
): Promise<Standing> {
  const isSemantic = mode !== 'keyword'
  const [vector] = isSemantic && embedder.isLocal ? await embedder.embed([query]) : []
  const storedVector = vector ? undefined : queryVectorKey(embedder.model, query)
  const wanted = wantedBy(scope, { mode, query, vector, storedVector }, { limit: surePlaces }, documentId)
  const statement = standing({ ...wanted, ...(embedder.similarity ?? defaultSimilarity), ...whatever })
  const { rows } = await db.batch({ rows: statement })
  const { compared, is_large, place, semantic, keyword, ...hit } = rows[0]!
  return {
    best: place === null ? undefined : { place, hit: { ...hit, scores: { semantic, keyword } } as Hit },
    compared,
    isExact: !is_large || (place !== null && place <= surePlaces),
  }
}

const standing = compiledOnce((db, asked: Parameters<Wanted>) => selectStanding(db, asked))

/** One row. */
function selectStanding(db: Kysely<Tables>, asked: Parameters<Wanted>) {
  return withScored(withUnserved(db, asked), asked)
    .with('placed', (db) =>
      db
        .selectFrom('scored')
        .selectAll()
        .select(sql<number>`(row_number() over (order by score desc, document_id, chunk_index))::int`.as('place')),
    )
    .with('sized', (db) =>
      db
        .selectFrom('scored')
        .select([
          sql<number>`count(*)::int`.as('compared'),
          sql<boolean>`coalesce(${isLarge(asked)}, false)`.as('is_large'),
        ]),
    )
    .with('best', (db) =>
      db
        .selectFrom('placed as n')
        .where('n.document_id', '=', asked.examined!)
        .orderBy('n.place')
        .limit(1)
        .crossJoinLateral((from) =>
          from
            .selectFrom('documents as d')
            .innerJoin('chunks as c', (join) =>
              join.onRef('c.organization_id', '=', 'd.organization_id').onRef('c.document_id', '=', 'd.id'),
            )
            .select(['d.title', 'c.id', 'c.content', 'c.token_count', chunkMetadata.as('metadata')])
            .where('d.organization_id', '=', asked.organizationId)
            .whereRef('d.id', '=', 'n.document_id')
            .whereRef('c.revision', '=', 'n.revision')
            .whereRef('c.chunk_index', '=', 'n.chunk_index')
            .offset(fence)
            .as('c'),
        )
        .select(['n.place', 'n.score', 'n.semantic', 'n.keyword', 'n.document_id', 'n.chunk_index'])
        .select(['c.id as chunk_id', 'c.title as document_title', 'c.content', 'c.token_count', 'c.metadata']),
    )
    .selectFrom('sized')
    .leftJoin('best', (join) => join.onTrue())
    .selectAll()
}
