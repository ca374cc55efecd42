import { sql } from 'kysely'
import type { ChunkSize } from '../../../shared/chunking/chunker.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { servingEmbedder } from '../../../shared/embedding/serving-embedder.ts'
import { vectorsOf } from '../../../shared/golden/check.ts'
import { searchAfter } from '../../../shared/golden/search-after.ts'
import { replacing } from '../../../shared/golden/try-text.ts'
import { type DocumentId, newId } from '../../../shared/ids.ts'
import { estimatedTokens } from '../../../shared/limits/tokens.ts'
import type { Answer, PayingAgent } from '../../../shared/retrieval/answer.ts'
import { levelOf } from '../../../shared/retrieval/answerable.ts'
import { findValue } from '../../../shared/retrieval/value/value.ts'

interface Then {
  id: DocumentId
  /** What was served then; null where nothing was. */
  title: string | null
  content: string | null
  bytes: number
}

const maxBytes = 1024 * 1024

/**
 * What search answered at that time, as far as the texts of then are kept. Undefined where today's are those of then, or more than
 * 1 MiB has changed since. @throws ApiError rate_limited; Unavailable
 */
export async function pastAnswer(
  { db, embedder: configured, chunkSize }: { db: Database; embedder: Embedder; chunkSize: ChunkSize },
  scope: PayingAgent,
  { query, limit, asOf }: { query: string; limit: number; asOf: string },
): Promise<Answer | undefined> {
  const { changed } = await db.batch({ changed: changedSince(scope, asOf) })
  const embedder = await servingEmbedder(db, scope, configured)
  const bytes = changed.reduce((sum, each) => sum + each.bytes, 0)
  if (changed.length === 0 || bytes > maxBytes) return undefined
  const texts = changed.flatMap(({ id, title, content }) =>
    title !== null && content !== null ? [{ documentId: id, title, content }] : [],
  )
  const { changes, made } = await replacing({ db, embedder, chunkSize, ...scope.meter }, scope, texts)
  const removed = changed.filter(({ title }) => title === null)
  await scope.meter.reserveTokens(estimatedTokens(query))
  const [vector] = await vectorsOf(embedder, [query])
  const asked = { id: newId(), question: query, as_of: new Date(asOf), vector: vector!, vectorModel: embedder.model }
  const all = [...changes, ...removed.map(({ id }) => ({ document_id: id, action: 'removes' as const }))]
  const found = (await searchAfter(db, scope, { changes: all, made }, [asked])).get(asked.id)!
  const data = found.hits.slice(0, limit).map(({ revision: _, ...hit }) => hit)
  return {
    data,
    answerable: found.answerable,
    degraded: null,
    status: levelOf(data.length, found.answerable),
    value: findValue([query], data),
    likenessOf: found.likenessOf,
  }
}

/** Documents whose text is newer than that time, with what was served then; a client's own chunks of then are not kept. */
function changedSince({ organizationId, agentId }: PayingAgent, asOf: string) {
  return sql<Then>`select d.id, r.title, r.content, coalesce(octet_length(r.content), 0) as bytes
    from documents d left join lateral (
      select k.title, k.content from document_revisions k
      where k.organization_id = ${organizationId} and k.document_id = d.id and k.served_at <= ${asOf}::timestamptz
      order by k.revision desc limit 1) r on true
    where d.organization_id = ${organizationId} and d.agent_id = ${agentId} and d.revised_at > ${asOf}::timestamptz`
}
