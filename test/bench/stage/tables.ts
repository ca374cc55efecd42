import { newId } from '../../../shared/ids.ts'
import type { OurDatabase } from './server.ts'

// All that the benchmark knows of our tables: that a tenant's rows carry organization_id.

/** Empties every table but the migrations' own. */
export async function truncate(db: OurDatabase): Promise<void> {
  await db.query('truncate organizations cascade')
}

/** After loading, so that the planner knows the tables as they are. */
export async function analyze(db: OurDatabase): Promise<void> {
  await db.query('vacuum analyze')
}

/**
 * Ends the sessions that loading has left idle. Neon's proxy keeps twenty of all logins together, for five minutes, so that a search would
 * else have a new session each time.
 */
export async function endIdleSessions(db: OurDatabase): Promise<void> {
  await db.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename <> current_user and state = 'idle'`)
}

/** The number of an agent's served chunks. */
export async function countChunks(db: OurDatabase, agentId: string): Promise<number> {
  const [row] = await db.query(
    `select coalesce(sum(chunk_count), 0) as chunks from documents where agent_id = $1 and status = 'completed'`,
    [agentId],
  )
  return Number(row!.chunks)
}

/**
 * Another organization with the same rows under the same ids, written by SQL: every key begins with the organization. Its keys
 * are left out, so nobody can call the API for it.
 */
export async function copyOrganization(db: OurDatabase, from: string): Promise<string> {
  const to = newId()
  for (const { table_name, own, columns } of await db.query(tenantTables)) {
    const key = own === '' ? 'organization_id' : own!
    // They would pack documents that have no chunks yet.
    await db.query(`alter table ${table_name} disable trigger user`)
    await db.query(
      `insert into ${table_name} (${[key, columns].filter(Boolean).join(', ')})
        select ${[`$2::uuid`, columns].filter(Boolean).join(', ')} from ${table_name} where ${key} = $1`,
      [from, to],
    )
    await db.query(`alter table ${table_name} enable trigger user`)
  }
  return to
}

/** Tables that hold an organization's rows, each after those that it references; their columns but the organization's. */
const tenantTables = `
  with recursive tenant as (
    select c.oid, c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('api_keys', 'idempotency_keys')
      and (c.relname = 'organizations'
        or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped))
  ), depth(oid, level) as (
    select oid, 0 from tenant
    union
    select f.conrelid, d.level + 1 from depth d join pg_constraint f on f.confrelid = d.oid and f.contype = 'f'
    where f.conrelid <> f.confrelid and d.level < 10 and f.conrelid in (select oid from tenant)
  )
  select quote_ident(t.relname) as table_name, case t.relname when 'organizations' then 'id' else '' end as own,
    coalesce((select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
      where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
        and a.attname <> case t.relname when 'organizations' then 'id' else 'organization_id' end), '') as columns
  from tenant t order by (select max(level) from depth d where d.oid = t.oid), 1`
