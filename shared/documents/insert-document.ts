import { type InsertObject, sql } from 'kysely'
import { type Database, violates } from '../database/database.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { rejectPastPipeline } from './pipeline-limit.ts'

/** Once for all documents that a statement inserts, of which so many are `processed` by the service; it throws past a limit. */
export function admitsDocuments(added: number, processed: number) {
  return sql<boolean>`admit_documents(a.organization_id, a.id, ${added}::int, ${processed}::int)`
}

/** Inserts one that the service processes, or nothing if the agent does not exist. */
export function insertDocument(db: Database, scope: AgentScope, row: InsertObject<Tables, 'documents'>) {
  const columns = Object.keys(row) as (keyof typeof row)[]
  return db
    .insertInto('documents')
    .columns(columns)
    .expression((eb) =>
      eb
        .selectFrom('agents as a')
        .select(columns.map((column) => sql`${row[column]}`.as(column)))
        .where(isAgent(scope))
        .where(admitsDocuments(1, 1)),
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
