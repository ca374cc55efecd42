import { type Selectable, sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import type { DocumentScope } from '../../shared/database/scope.ts'
import type { Correction, PageStart, Tables } from '../../shared/database/tables.ts'
import { type Claim, type Claimant, claimDocuments, toClaim } from '../../shared/documents/processing/attempt.ts'
import { awaitsText, isFile } from '../../shared/documents/processing/guards.ts'
import type { AgentId } from '../../shared/ids.ts'
import { findTokensLeft } from '../../shared/limits/tokens.ts'

export type StoredChunk = Pick<Selectable<Tables['chunks']>, 'revision' | 'chunk_index' | 'vector_id'>

export interface RevisionClaim extends Claim, DocumentScope {
  /** The revision that search serves; 0 for none. */
  activeRevision: number
  stored: StoredChunk[]
  title: string
  content: string
  /** The model that serves the agent; null before its first. */
  model: string | null
  /** True if search serves something of the agent. */
  isServing: boolean
  pendingMilliseconds: number
  tokensLeft: number
  ignoresChecks: boolean
  /** True if a person is asked first whether it replaces a document that it resembles. */
  mayReplace: boolean
  /** People's corrections of the file's text. */
  corrections: Correction[]
  pageStarts: PageStart[] | null
}

const d = columnsOf('documents', 'd')
const ofAgent = sql`from agents a where a.organization_id = ${d.organization_id} and a.id = ${d.agent_id}`

/** Claims documents of one organization. @returns the claims in the order of the claimants; undefined if there is nothing to do */
export async function claimRevisions(db: Database, claimants: Claimant[]): Promise<(RevisionClaim | undefined)[]> {
  const { organizationId } = claimants[0]!
  const ids = claimants.map(({ documentId }) => documentId)
  const leaseTokens = claimants.map(({ leaseToken }) => leaseToken)
  const own = db.selectFrom('documents as d').where('d.organization_id', '=', organizationId).where('d.id', 'in', ids)
  const { claimed, stored, tokens } = await db.batch({
    // All statements that lock several documents lock them in this order.
    ...(ids.length > 1 && { locked: own.select('d.id').orderBy('d.id').forNoKeyUpdate() }),
    claimed: claimDocuments(db, claimants)
      .where(sql<boolean>`not ${awaitsText}`)
      .returning(['d.agent_id', 'd.active_revision', 'd.title', 'd.ignores_golden_questions', 'd.corrections'])
      .returning('d.page_starts')
      .returning(sql<boolean>`(${d.may_replace} and ${d.active_revision} is null and ${isFile})`.as('may_replace'))
      .returning(sql<string | null>`(select a.model ${ofAgent})`.as('model'))
      .returning(sql<boolean>`(select a.knowledge_base_enabled ${ofAgent})`.as('is_serving'))
      .returning(({ fn }) => fn.coalesce('d.content', 'd.extracted_text').as('content'))
      .returning(
        sql<number>`(extract(epoch from now() - ${d.pending_since}) * 1000)::float8`.as('pending_milliseconds'),
      ),
    stored: db
      .selectFrom('chunks as c')
      .select(['c.document_id', 'c.revision', 'c.chunk_index', 'c.vector_id'])
      .where('c.organization_id', '=', organizationId)
      .where('c.document_id', 'in', ids)
      .where(({ exists, ref }) =>
        exists(own.select('d.id').where('d.id', '=', ref('c.document_id')).where('d.lease_token', 'in', leaseTokens)),
      ),
    tokens: findTokensLeft(organizationId),
  })
  return claimants.map(({ documentId, leaseToken }) => {
    const row = claimed.find((each) => each.id === documentId && each.lease_token === leaseToken)
    return (
      row && {
        ...toClaim(row),
        agentId: row.agent_id as AgentId,
        activeRevision: row.active_revision ?? 0,
        stored: stored.filter(({ document_id }) => document_id === documentId),
        title: row.title,
        content: row.content!,
        model: row.model,
        isServing: row.is_serving,
        pendingMilliseconds: row.pending_milliseconds,
        tokensLeft: Number(tokens[0]?.left ?? 0),
        ignoresChecks: row.ignores_golden_questions,
        mayReplace: row.may_replace,
        corrections: row.corrections,
        pageStarts: row.page_starts,
      }
    )
  })
}
