import { type Expression, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { recordset } from '../database/recordset.ts'
import type { Tables } from '../database/tables.ts'
import { describeError, log } from '../telemetry/log.ts'
import { idsOf, type Message } from './message.ts'

/**
 * The statement that acquires due rows, such as those whose message is lost: organizations take turns, the longest due first. If this
 * sweep dies before it acts, they are due again. Expressions name the table by its first letter.
 * @param at the column that says when a row is due, which it is again after so many seconds
 * @param columns those of the result besides `organizationId`
 */
export function acquireDue<Row>(
  table: keyof Tables,
  at: string,
  mayBeDue: Expression<boolean>,
  { seconds, max, columns }: { seconds: number; max: number; columns: Expression<unknown> },
) {
  const [w, due] = [sql.id(table[0]!), sql.id(table[0]!, at)]
  const rows = sql`${sql.table(table)} ${w}`
  return sql<Row>`
    with due as (
      select ${w}.organization_id, ${w}.id, ${due} as at,
        row_number() over (partition by ${w}.organization_id order by ${due}) as turn
      from ${rows} where ${mayBeDue} and ${due} <= now()
    ), chosen as (
      select ${w}.organization_id, ${w}.id from ${rows}
        -- Unless another sweep or a worker has acquired it since.
        join due on (due.organization_id, due.id, due.at) = (${w}.organization_id, ${w}.id, ${due})
      where ${mayBeDue}
      order by due.turn, due.at limit ${max} for update of ${w} skip locked
    )
    update ${rows} set ${sql.id(at)} = now() + make_interval(secs => ${seconds})
    from chosen where (${w}.organization_id, ${w}.id) = (chosen.organization_id, chosen.id)
    returning ${w}.organization_id as "organizationId", ${columns}`
}

/** The assignment that makes a row's message lost now, and the rows that may wait for one. */
const unsentRows = {
  document: { update: sql`documents w set resend_at`, mayWait: sql`w.managed_by = 'service' and w.status = 'pending'` },
  source: { update: sql`sources w set resend_at`, mayWait: sql`w.lease_token is null` },
  agent: { update: sql`agents w set model_due_at`, mayWait: sql`w.model_due_at is not null` },
}

/** Lets the next sweep send these messages, all of one kind. If this fails too, a sweep sends them once they count as lost. */
export async function leaveToSweeper(db: Database, works: Message[]): Promise<void> {
  const [first] = works
  if (!first) return
  const { update, mayWait } = unsentRows[first.kind]
  const unsent = recordset('unsent', { organizationId: 'uuid', id: 'uuid' }, works)
  try {
    await sql`update ${update} = now() from ${unsent}
      where (w.organization_id, w.id) = (unsent."organizationId", unsent.id) and ${mayWait}`.execute(db)
  } catch (error) {
    log.warn('resend_not_scheduled', { ...idsOf(first), messages: works.length, error: describeError(error) })
  }
}
