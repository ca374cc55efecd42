import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { setRetellSecret } from '../../infra/admin/agents.ts'
import { addPerson } from '../../infra/admin/people.ts'
import { databaseUsers } from '../../infra/wiring.ts'
import type { AgentId, OrganizationId } from '../../shared/ids.ts'
import { invite } from '../../shared/organizations/people.ts'
import { signIn } from '../../shared/organizations/sessions.ts'
import { connected } from '../connect/connected.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

/** Tables whose rows of every organization a role works on: the sweeper's purges, terms and changes of model, and deliveries. `calls` belongs to the call service. */
const everywhere: Record<string, string> = {
  sweeper:
    'documents sources connections connection_tokens document_revisions idempotency_keys invitations query_vectors question_log sessions webhook_deliveries organizations agents chunks packs erasures',
  delivery: 'webhooks webhook_deliveries',
}

interface Grant {
  role: string
  table: string
  /** The column that holds the organization. */
  owner: string
  selects: string[]
  inserts: string[]
  updates: string[]
  may_delete: boolean
}

let mine: Tenant
let other: Tenant
let grants: Grant[]

/** A row of each table that belongs to organizations, for two of them. */
beforeAll(async () => {
  mine = await stand.tenant()
  other = await stand.tenant()
  for (const tenant of [mine, other]) {
    const { agentId, apiKey, call, knowledgeBase } = tenant
    const created = await call('POST', knowledgeBase, { title: 'T', content: 'text' }, { 'idempotency-key': 'k' })
    await stand.deliver()
    await call('PATCH', `${knowledgeBase}/${created.body.id}`, { content: 'another text' })
    await stand.deliver()
    await signIn(stand.db, apiKey, '192.0.2.1')
    const organization = tenant.organizationId as OrganizationId
    const mail = `${organization}@example.com`
    const { id } = await addPerson(stand.db, { organization, mail, role: 'owner' })
    await invite(stand.db, organization, { mail: `new-${mail}`, role: 'viewer', by: id })
    await connected(stand.db, tenant)
    await setRetellSecret(stand.db, agentId as AgentId, 'key_0123456789abcdef')
    await call('POST', `/v1/agents/${agentId}/golden-questions`, { question: 'A text?', expects: { words: 'text' } })
    await call('POST', `/v1/agents/${agentId}/sources`, { url: 'https://inn.example/' })
    const { body } = await call('POST', '/v1/webhooks', {
      url: 'https://shop.example/',
      events: ['document.completed'],
    })
    await call('POST', `/v1/webhooks/${body.id}/test`)
  }
  await stand.db.batch({
    pages: sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl)
      select organization_id, agent_id, id, 'https://inn.example/', 1 from sources`,
    claims: sql`insert into document_claims (organization_id, document_id, key, agent_id, revision, scope, amounts, currency, chunk_index, text)
      select organization_id, id, id, agent_id, 2, id, id, '', 0, 'text' from documents`,
    kept: sql`update organizations set log_questions = true`,
    questions: sql`insert into question_log (organization_id, id, agent_id, question, mode, is_degraded, hits, answerable, milliseconds)
      select organization_id, gen_random_uuid(), id, 'question', 'hybrid', false, '[]', 0, 0 from agents`,
    vectors: sql`insert into query_vectors (organization_id, key, embedding)
      select organization_id, sha256('question'), embedding from vectors on conflict do nothing`,
    calls: sql`insert into calls (organization_id, id, agent_id) select organization_id, gen_random_uuid(), id from agents`,
    tokens: sql`insert into embedded_tokens (organization_id, day, tokens)
      select id, current_date, 1 from organizations on conflict do nothing`,
    erasures: sql`insert into erasures (id, kind, organization_id, agent_id) select gen_random_uuid(), 'agent', id, gen_random_uuid() from organizations`,
    actions: sql`insert into operator_actions (id, person, command, arguments, organization_id, ended_at, outcome)
      select gen_random_uuid(), id::text, 'agent delete', '{}', id, now(), 'done' from organizations`,
    meters: sql`insert into request_meters (organization_id) select id from organizations on conflict do nothing`,
  })
  const { rows } = await sql<Grant>`
    select replace(r.rolname, 'cuecard_', '') as role, c.relname as table, a.attname as owner,
      array(select attname from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
        and has_column_privilege(r.oid, c.oid, attnum, 'select'))::text[] as selects,
      array(select attname from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
        and has_column_privilege(r.oid, c.oid, attnum, 'insert') and attidentity = '' and attgenerated = '')::text[] as inserts,
      array(select attname from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
        and has_column_privilege(r.oid, c.oid, attnum, 'update') and has_column_privilege(r.oid, c.oid, attnum, 'select'))::text[]
        as updates,
      has_table_privilege(r.oid, c.oid, 'delete') as may_delete
    from pg_roles r, pg_class c join pg_attribute a on a.attrelid = c.oid
      and (a.attname = 'organization_id' or a.attname = 'id' and c.relname = 'organizations')
    where r.rolname = any (${databaseUsers.map((name) => `cuecard_${name}`)}) and c.relkind = 'r'
      and c.relnamespace = 'public'::regnamespace
      and (has_any_column_privilege(r.oid, c.oid, 'select, insert, update') or has_table_privilege(r.oid, c.oid, 'delete'))
    order by 1, 2`.execute(stand.db)
  grants = rows
})

/** Runs a statement that names no organization as the role, and undoes it. @param scope '' for none */
async function tried(role: string, scope: string, statement: string, values: unknown[] = []) {
  const client = await stand.pool.connect()
  try {
    await client.query('begin')
    await client.query(`set local role cuecard_${role}`)
    await client.query(`select set_config('cuecard.organization_id', $1, true)`, [scope])
    return await client.query(statement, values)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const countOf = async (table: string, owner: string, organizationId: string) => {
  const { rows } = await stand.pool.query(`select count(*)::int as n from ${table} where ${owner} = $1`, [
    organizationId,
  ])
  return Number(rows[0].n)
}

describe.each([...databaseUsers])('the role of the Lambda %s, with a statement that names no organization,', (role) => {
  const own = () => grants.filter((each) => each.role === role && !everywhere[role]?.split(' ').includes(each.table))

  test('sees and changes rows of its organization only, and none without one', async () => {
    for (const { table, owner, selects, updates, may_delete } of own()) {
      // The extraction role sees only files, and none of the documents is one.
      const isHidden = role === 'extraction' && table === 'documents'
      const count = isHidden ? 0 : await countOf(table, owner, mine.organizationId)
      expect(await countOf(table, owner, other.organizationId), table).toBeGreaterThan(0)
      const reading = selects.includes(owner) ? `select ${owner} as owner from ${table}` : `select from ${table}`
      const statements = [
        ...(selects.length > 0 ? [reading] : []),
        ...(updates.length > 0 ? [`update ${table} set ${updates[0]} = ${updates[0]}`] : []),
        ...(may_delete ? [`delete from ${table}`] : []),
      ]
      for (const statement of statements) {
        const scoped = await tried(role, mine.organizationId, statement)
        expect(scoped.rowCount, statement).toBe(count)
        for (const row of scoped.rows) if (row.owner) expect(row.owner, statement).toBe(mine.organizationId)
        expect((await tried(role, '', statement)).rowCount, `${statement}, without an organization`).toBe(0)
      }
    }
  })

  test('stores no row of another organization, nor any without one', async () => {
    for (const { table, owner, inserts } of own()) {
      if (inserts.length === 0) continue
      const { rows } = await stand.pool.query(`select to_jsonb(t) as row from ${table} t where ${owner} = $1`, [
        other.organizationId,
      ])
      const columns = inserts.join(', ')
      const statement = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`
      for (const scope of [mine.organizationId, ''])
        await expect(tried(role, scope, statement, [rows[0].row]), statement).rejects.toThrow(/row-level security/)
    }
  })
})

test('every table of organizations has rows here, and few roles work on all organizations', async () => {
  const named = Object.entries(everywhere).flatMap(([role, tables]) =>
    tables.split(' ').map((table) => `${role} ${table}`),
  )
  const known = grants.map(({ role, table }) => `${role} ${table}`)
  expect(named.filter((each) => !known.includes(each))).toEqual([])
  for (const { table, owner } of grants)
    expect(await countOf(table, owner, other.organizationId), table).toBeGreaterThan(0)
})
