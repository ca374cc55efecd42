import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { Status } from '../../shared/database/tables.ts'
import { ownFaults } from '../../shared/documents/failures.ts'
import { isPostponed, isWaiting } from '../../shared/documents/transitions.ts'
import { tokensUsedUpPattern } from '../../shared/limits/tokens.ts'

const maxDocuments = 10_000

export async function checkDocuments(db: Database) {
  const { statuses, work, faults, agents, logins, connections } = await db.batch({
    statuses: db
      .selectFrom('documents')
      .select((eb) => ['status', eb.cast<number>(eb.fn.countAll(), 'integer').as('count')])
      .groupBy('status'),
    work: db
      .selectFrom('documents as d')
      .select((eb) => [
        sql<number>`greatest(0, extract(epoch from now() - ${eb.fn.min('pending_since')}))::int`.as(
          'oldest_pending_seconds',
        ),
        eb
          .cast<number>(eb.fn.countAll().filterWhere('lease_expires_at', '<', sql<Date>`now()`), 'integer')
          .as('expired_leases'),
        eb.cast<number>(eb.fn.countAll().filterWhere(isWaiting), 'integer').as('waiting_for_another_attempt'),
        eb.cast<number>(eb.fn.countAll().filterWhere(isPostponed), 'integer').as('waiting_for_tokens_of_the_next_day'),
      ])
      .where('managed_by', '=', 'service')
      .where('status', 'in', ['pending', 'processing']),
    // Kept while the document is tried again.
    faults: db
      .selectFrom('documents')
      .select('waiting_reason')
      .where('managed_by', '=', 'service')
      .where('status', 'in', ['pending', 'processing'])
      .where('waiting_reason', 'not in', Object.values(ownFaults))
      .where('waiting_reason', 'not like', tokensUsedUpPattern)
      .orderBy('updated_at', 'desc')
      .limit(1),
    agents: db
      .selectFrom('agents')
      .select(['organization_id', 'id', 'name', 'document_count'])
      .where('document_count', '>=', maxDocuments)
      .orderBy('organization_id')
      .orderBy('id'),
    logins: loginsWithoutTimeout,
    connections: openConnections,
  })
  const documents: Record<Status, number> = { pending: 0, processing: 0, completed: 0, error: 0 }
  for (const { status, count } of statuses) documents[status] = count
  return {
    documents,
    ...work[0]!,
    provider_fault: faults[0]?.waiting_reason ?? null,
    connections: connections[0]!,
    agents_at_document_limit: agents,
    logins_without_statement_timeout: logins.map(({ rolname }) => rolname),
  }
}

/** Settings do not come with a membership: each login of a Lambda's role needs its own. */
const loginsWithoutTimeout = sql<{ rolname: string }>`
  select distinct rolname
  from pg_roles login
    join pg_auth_members on member = login.oid and inherit_option
  where rolcanlogin and roleid in (select oid from pg_roles where rolname like 'cuecard\\_%')
    and not exists (
      select from pg_db_role_setting, unnest(setconfig) setting
      where setrole = login.oid and setting ~ '^statement_timeout=[^0]'
        and setdatabase in (0, (select oid from pg_database where datname = current_database())))
  order by rolname`

/** Connections of all logins, also through a pooler: an operator may count them. */
const openConnections = sql<{ open: number; max: number }>`
  select count(*)::int as open, current_setting('max_connections')::int as max
  from pg_stat_activity where usesysid is not null`
