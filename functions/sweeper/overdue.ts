import { type Expression, sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import {
  attemptsInterrupted,
  fileAttemptsFailed,
  notProcessed,
  providerUnavailable,
} from '../../shared/documents/contract/failures.ts'
import {
  awaitsText,
  hasAttemptsLeft,
  isFileAwaited,
  isHeld,
  isLeaseExpired,
  isManagedByService,
  isOverdue,
} from '../../shared/documents/processing/guards.ts'
import { fail, recover, type Transition } from '../../shared/documents/processing/transitions.ts'
import { maxPerSweep, secondsOfOldest } from './lost.ts'

const d = columnsOf('documents', 'd')
const wasRetried = sql<boolean>`${d.retry_count} > 0`

export const recoverExpired = (db: Database) => moveAll(db, [isLeaseExpired, hasAttemptsLeft], recover)

export const failExhausted = (db: Database) =>
  moveAll(
    db,
    [isLeaseExpired, sql<boolean>`not ${hasAttemptsLeft}`],
    fail({
      code: 'attempts_exhausted',
      message: sql<string>`case when ${awaitsText} then ${fileAttemptsFailed.message} else ${attemptsInterrupted.message} end`,
    }),
  )

export const failUnavailable = (db: Database) =>
  moveAll(
    db,
    [isOverdue, wasRetried],
    fail({ ...providerUnavailable, message: providerUnavailable.message(d.waiting_reason) }),
  )

export const failUnprocessed = (db: Database) =>
  moveAll(db, [isOverdue, sql<boolean>`not ${wasRetried}`], fail(notProcessed))

export function measureOldest(db: Database) {
  return db
    .selectFrom('documents as d')
    .select(secondsOfOldest(d.pending_since).as('seconds'))
    .where(isManagedByService)
    .where('d.status', 'in', ['pending', 'processing'])
    .where(sql<boolean>`not ${isFileAwaited} and not ${isHeld}`)
}

function moveAll(db: Database, guards: Expression<boolean>[], transition: Transition) {
  return db
    .with(
      'chosen',
      () => sql<{ organization_id: string; id: string }>`(select d.organization_id, d.id from documents d
        where ${sql.join(guards, sql` and `)} order by d.pending_since limit ${maxPerSweep} for update skip locked)`,
    )
    .updateTable('documents as d')
    .from('chosen')
    .set(transition)
    .whereRef('d.organization_id', '=', 'chosen.organization_id')
    .whereRef('d.id', '=', 'chosen.id')
    .returning('d.id')
}
