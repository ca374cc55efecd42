import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { timeouts as mcpTimeouts } from '../../functions/mcp/timeouts.ts'
import { databaseUsers, type LambdaName, lambdas, statementSeconds } from '../../infra/wiring.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { createFile } from '../support/documents/files.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { as, ownFunctions, roles } from './roles.ts'

const stand = useStand()

describe('functions with the owner’s rights', () => {
  test('set their search_path, and refuse to be a trigger on another table', async () => {
    const { rows } = await sql<{ proname: string; is_trigger: boolean; is_confined: boolean; settings: string[] }>`
      select proname, prorettype = 'trigger'::regtype as is_trigger, proconfig as settings,
        (select bool_and(prosrc like '%if tg_relid <> ''' || tgrelid::regclass || '''::regclass then raise insufficient_privilege%')
          from pg_trigger where tgfoid = p.oid) as is_confined
      from (${ownFunctions}) p where prosecdef order by 1`.execute(stand.db)
    expect(rows.length).toBeGreaterThan(10)
    for (const { proname, is_trigger, is_confined, settings } of rows) {
      expect(settings, proname).toContain('search_path=public, pg_temp')
      if (is_trigger) expect(is_confined, proname).toBe(true)
    }
  })

  test('created later grant EXECUTE to nobody', async () => {
    const name = `f${newId().slice(-8)}`
    await sql`create function ${sql.id(name)}() returns int language sql return 1`.execute(stand.db)
    await expect(sql`select ${sql.id(name)}()`.execute(as('cuecard_search'))).rejects.toThrow(/permission denied/)
    await sql`drop function ${sql.id(name)}`.execute(stand.db)
  })

  /** Statements by which `cuecard_search` would misuse trigger functions against another organization. */
  const attacks: Record<string, (victim: Tenant, document: string) => string> = {
    'removes another’s document from search': ({ organizationId, agentId }, document) => `
      create temp table bait as select '${organizationId}'::uuid as organization_id, '${agentId}'::uuid as agent_id,
        '${document}'::uuid as id, 1 as active_revision;
      create trigger bite after delete on bait for each row execute function count_served_change();
      delete from bait`,
    'queues another’s file for deletion': () => `
      create temp table bait as select 's3://files/theirs'::text as source_url, now() as upload_until;
      create trigger bite after delete on bait for each row execute function mark_file_obsolete();
      delete from bait`,
    'falsifies another’s counts': ({ organizationId, agentId }) => `
      create temp table bait (organization_id uuid, agent_id uuid, active_revision int);
      create trigger bite after insert on bait for each row execute function count_served_change();
      insert into bait values ('${organizationId}', '${agentId}', 1)`,
    'locks another’s agent': ({ organizationId, agentId }) => `
      create temp table bait ();
      select admit_documents('${organizationId}', '${agentId}', 10000, 0)`,
  }
  const walls = {
    'without a temporary table': /permission denied to create temporary tables/,
    'with one': /permission denied for function/,
    'and with EXECUTE': /insufficient_privilege/,
  }

  let mine: Tenant
  let victim: Tenant
  let document: string
  beforeAll(async () => {
    mine = await stand.tenant()
    victim = await stand.tenant()
    document = (await victim.call('POST', victim.knowledgeBase, { title: 'T', content: 'Their text.' })).body.id
    await stand.deliver()
  })

  test.each(
    Object.entries(attacks).flatMap(([name, attack]) => Object.keys(walls).map((wall) => ({ name, attack, wall }))),
  )('a role that is confined to its organization never $name, $wall', async ({ attack, wall }) => {
    const { organizationId, agentId } = victim
    const state = async () => {
      const { rows } = await sql`select ready_document_count,
          (select count(*)::int from packs where organization_id = ${organizationId} and revision is not null) as packs,
          (select count(*)::int from obsolete_files) as files
        from agents where id = ${agentId}`.execute(stand.db)
      return rows
    }
    const before = await state()
    expect(before).toMatchObject([{ ready_document_count: 1, packs: 1 }])
    const client = await stand.pool.connect()
    try {
      await client.query('begin')
      if (wall !== 'without a temporary table')
        await client.query(
          `do $$ begin execute format('grant temporary on database %I to cuecard_search', current_database()); end $$`,
        )
      if (wall === 'and with EXECUTE')
        await client.query('grant execute on all functions in schema public to cuecard_search')
      await client.query(`set local role cuecard_search; set local cuecard.organization_id = '${mine.organizationId}'`)
      await expect(client.query(attack(victim, document))).rejects.toThrow(walls[wall as keyof typeof walls])
    } finally {
      await client.query('rollback')
      client.release()
    }
    expect(await state()).toEqual(before)
  })
})

