import { sql } from 'kysely'
import type { OrganizationId, SourceId } from '../../shared/ids.ts'
import { type CrawlMessage, originOf } from '../../shared/queue.ts'
import { isCrawlDue, isCrawlInterrupted } from '../../shared/sources/sources.ts'

const sourcesPerSweep = 100
/** A message counts as lost if no crawler has come by then; others may be before it in the queue. */
const lostAfterSeconds = 900

interface DueSource {
  organization_id: OrganizationId
  id: SourceId
  request_id: string | null
  requested_by: string | null
}

const isDue = sql`(${isCrawlDue} or ${isCrawlInterrupted})`

/** Acquires due sources, and those whose crawler has died. Organizations take turns. */
export function acquireDueSources() {
  return sql<DueSource>`
    with due as (
      select s.organization_id, s.id, s.resend_at,
        row_number() over (partition by s.organization_id order by s.resend_at) as turn
      from sources s where ${isDue} and s.resend_at <= now()
    ), chosen as (
      select s.organization_id, s.id from sources s
        -- Unless another sweep has acquired it since.
        join due on (due.organization_id, due.id, due.resend_at) = (s.organization_id, s.id, s.resend_at)
      order by due.turn, due.resend_at limit ${sourcesPerSweep} for update of s skip locked
    )
    update sources s set resend_at = now() + make_interval(secs => ${lostAfterSeconds})
    from chosen where (s.organization_id, s.id) = (chosen.organization_id, chosen.id)
    returning s.organization_id, s.id, s.request_id, s.requested_by`
}

export function measureOldestDueSource() {
  return sql<{ seconds: number }>`
    select coalesce(greatest(0, extract(epoch from now() - min(coalesce(s.resume_at, s.next_check_at)))), 0)::int as seconds
    from sources s where ${isDue}`
}

export function toCrawlMessage(source: DueSource): CrawlMessage {
  return { organizationId: source.organization_id, sourceId: source.id, ...originOf(source) }
}
