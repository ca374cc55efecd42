import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { inBatches } from './purging.ts'

const rowsPerBatch = 1000

/** Deletes what callers asked 30 days ago. */
export async function purgeQuestions(db: Database): Promise<number> {
  return await inBatches({ rowsPerBatch, maxMilliseconds: 5_000 }, () => purgeBatch(db))
}

async function purgeBatch(db: Database) {
  return await db
    .with('old', (db) =>
      db
        .selectFrom('question_log')
        .select(['organization_id', 'agent_id', 'id'])
        .where('asked_at', '<', sql<Date>`now() - interval '30 days'`)
        .orderBy('asked_at')
        .limit(rowsPerBatch),
    )
    .deleteFrom('question_log as q')
    .using('old')
    .whereRef('q.organization_id', '=', 'old.organization_id')
    .whereRef('q.agent_id', '=', 'old.agent_id')
    .whereRef('q.id', '=', 'old.id')
    .executeTakeFirstOrThrow()
}
