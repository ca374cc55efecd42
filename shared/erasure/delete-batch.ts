import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { retrying } from '../database/retrying.ts'
import type { Belongings, Subject } from './belongings.ts'

type Key = readonly string[]

export interface Batch {
  deleted: number
  last: Key | undefined
}

/** Deletes the first `limit` rows after `after` and counts them in the same transaction. */
export async function deleteBatch(
  db: Database,
  erasureId: string,
  { organizationId, agentId }: Subject,
  { table, key, isOfAgent }: Belongings,
  after: Key | undefined,
  limit: number,
): Promise<Batch> {
  const columns = Object.keys(key)
  const list = (prefix: string) => sql.join(columns.map((column) => sql.ref(`${prefix}.${column}`)))
  const rest = after
    ? sql`(${list('t')}) > (${sql.join(columns.map((column, i) => sql`${after[i]}::${sql.raw(key[column]!)}`))})`
    : sql`true`
  const isOfSubject = agentId && isOfAgent ? isOfAgent({ organizationId, agentId }) : sql<boolean>`true`
  const statement = sql<{ deleted: number; last: Key }>`
    with found as materialized (
      select ${list('t')} from ${sql.table(table)} t
      where t.organization_id = ${organizationId}::uuid and ${isOfSubject} and ${rest}
      order by ${list('t')} limit ${limit}
    ), gone as (
      delete from ${sql.table(table)} t using found
      where t.organization_id = ${organizationId}::uuid and (${list('t')}) = (${list('found')})
      returning t.organization_id
    ), counted as (
      update erasures set counts = counts || jsonb_build_object(${table}::text,
        coalesce((counts ->> ${table}::text)::bigint, 0) + (select count(*) from gone))
      where id = ${erasureId}::uuid and exists (select from gone)
    )
    select (select count(*)::int from gone) as deleted, array[${sql.join(columns.map((column) => sql`${sql.ref(`found.${column}`)}::text`))}] as last
    from found order by ${sql.join(columns.map((column) => sql`${sql.ref(`found.${column}`)} desc`))} limit 1`
  const results = await retrying(8, () => db.batch({ patience, statement }))
  const [batch] = results.statement
  return batch ?? { deleted: 0, last: undefined }
}

/** Less than Postgres's deadlock_timeout, so that this transaction, not a customer's, ends a deadlock. */
export const patience = sql`select set_config('lock_timeout', '500ms', true)`
