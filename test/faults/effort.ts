import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'

/** The number of kills, and the duration of cut connections; `npm run test:faults -- --kills 50` sets them. */
export const killCount = Number(process.env.FAULTS_KILLS ?? 5)
/** True if time passes by itself, and the tests move nothing. */
export const isLongRun = killCount > 10
/** Repeats the same choices. Their outcome also depends on the machine. */
export const seed = Number(process.env.FAULTS_SEED ?? 1)

/** Prints figures, on a line, for the report of a run. */
export function tell(what: string, figures: Record<string, number>): void {
  const parts = Object.entries(figures).map(([name, figure]) => `${figure} ${name}`)
  console.info(`${what}: ${parts.join(', ')}`)
}

/** Lets the time of the server's leases and waits pass. */
export async function passLeases(db: Database): Promise<void> {
  await sql`update documents set lease_expires_at = lease_expires_at - interval '1 hour',
    resend_at = resend_at - interval '1 hour', next_attempt_at = next_attempt_at - interval '1 hour'
    where managed_by = 'service' and status in ('pending', 'processing')`.execute(db)
  await sql`update sources set lease_expires_at = lease_expires_at - interval '1 hour',
    resend_at = resend_at - interval '1 hour', resume_at = resume_at - interval '1 hour'`.execute(db)
  await sql`update webhook_deliveries set next_attempt_at = next_attempt_at - interval '1 hour'
    where next_attempt_at is not null`.execute(db)
}

/** Name and server: the embedded database, and that of DATABASE_URL where there is one. */
export const databases: [string, string | null][] = [
  ['embedded', null],
  ...(process.env.DATABASE_URL ? [['native', process.env.DATABASE_URL] satisfies [string, string]] : []),
]
