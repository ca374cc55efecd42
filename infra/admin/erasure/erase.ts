import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import { retrying } from '../../retrying.ts'
import { CommandError } from '../command-error.ts'
import { belongings, type Subject } from './belongings.ts'
import { deleteBatch, patience } from './delete-batch.ts'
import { beginErasure, type Erasure, finish } from './erasures.ts'
import { Pacer, type Pacing } from './pacing.ts'

export interface EraseOptions extends Pacing {
  signal: AbortSignal
  onProgress: (line: string) => void
}

/** Every instance rejects a revoked key after this. */
const revokedEverywhereSeconds = 30
const progressMilliseconds = 2000

/**
 * Deletes all that an organization or agent has, in short transactions with pauses. May be interrupted and repeated. The sweeper deletes
 * the files.
 * @throws CommandError when it was interrupted
 */
export async function erase(db: Database, subject: Subject, options: EraseOptions): Promise<Erasure> {
  const { signal, onProgress } = options
  const scoped = db.forOrganization(subject.organizationId)
  const { id } = await beginErasure(scoped, subject)
  // An agent has no keys of its own. What comes in for it while it is erased goes with its row.
  if (!subject.agentId)
    await sql`update api_keys set revoked_at = now()
      where organization_id = ${subject.organizationId} and revoked_at is null`.execute(scoped)
  const pacer = new Pacer(options)
  for (const each of belongings) {
    if (subject.agentId && !each.isOfAgent) continue
    await deleteAll(each)
  }
  await untilKeysAreRejected()
  const { completed } = await retrying(8, () => scoped.batch({ patience, ...finish(scoped, id, subject) }))
  return completed[0]!

  async function deleteAll(each: (typeof belongings)[number]): Promise<void> {
    let deleted = 0
    let shown = performance.now()
    let after: readonly string[] | undefined
    do {
      requireNotInterrupted(signal)
      const batch = await pacer.run((limit) => deleteBatch(scoped, id, subject, each, after, limit))
      after = batch.last
      deleted += batch.deleted
      if (performance.now() - shown > progressMilliseconds) {
        shown = performance.now()
        onProgress(`${each.table}: ${deleted} rows deleted so far`)
      }
      if (after) await pacer.pause()
    } while (after)
    if (deleted > 0) onProgress(`${each.table}: ${deleted} rows deleted`)
  }

  /** Instances may know a revoked key for a while; its requests must find their organization. */
  async function untilKeysAreRejected(): Promise<void> {
    const seconds = subject.agentId ? 0 : await secondsUntilRejected(scoped, subject)
    if (seconds <= 0) return
    onProgress(`waiting ${Math.ceil(seconds)} s, until no instance accepts the keys any more`)
    await (options.pause ?? untilInterrupted)(seconds * 1000)
    requireNotInterrupted(signal)
  }

  function untilInterrupted(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal }).catch(() => {})
  }
}

async function secondsUntilRejected(db: Database, { organizationId }: Subject): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(${revokedEverywhereSeconds}::int - extract(epoch from now() - max(revoked_at)), 0)::float as seconds
    from api_keys where organization_id = ${organizationId}`.execute(db)
  return rows[0]!.seconds
}

function requireNotInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw new CommandError('interrupted: run the same command again to continue')
}
