import { type Expression, type SqlBool, sql } from 'kysely'
import { type Database, violates } from '../../database/database.ts'
import { type AgentScope, type DocumentScope, isDocument, isInTrash } from '../../database/scope.ts'
import type { DocumentId } from '../../ids.ts'
import { commit, outdated } from '../../knowledge/commit.ts'
import type { Effect } from '../../knowledge/search-after.ts'
import type { Origin } from '../../work/message.ts'
import { enqueue, type Outbox } from '../../work/outbox.ts'
import { createdColumns, type DocumentRow } from '../contract/document.ts'
import { awaitsText } from '../processing/guards.ts'
import { rejectPastQuota } from '../processing/quotas.ts'
import { before, bringBack, type Transition } from '../processing/transitions.ts'
import { disagreements } from './disagreements.ts'
import { getDocument } from './documents.ts'
import { rejectTakenIds } from './insert-document.ts'

/** Days that a document stays in the trash. */
export const trashDays = 30

/**
 * Brings a document back from the trash; one that is not there stays as it is. @param ignores checks that would fail
 * @returns the document, as search serves it from now on
 * @throws ApiError agent_not_found, document_not_found, external_id_conflict, golden_questions_fail, validation_failed, rate_limited
 */
export async function restoreDocument(
  { db, queue }: Outbox,
  scope: DocumentScope,
  origin: Origin,
  ignores = false,
): Promise<DocumentRow> {
  const isIt = isDocument(scope, isInTrash(scope))
  const held = db.selectFrom('documents as d').select('d.id').where(isIt).forUpdate()
  const { restored } = await commit(db, scope, () => ({
    effects: () => servedAgain(db, isIt),
    ignores,
    async make(permit) {
      const mayReturn = sql<boolean>`(${isIt} and (${before.active_revision} is null or ${permit.isValid}))`
      const done = await db
        .batch({
          held: permit.lock(held),
          restored: restoring(db, scope, mayReturn, { ...bringBack, ...permit.warnings })
            .returning(['d.title', 'd.content', ...createdColumns, disagreements.as('disagreements')])
            .returning(['d.managed_by', awaitsText.as('awaits_text')]),
        })
        .catch((error) => rejectRestoring(db, scope, isIt, error))
      return done.restored.length > 0 || done.held.length === 0 ? done : outdated
    },
    isMade: ({ restored }) => restored.length > 0,
  }))
  const [document] = restored
  if (!document) return await getDocument(db, scope)
  const { managed_by, awaits_text: awaitsItsText, ...row } = document
  const { organizationId, documentId } = scope
  if (managed_by === 'service' && row.status === 'pending')
    await enqueue(
      { db, queue },
      { organizationId, kind: 'document', id: documentId, awaitsText: awaitsItsText, ...origin },
    )
  return row
}

/** What search serves again once these documents are back from the trash. */
export async function servedAgain(db: Database, isIt: Expression<SqlBool>): Promise<Effect[]> {
  const { rows } = await sql<{ id: DocumentId }>`
    select d.id from documents d where ${isIt} and ${before.active_revision} is not null`.execute(db)
  return rows.map(({ id }) => ({ document_id: id, action: 'restores' }))
}

/** The statement that brings documents back from the trash, if the agent may have so many. */
export function restoring(
  db: Database,
  { organizationId, agentId }: AgentScope,
  isIt: Expression<SqlBool>,
  transition: Transition,
) {
  const count = sql`(select count(*)::int from documents d where ${isIt})`
  return db
    .updateTable('documents as d')
    .set(transition)
    .where(sql<boolean>`(${isIt} and (select admit_documents(${organizationId}, ${agentId}, ${count}, 0)))`)
}

/** @throws ApiError external_id_conflict, validation_failed, rate_limited; else the error itself */
export async function rejectRestoring(
  db: Database,
  scope: AgentScope,
  isIt: Expression<SqlBool>,
  error: unknown,
): Promise<never> {
  if (violates(error, 'documents_external_id')) {
    const names = sql<{
      external_id: string | null
    }>`select ${before.external_id} as external_id from documents d where ${isIt}`
    await rejectTakenIds(db, scope, (await names.execute(db)).rows, error)
  }
  return rejectPastQuota(error)
}
