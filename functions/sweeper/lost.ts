import { type Expression, sql } from 'kysely'
import type { Tables } from '../../shared/database/tables.ts'
import type { CrawlMessage, Message, ModelMessage } from '../../shared/queue.ts'
import { crawlDueAt, isCrawlDue } from '../../shared/sources/sources.ts'

/**
 * Acquires lost messages: organizations take turns, the longest due first. If this sweep dies before it sends, they are lost again.
 * Expressions name the table by its first letter.
 * @param at the column that says when a row's message counts as lost, which the next one does after so many seconds
 * @param columns those of the message besides the organization
 */
export function acquireLost<Work extends Pick<Message, 'organizationId'>>(
  table: keyof Tables,
  at: string,
  isDue: Expression<boolean>,
  { seconds, max, columns }: { seconds: number; max: number; columns: Expression<unknown> },
) {
  const [w, due] = [sql.id(table[0]!), sql.id(table[0]!, at)]
  const rows = sql`${sql.table(table)} ${w}`
  return sql<Work>`
    with lost as (
      select ${w}.organization_id, ${w}.id, ${due} as at,
        row_number() over (partition by ${w}.organization_id order by ${due}) as turn
      from ${rows} where ${isDue} and ${due} <= now()
    ), chosen as (
      select ${w}.organization_id, ${w}.id from ${rows}
        -- Unless another sweep or a worker has acquired it since.
        join lost on (lost.organization_id, lost.id, lost.at) = (${w}.organization_id, ${w}.id, ${due})
      where ${isDue}
      order by lost.turn, lost.at limit ${max} for update of ${w} skip locked
    )
    update ${rows} set ${sql.id(at)} = now() + make_interval(secs => ${seconds})
    from chosen where (${w}.organization_id, ${w}.id) = (chosen.organization_id, chosen.id)
    returning ${w}.organization_id as "organizationId", ${columns}`
}

/** Sources that are due, and those whose crawler has died. Others may be before them in the queue. */
export const acquireSources = acquireLost<CrawlMessage>('sources', 'resend_at', isCrawlDue, {
  ...{ seconds: 900, max: 100 },
  columns: sql`s.id as "sourceId", s.request_id as "requestId", s.requested_by as "by"`,
})

/** Agents whose change of model has work to do. A worker sets an earlier time itself. */
export const acquireModels = acquireLost<ModelMessage>('agents', 'model_due_at', sql`true`, {
  ...{ seconds: 600, max: 100, columns: sql`a.id as "agentId"` },
})

/** @param since when a row's work was due */
export const secondsOfOldest = (since: Expression<unknown>) =>
  sql<number>`greatest(0, extract(epoch from now() - min(${since})))::int`

export const oldestDueSource = sql<{ seconds: number }>`
  select ${secondsOfOldest(crawlDueAt)} as seconds from sources s where ${isCrawlDue}`
