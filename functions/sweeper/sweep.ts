import { sql } from 'kysely'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { Bucket } from '../../shared/files/bucket.ts'
import { describeError, log } from '../../shared/telemetry/log.ts'
import { report } from '../../shared/telemetry/metrics.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { deleteFiles, findObsoleteFiles } from './delete-files.ts'
import { eraseAgents } from './erase-agents.ts'
import { acquireDocuments, acquireModels, acquireWebsites, oldestDueWebsite } from './lost.ts'
import { checkHolidays } from './missing-holidays.ts'
import { failExhausted, failUnavailable, failUnprocessed, measureOldest, recoverExpired } from './overdue.ts'
import { purgeQueryVectors, purgeRevisions, purges, purgeTrash } from './purge.ts'
import { renewTerms } from './renew-terms.ts'
import { resend, scheduleNext } from './resend.ts'

/** @returns the number of rows, if it can be counted */
type Act = (db: Database) => Promise<number | undefined>

/** Makes the invocation an error, which rings the alarm; the log has the error of each kind. */
class SweepFailed extends Error {
  override readonly name = 'SweepFailed'
}

export interface Sweeper {
  db: Database
  queue: Sender
  bucket: Pick<Bucket, 'delete' | 'list'>
  now?: () => Date
}

const lastSendMilliseconds = 15_000
/** The time for the report. */
const lastStatementMilliseconds = 3000

/**
 * Recovers, fails and resends documents, tells webhooks about long waits, and purges. Each kind of work runs by itself, so that a fault
 * in one stops no other. Sweeps may overlap. @param remaining milliseconds until this process is stopped
 * @returns the number of each kind @throws SweepFailed once all the rest is done
 */
export async function sweep(
  { db: whole, queue, bucket, now = () => new Date() }: Sweeper,
  remaining: () => number = () => Number.POSITIVE_INFINITY,
) {
  const maySend = () => remaining() > lastSendMilliseconds
  let send_failures = 0
  const kinds = {
    recovered: (db) => count(db, recoverExpired(db)),
    exhausted: (db) => count(db, failExhausted(db)),
    unavailable: (db) => count(db, failUnavailable(db)),
    unprocessed: (db) => count(db, failUnprocessed(db)),
    resent: async (db) => {
      const lost = await rowsOf(db, acquireDocuments)
      const sent = await resend(db, queue, lost, maySend)
      await scheduleNext(db, sent)
      send_failures = lost.length - sent.length
      return sent.length
    },
    sources_sent: async (db) => (await resend(db, queue, await rowsOf(db, acquireWebsites), maySend)).length,
    models_sent: async (db) => (await resend(db, queue, await rowsOf(db, acquireModels), maySend)).length,
    oldest_pending_seconds: async (db) => (await rowsOf(db, measureOldest(db)))[0]!.seconds,
    oldest_due_source_seconds: async (db) => (await rowsOf(db, oldestDueWebsite))[0]!.seconds,
    told_of_waiting: async (db) => void (await rowsOf(db, sql`select tell_of_waiting_documents()`)),
    told_of_unanswered: async (db) => void (await rowsOf(db, sql`select tell_of_unanswered_questions()`)),
    files_deleted: async (db) => await deleteFiles(db, bucket, await rowsOf(db, findObsoleteFiles())),
    ...purges,
    query_vectors_purged: (db) => purgeQueryVectors(db),
    revisions_purged: purgeRevisions,
    trash_purged: (db) => purgeTrash(db),
    terms_renewed: (db) => renewTerms(db, maySend),
    holidays_checked: (db) => checkHolidays(db, now(), maySend),
    agents_erased: (db) => eraseAgents(db, () => remaining() - lastSendMilliseconds),
  } satisfies Record<string, Act>
  const done: Partial<Record<keyof typeof kinds, number>> = {}
  const failed: string[] = []
  for (const [kind, act] of Object.entries(kinds) as [keyof typeof kinds, Act][])
    try {
      done[kind] = await act(whole.within((remaining() - lastStatementMilliseconds) / 1000))
    } catch (error) {
      failed.push(kind)
      log.error('not_swept', { kind, error: describeError(error) })
    }
  const { recovered = 0, exhausted = 0, unavailable = 0, unprocessed = 0 } = done
  const given_up = exhausted + unavailable + unprocessed
  report({
    OldestPendingSeconds: done.oldest_pending_seconds,
    OldestDueSourceSeconds: done.oldest_due_source_seconds,
    LeaseRecoveries: recovered + exhausted,
    DocumentsFailed: given_up,
  })
  const summary = { ...done, given_up, send_failures }
  log.info('sweep', summary)
  if (failed.length > 0) throw new SweepFailed(`Not swept: ${failed.join(', ')}`)
  return summary
}

async function rowsOf<Row>(db: Database, statement: Statement<Row>): Promise<Row[]> {
  return (await db.batch({ statement })).statement
}

async function count(db: Database, statement: Statement): Promise<number> {
  return (await rowsOf(db, statement)).length
}
