import { type Expression, type InsertObject, type SqlBool, sql } from 'kysely'
import { type Database, violates } from '../database/database.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { rejectPastPipeline } from './pipeline-limit.ts'

/** Inserts nothing if the agent does not exist, or the condition does not hold. */
export function insertDocument(
  db: Database,
  scope: AgentScope,
  row: InsertObject<Tables, 'documents'>,
  condition: Expression<SqlBool> = sql<boolean>`true`,
) {
  const columns = Object.keys(row) as (keyof typeof row)[]
  return db
    .insertInto('documents')
    .columns(columns)
    .expression((eb) =>
      eb
        .selectFrom('agents as a')
        .select(columns.map((column) => sql`${row[column]}`.as(column)))
        .where(isAgent(scope))
        .where(condition),
    )
}

/** @throws ApiError validation_failed past the agent's limit, rate_limited past the pipeline's; else the error itself */
export function rejectPastLimit(error: unknown): never {
  if (!violates(error, 'agents_document_limit')) rejectPastPipeline(error)
  throw new ApiError(
    'validation_failed',
    'An agent can have at most 10,000 documents, and this request would exceed that. Delete some first.',
    {
      cause: error,
    },
  )
}
