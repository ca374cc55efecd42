import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { rateLimited } from '../../shared/http/rate-limited.ts'
import type { OrganizationId } from '../../shared/ids.ts'

/** What an organization's snapshots may have a minute: 60,000 chunks are some 210 MB. */
const bytesPerMinute = 500_000_000

interface Scope {
  organizationId: OrganizationId
}

const m = columnsOf('request_meters', 'm')
const minute = sql`date_trunc('minute', now())`

export function findBytes({ organizationId }: Scope) {
  return sql<{ bytes: number; seconds: number }>`select ${m.snapshot_bytes}::float8 as bytes,
      extract(epoch from ${minute} + interval '1 minute' - now())::float8 as seconds
    from request_meters m where ${m.organization_id} = ${organizationId} and ${m.snapshot_minute} = ${minute}`
}

/** @throws ApiError rate_limited */
export function requireBytes(meters: readonly { bytes: number; seconds: number }[]): void {
  const [meter] = meters
  if (!meter || meter.bytes < bytesPerMinute) return
  const limit = { name: 'bytes', quota: bytesPerMinute, windowSeconds: 60 } as const
  throw rateLimited(limit, meter.seconds, 'The organization’s snapshots take more than 500 MB a minute.')
}

export async function countBytes(db: Database, { organizationId }: Scope, bytes: number): Promise<void> {
  await sql`update request_meters m set snapshot_minute = ${minute},
      snapshot_bytes = case when ${m.snapshot_minute} = ${minute} then ${m.snapshot_bytes} else 0 end + ${bytes}::bigint
    where ${m.organization_id} = ${organizationId}`.execute(db)
}
