import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { Bucket } from '../../shared/files/bucket.ts'
import { log } from '../../shared/log.ts'
import { report } from '../../shared/metrics.ts'
import type { CrawlMessage, Sender } from '../../shared/queue.ts'
import { deleteFiles, findObsoleteFiles } from './delete-files.ts'
import { listTerms } from './list-terms.ts'
import { failExhausted, failOverdue, measureOldest, recoverExpired } from './overdue.ts'
import {
  purgeDeliveries,
  purgeKeys,
  purgeQueryVectors,
  purgeQuestions,
  purgeRevisions,
  purgeSessions,
  purgeSignInAttempts,
} from './purge.ts'
import { acquireLost, resendLost } from './resend.ts'
import { acquireDueSources, measureOldestDueSource, sendDueSources } from './sources.ts'

interface SweepReport {
  recovered: number
  given_up: number
  resent: number
  /** Documents whose message could not be sent; they are due again. */
  send_failures: number
  sources_sent: number
  files_deleted: number
  keys_purged: number
  query_vectors_purged: number
  sessions_purged: number
  sign_in_attempts_purged: number
  questions_purged: number
  revisions_purged: number
  deliveries_purged: number
  chunks_listed: number
  oldest_pending_seconds: number
}

export interface Sweeper {
  db: Database
  queue: Sender
  crawlerQueue: Sender<CrawlMessage>
  bucket: Pick<Bucket, 'delete' | 'list'>
}

const lastSendMilliseconds = 15_000

/** Recovers, fails and resends documents, tells webhooks of what takes long, and purges. Sweeps may overlap. @param remaining milliseconds until this process is stopped */
export async function sweep(
  { db, queue, crawlerQueue, bucket }: Sweeper,
  remaining: () => number = () => Number.POSITIVE_INFINITY,
): Promise<SweepReport> {
  const { recovered, exhausted, unavailable, unprocessed, lost, oldest, obsolete, due, oldestDue } = await db.batch({
    recovered: recoverExpired(db),
    exhausted: failExhausted(db),
    ...failOverdue(db),
    lost: acquireLost(),
    oldest: measureOldest(db),
    obsolete: findObsoleteFiles(),
    oldestDue: measureOldestDueSource(),
    due: acquireDueSources(),
    waiting: sql`select tell_of_waiting_documents()`,
    unanswered: sql`select tell_of_unanswered_questions()`,
  })
  const isSent = await resendLost(db, queue, lost, () => remaining() > lastSendMilliseconds)
  const failed = exhausted.length + unavailable.length + unprocessed.length
  const summary = {
    recovered: recovered.length,
    given_up: failed,
    resent: isSent.filter(Boolean).length,
    send_failures: isSent.filter((each) => !each).length,
    sources_sent: await sendDueSources(crawlerQueue, due),
    files_deleted: await deleteFiles(db, bucket, obsolete),
    keys_purged: await purgeKeys(db),
    query_vectors_purged: await purgeQueryVectors(db),
    sessions_purged: await purgeSessions(db),
    sign_in_attempts_purged: await purgeSignInAttempts(db),
    questions_purged: await purgeQuestions(db),
    revisions_purged: await purgeRevisions(db),
    deliveries_purged: await purgeDeliveries(db),
    chunks_listed: await listTerms(db, () => remaining() > lastSendMilliseconds),
    oldest_pending_seconds: oldest[0]!.seconds,
  }
  report({
    OldestPendingSeconds: summary.oldest_pending_seconds,
    OldestDueSourceSeconds: oldestDue[0]!.seconds,
    LeaseRecoveries: recovered.length + exhausted.length,
    DocumentsFailed: failed,
  })
  log.info('sweep', { ...summary })
  return summary
}