describe('the logins of the Lambdas', () => {
  test('get a limit above that of each batch, and below the time-out of their Lambda', () => {
    for (const name of databaseUsers) {
      expect(statementSeconds[name], name).toBeGreaterThan(batchSeconds(name))
      expect(statementSeconds[name], name).toBeLessThan(lambdas[name].timeoutSeconds)
    }
  })

  /** The limit that the Lambda itself sets for each batch. */
  function batchSeconds(name: LambdaName): number {
    if (name === 'search' || name === 'platforms') return timeouts.databaseSeconds
    if (name === 'mcp') return mcpTimeouts.databaseSeconds
    const handler = readFileSync(join(import.meta.dirname, `../../functions/${name}/handler.ts`), 'utf8')
    return Number(/timeoutSeconds: (\d+)/.exec(handler)?.[1] ?? 10)
  }
})

describe('row-level security', () => {
  test('is enabled on every table that a Lambda may use', async () => {
    const { rows } = await sql<{ relname: string }>`
      select relname from pg_class c
      where relkind = 'r' and relnamespace = 'public'::regnamespace and not relrowsecurity
        and exists (select from information_schema.column_privileges
          where table_name = relname and grantee like 'cuecard_%')`.execute(stand.db)
    expect(rows).toEqual([])
  })

  test('shows extraction only its organization’s files, and lets it complete none', async () => {
    const [mine, other] = [await stand.tenant(), await stand.tenant()]
    await mine.call('POST', mine.knowledgeBase, { title: 'T', content: 'text' })
    const file = await createFile(stand, mine)
    await createFile(stand, other)
    const scoped = as('cuecard_extraction').forOrganization(mine.organizationId as OrganizationId)
    const every = sql<{ id: string }>`select id from documents`
    expect((await every.execute(scoped)).rows).toEqual([{ id: file.id }])
    expect((await every.execute(as('cuecard_extraction'))).rows).toEqual([])
    const complete = sql`update documents set status = 'completed'`
    await expect(complete.execute(scoped)).rejects.toThrow(/row-level security/)
  })
})

describe.skipIf(!process.env.DATABASE_URL)(
  'a statement (the embedded database cannot be asked while it runs one)',
  () => {
    test.each(roles.flatMap((role) => [[role, 'an organization'] as const, [role, 'none'] as const]))(
      'of %s for %s ends with its caller, or at its login’s limit at the latest',
      async (role, scope) => {
        const db = as(role, 0.5)
        const scoped = scope === 'none' ? db : db.forOrganization(newId() as OrganizationId)
        const mark = newId()
        await expect(sql`select pg_sleep(600), ${mark}::text`.execute(scoped)).rejects.toThrow(Unavailable)
        const batch = scoped.batch({ one: sql`select 1`, long: sql`select pg_sleep(600), ${mark}::text` })
        await expect(batch).rejects.toThrow(Unavailable)
        const running = async () => {
          const { rows } = await sql`select pid from pg_stat_activity where datname = current_database()
            and state = 'active' and query like '%pg_sleep(600), $1%' and pid <> pg_backend_pid()`.execute(stand.db)
          return rows
        }
        // A request that is closed before its statement runs cancels nothing: then the login's limit ends it.
        await expect.poll(running, { timeout: 100_000 }).toEqual([])
      },
    )
  },
)
