import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'

export interface Backlog {
  documents: number
  oldestSeconds: number
}

/** Documents that are not ready yet, and how long the oldest has waited. */
async function readBacklog(db: Database): Promise<Backlog> {
  const { rows } = await sql<Backlog>`select count(*)::int as documents,
      coalesce(extract(epoch from max(now() - pending_since)), 0)::float as "oldestSeconds"
    from documents where status in ('pending', 'processing')`.execute(db)
  return rows[0]!
}

/** Reads it every half second until it is told to stop; `worst` is the worst that was seen. */
export function watchBacklog(db: Database): { worst: Readonly<Backlog>; stop(): Promise<void> } {
  const stopped = new AbortController()
  const worst: Backlog = { documents: 0, oldestSeconds: 0 }
  async function watch() {
    while (!stopped.signal.aborted) {
      const seen = await readBacklog(db)
      worst.documents = Math.max(worst.documents, seen.documents)
      worst.oldestSeconds = Math.max(worst.oldestSeconds, seen.oldestSeconds)
      await delay(500, undefined, { signal: stopped.signal }).catch(() => {})
    }
  }
  const watching = watch()
  return {
    worst,
    async stop() {
      stopped.abort()
      await watching
    },
  }
}

/** Waits until every document is ready. @returns seconds, or undefined where some were left after `maxSeconds` */
export async function drain(db: Database, maxSeconds: number): Promise<number | undefined> {
  const begin = performance.now()
  const seconds = () => (performance.now() - begin) / 1000
  while (seconds() < maxSeconds) {
    if ((await readBacklog(db)).documents === 0) return seconds()
    await delay(200)
  }
  return undefined
}

/** Seconds from its creation until each document of the organization was ready, for those made since. */
export async function readySeconds(db: Database, organizationId: string, since: Date): Promise<number[]> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from updated_at - created_at)::float as seconds
    from documents where organization_id = ${organizationId} and created_at >= ${since.toISOString()}::timestamptz
      and status = 'completed'`.execute(db)
  return rows.map(({ seconds }) => seconds)
}
