import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, isDocument, isOfAgent } from '../../shared/database/scope.ts'
import type { DocumentId } from '../../shared/ids.ts'

const d = columnsOf('documents', 'd')

export type Titled = { id: string; title: string }

export type Expected = { id: DocumentId; title: string; isServed: boolean; isValid: boolean }

const maxTitles = 8

export async function findTitles(
  db: Database,
  scope: AgentScope,
  { part = '', areServed = false, limit = maxTitles } = {},
): Promise<Titled[]> {
  return await db
    .selectFrom('documents as d')
    .select(['id', 'title'])
    .where(isOfAgent(scope))
    .$if(areServed, (query) => query.where('active_revision', 'is not', null).where(isValid(undefined)))
    .$if(part !== '', (query) => query.where(sql<boolean>`position(lower(${part}) in lower(${d.title})) > 0`))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

const isValid = (asOf: string | undefined) =>
  sql<boolean>`is_valid(${d.valid_from}, ${d.valid_until}, coalesce(${asOf ?? null}::timestamptz, now()))`

export async function findExpected(
  db: Database,
  scope: AgentScope,
  id: DocumentId,
  asOf: string | undefined,
): Promise<Expected | undefined> {
  const found = await db
    .selectFrom('documents as d')
    .select(['d.title', sql<boolean>`${d.active_revision} is not null`.as('isServed'), isValid(asOf).as('isValid')])
    .where(isDocument({ ...scope, documentId: id }))
    .executeTakeFirst()
  return found && { id, ...found }
}
