import type { Database } from '../../shared/database/database.ts'
import { log } from '../../shared/log.ts'
import { report } from '../../shared/metrics.ts'
import type { Sender } from '../../shared/queue.ts'
import { failExhausted, failOverdue, measureOldest, recoverExpired } from './overdue.ts'
import { purgeKeys } from './purge-keys.ts'
import { purgeQueryVectors } from './purge-query-vectors.ts'
import { acquireLost, resendLost } from './resend.ts'

export interface SweepReport {
  recovered: number
  given_up: number
  resent: number
  /** Documents whose message could not be sent; they are due again. */
  send_failures: number
  keys_purged: number
  query_vectors_purged: number
  oldest_pending_seconds: number
}

/** No send begins below this: the last ones, and what follows them, must still end in time. */
const lastSendMilliseconds = 15_000

/**
 * Recovers documents whose worker died, in error after five attempts; fails those pending for a day; resends lost messages;
 * deletes idempotency keys that are a day old, and vectors of questions that are old or too many. Sweeps may overlap: each skips locked rows.
 * @param remaining milliseconds until this process is stopped
 */
export async function sweep(
  db: Database,
  queue: Sender,
  remaining: () => number = () => Number.POSITIVE_INFINITY,
): Promise<SweepReport> {
  const { recovered, exhausted, unavailable, unprocessed, lost, oldest } = await db.batch({
    recovered: recoverExpired(db),
    exhausted: failExhausted(db),
    ...failOverdue(db),
    lost: acquireLost(db),
    oldest: measureOldest(db),
  })
  const isSent = await resendLost(db, queue, lost, () => remaining() > lastSendMilliseconds)
  const failed = exhausted.length + unavailable.length + unprocessed.length
  const summary = {
    recovered: recovered.length,
    given_up: failed,
    resent: isSent.filter(Boolean).length,
    send_failures: isSent.filter((each) => !each).length,
    keys_purged: await purgeKeys(db),
    query_vectors_purged: await purgeQueryVectors(db),
    oldest_pending_seconds: oldest[0]!.seconds,
  }
  report({
    OldestPendingSeconds: summary.oldest_pending_seconds,
    LeaseRecoveries: recovered.length + exhausted.length,
    DocumentsFailed: failed,
  })
  log.info('sweep', { ...summary })
  return summary
}
