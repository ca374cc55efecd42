import { sql } from 'kysely'
import { inTurns, type Steps } from '../concurrency/steps.ts'
import type { Database } from '../database/database.ts'
import { recordset } from '../database/recordset.ts'
import { type DocumentScope, isDocument } from '../database/scope.ts'
import { isServed, scopeOfClaims } from '../documents/processing/served-chunks.ts'
import { agreeing, type Claim, claimsIn, keyOf } from '../retrieval/claims.ts'
import type { Hit } from '../retrieval/schemas.ts'
import { describeError, log } from '../telemetry/log.ts'
import { report } from '../telemetry/metrics.ts'

/** A document's chunks as search serves them. */
export interface Served {
  title: string
  revision: number
  chunk_count: number
  /** True if claims of this revision are stored, which a client's further chunks may change. */
  has_claims?: boolean
  chunks: { chunk_index: number; content: string; metadata: Hit['metadata'] }[]
}

/** Reading so much takes at most 200 ms. */
const maxCharacters = 300_000
const maxClaims = 500

/**
 * Stores what a document that search serves claims, unless it has changed since. Outside of the switch and without an error, because the
 * document is served without it, too. @param served read from the database by default
 */
export async function keepClaims(db: Database, scope: DocumentScope, served?: Served): Promise<void> {
  try {
    const read = served ?? (await findServed(db, scope))
    const claims = read && (await inTurns(claimsOf(read)))
    if (!claims || (claims.length === 0 && !read.has_claims)) return
    const { revision, chunk_count } = read
    const isCurrent = sql<boolean>`(${isDocument(scope)} and d.active_revision = ${revision} and d.chunk_count = ${chunk_count})`
    await db.batch({
      // Before its claims, as a deletion does.
      held: sql`select d.id from documents d where ${isCurrent} for no key update`,
      replaced: sql`delete from document_claims c using documents d
        where ${isCurrent} and c.organization_id = d.organization_id and c.document_id = d.id`,
      kept: sql`insert into document_claims (organization_id, document_id, key, agent_id, revision, scope, amounts, currency, chunk_index, text)
        select d.organization_id, d.id, md5(r.key)::uuid, d.agent_id, d.active_revision, ${scopeOfClaims}, md5(r.amounts)::uuid, r.currency, r.chunk_index, r.text
        from documents d cross join ${recordset('r', columns, claims.map(toRow))} where ${isCurrent}`,
    })
  } catch (error) {
    const { organizationId, agentId, documentId } = scope
    log.error('claims_not_kept', {
      organization_id: organizationId,
      agent_id: agentId,
      document_id: documentId,
      error: describeError(error),
    })
    report({ ClaimsNotKept: 1 })
  }
}

const columns = { key: 'text', amounts: 'text', currency: 'text', chunk_index: 'int', text: 'text' } as const

type PlacedClaim = Claim & { chunk_index: number }

function toRow(claim: PlacedClaim) {
  const { amounts, currency, chunk_index, text } = claim
  return { key: keyOf(claim), amounts: amounts.join(' '), currency, chunk_index, text }
}

function* claimsOf({ title: document_title, chunks }: Served): Steps<PlacedClaim[]> {
  const claims: PlacedClaim[] = []
  let characters = 0
  for (const { chunk_index, content, metadata } of chunks) {
    characters += content.length
    if (characters > maxCharacters || claims.length >= maxClaims) break
    claims.push(...claimsIn({ content, document_title, metadata }).map((claim) => ({ ...claim, chunk_index })))
    yield
  }
  return agreeing(claims).slice(0, maxClaims)
}

async function findServed(db: Database, scope: DocumentScope): Promise<Served | undefined> {
  const { rows } = await sql<Served['chunks'][number] & Omit<Served, 'chunks'>>`
    select * from (
      select d.title, d.active_revision as revision, d.chunk_count, c.chunk_index, c.content,
        exists (select from document_claims k where k.organization_id = d.organization_id and k.document_id = d.id
          and k.revision = d.active_revision) as has_claims,
        jsonb_build_object('headings', c.metadata -> 'headings') as metadata,
        sum(char_length(c.content)) over (order by c.chunk_index) as characters
      from documents d join chunks c on c.organization_id = d.organization_id and c.document_id = d.id and ${isServed}
      where ${isDocument(scope)} and c.vector_id is not null) served
    where characters <= ${maxCharacters} order by chunk_index`.execute(db)
  return rows[0] && { ...rows[0], chunks: rows }
}
