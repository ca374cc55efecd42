import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Statement } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'

/** Locks what search serves of the agent. A transaction takes it after its locks of documents. */
export function lockKnowledge({ agentId }: AgentScope) {
  return sql`select pg_advisory_xact_lock(hashtextextended(${agentId}, 1))`
}

/** Locks as `lockKnowledge` does, but shared: the model that serves the agent does not change. */
export function lockModel({ agentId }: AgentScope) {
  return sql`select pg_advisory_xact_lock_shared(hashtextextended(${agentId}, 1))`
}

/** One statement that selects and locks rows, and after them the knowledge or the model. */
export function lockAfter<Row>(rows: Statement<Row> & Expression<unknown>, lock: RawBuilder<unknown>) {
  return sql<Row>`with held as materialized ${rows} select held.*, (${lock}) from held`
}
