import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { retrying } from '../database/retrying.ts'
import { urlOfAllFiles } from '../files/file-url.ts'
import { uploadSeconds } from '../files/upload-time.ts'
import { newId } from '../ids.ts'
import { haltCrawls } from '../websites/halt-crawls.ts'
import { belongings, type Subject } from './belongings.ts'
import { deleteBatch, patience } from './delete-batch.ts'

export interface EraseOptions {
  signal: AbortSignal
  onProgress: (line: string) => void
  maxRows?: number
  pause?: (milliseconds: number) => Promise<unknown>
}

/** The erasure was interrupted: what it has yet to delete remains, and the next run continues. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** Every instance rejects a revoked key after this time. */
const revokedEverywhereSeconds = 30
const progressMilliseconds = 2000
/** The share of time spent working. The pauses leave the database to customers. */
const share = 0.25
/** The target time of a transaction, which sets the size of batches. Writers may wait this long for a row. */
const batchMilliseconds = 100

/** Begins or continues an erasure. From then on nobody finds the agent, and no instance accepts the organization's keys for longer than 30 seconds. @throws Interrupted */
export async function erase(db: Database, subject: Subject, options: EraseOptions): Promise<Erasure> {
  const id = await beginErasure(db.forOrganization(subject.organizationId), subject)
  return await continueErasure(db, id, subject, options)
}

/** Deletes everything of an organization or agent, in short transactions with pauses. Runs may overlap. @throws Interrupted */
export async function continueErasure(
  db: Database,
  id: string,
  subject: Subject,
  options: EraseOptions,
): Promise<Erasure> {
  const { signal, onProgress, maxRows = 1000, pause = untilInterrupted } = options
  const scoped = db.forOrganization(subject.organizationId)
  let limit = Math.min(50, maxRows)
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
      const started = performance.now()
      const batch = await deleteBatch(scoped, id, subject, each, after, limit)
      const elapsed = performance.now() - started
      const fitting = Math.round(limit * Math.min(2, Math.max(0.5, batchMilliseconds / elapsed)))
      limit = Math.min(maxRows, Math.max(1, fitting))
      after = batch.last
      deleted += batch.deleted
      if (performance.now() - shown > progressMilliseconds) {
        shown = performance.now()
        onProgress(`${each.table}: ${deleted} rows deleted so far`)
      }
      if (after) await pause(elapsed * (1 / share - 1))
    } while (after)
    if (deleted > 0) onProgress(`${each.table}: ${deleted} rows deleted`)
  }

  /** Waits while instances may still accept a revoked key, whose requests must find their organization. */
  async function untilKeysAreRejected(): Promise<void> {
    const seconds = subject.agentId ? 0 : await secondsUntilRejected(scoped, subject)
    if (seconds <= 0) return
    onProgress(`waiting ${Math.ceil(seconds)} s, until every instance rejects the keys`)
    await pause(seconds * 1000)
    requireNotInterrupted(signal)
  }

  function untilInterrupted(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal }).catch(() => {})
  }
}

/** An agent has no keys of its own. Rows that arrive for it during the erasure are deleted with its row. */
async function beginErasure(db: Database, { organizationId, agentId }: Subject): Promise<string> {
  const { begun } = await db.batch({
    begun: sql<{ id: string }>`
      insert into erasures (id, kind, organization_id, agent_id)
      values (${newId()}, ${agentId ? 'agent' : 'organization'}, ${organizationId}, ${agentId ?? null})
      on conflict (organization_id, agent_id) do update set
        counts = case when erasures.completed_at is null then erasures.counts else '{}' end, completed_at = null
      returning erasures.id`,
    stopped: agentId
      ? haltCrawls({ organizationId, agentId })
      : sql`update api_keys set revoked_at = now() where organization_id = ${organizationId} and revoked_at is null`,
  })
  return begun[0]!.id
}

async function secondsUntilRejected(db: Database, { organizationId }: Subject): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(${revokedEverywhereSeconds}::int - extract(epoch from now() - max(revoked_at)), 0)::float as seconds
    from api_keys where organization_id = ${organizationId}`.execute(db)
  return rows[0]!.seconds
}

function requireNotInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted('The erasure was interrupted')
}

export type Erasure = Awaited<ReturnType<ReturnType<typeof listErasures>['execute']>>[number]

const columns = ['id', 'kind', 'organization_id', 'agent_id', 'requested_at', 'completed_at', 'counts'] as const

export function listErasures(db: Database) {
  return db.selectFrom('erasures').select(columns).orderBy('requested_at').orderBy('id')
}

/**
 * Deletes the subject's row in the transaction that completes the erasure. The sweeper deletes all files of an organization, including
 * files that have had no row since a restore. It does so at once, and again after the last upload can have ended.
 */
function finish(db: Database, id: string, { organizationId, agentId }: Subject) {
  const last_at = sql<Date>`now() + make_interval(secs => ${uploadSeconds})`
  const source_url = urlOfAllFiles(organizationId)
  return {
    ...(!agentId && {
      files: db
        .insertInto('obsolete_files')
        .values({ source_url, last_at })
        .onConflict((conflict) => conflict.column('source_url').doUpdateSet({ delete_at: sql<Date>`now()`, last_at })),
    }),
    subject: agentId
      ? db.deleteFrom('agents').where('organization_id', '=', organizationId).where('id', '=', agentId)
      : db.deleteFrom('organizations').where('id', '=', organizationId),
    // Deletes people who were members of this organization only.
    ...(!agentId && {
      people: sql`delete from people p where not exists (select from memberships m where m.person_id = p.id)`,
    }),
    completed: db
      .updateTable('erasures')
      .set({ completed_at: sql<Date>`now()` })
      .where('id', '=', id)
      .returning(columns),
  }
}
