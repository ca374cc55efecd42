import { type Selectable, sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import type { DocumentScope } from '../../shared/database/scope.ts'
import type { Correction, Tables } from '../../shared/database/tables.ts'
import { type Claim, type Claimant, claimDocuments, toClaim } from '../../shared/documents/attempt.ts'
import { awaitsText, isFile } from '../../shared/documents/transitions.ts'
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
  pendingMilliseconds: number
  tokensLeft: number
  ignoresGoldenQuestions: boolean
  /** A person is asked first if it resembles another document. */
  mayReplace: boolean
  /** What people have corrected in the file's text. */
  corrections: Correction[]
}

const d = columnsOf('documents', 'd')
const hasVectors = sql`exists (select from chunks c
  where c.organization_id = a.organization_id and c.agent_id = a.id and c.vector_id is not null)`
const servingModel = (previous: string | undefined) => sql<string | null>`(
  select ${previous === undefined ? sql`a.model` : sql`coalesce(a.model, case when ${hasVectors} then ${previous} end)`}
  from agents a where a.organization_id = ${d.organization_id} and a.id = ${d.agent_id})`

/**
 * Claims documents of one organization. @returns in the order of the claimants; undefined where there is nothing to do
 * @param previousModel made the vectors of agents that have some and name no model
 */
export async function claim(
  db: Database,
  claimants: Claimant[],
  previousModel?: string,
): Promise<(RevisionClaim | undefined)[]> {
  const { organizationId } = claimants[0]!
  const ids = claimants.map(({ documentId }) => documentId)
  const leaseTokens = claimants.map(({ leaseToken }) => leaseToken)
  const own = db.selectFrom('documents as d').where('d.organization_id', '=', organizationId).where('d.id', 'in', ids)
  const { claimed, stored, tokens } = await db.batch({
    // Everybody who locks several documents locks them in this order.
    ...(ids.length > 1 && { locked: own.select('d.id').orderBy('d.id').forNoKeyUpdate() }),
    claimed: claimDocuments(db, claimants)
      .where(sql<boolean>`not ${awaitsText}`)
      .returning(['d.agent_id', 'd.active_revision', 'd.title', 'd.ignores_golden_questions', 'd.corrections'])
      .returning(sql<boolean>`(${d.may_replace} and ${d.active_revision} is null and ${isFile})`.as('may_replace'))
      .returning(servingModel(previousModel).as('model'))
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
        pendingMilliseconds: row.pending_milliseconds,
        tokensLeft: Number(tokens[0]?.left ?? 0),
        ignoresGoldenQuestions: row.ignores_golden_questions,
        mayReplace: row.may_replace,
        corrections: row.corrections,
      }
    )
  })
}
