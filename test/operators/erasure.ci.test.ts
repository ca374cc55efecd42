import { type RawBuilder, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { addPerson } from '../../infra/admin/people.ts'
import { removalsIn, removeAgain } from '../../infra/backup/removals.ts'
import { belongings } from '../../shared/erasure/belongings.ts'
import { erase, Interrupted } from '../../shared/erasure/erase.ts'
import { type AgentId, newId, type OrganizationId } from '../../shared/ids.ts'
import { signInAs } from '../../shared/organizations/sessions.ts'
import { createFile } from '../support/documents/files.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { memoryBucket } from '../support/stand/memory-bucket.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, newWorker, sweeperWith } from '../support/stand/worker.ts'
import { cuecard, cuecardJson } from '../support/tools/command-line.ts'
import { busyTenant } from './busy-tenant.ts'

const stand = useStand()
const provider = useFakeProvider()
const run = <Row>(statement: RawBuilder<Row>) => statement.execute(stand.db)

/** The number of rows and a sum of their hashes, for each table with rows of organizations, except rows that must outlive them. */
async function rowsOf(where: RawBuilder<unknown>): Promise<Record<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'organization_id' and table_name not in ('operator_actions', 'erasures')
    order by 1`.execute(stand.db)
  const counts = tables.map(
    ({ name }) => sql`
      select ${name} as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as found
      from ${sql.table(name)} t where ${where}`,
  )
  const { rows } = await run(sql<{ name: string; found: string }>`${sql.join(counts, sql` union all `)}`)
  return Object.fromEntries(rows.map(({ name, found }) => [name, found]))
}

const ofOrganization = (id: string) => sql`organization_id = ${id}`
const isEmpty = (found: Record<string, string>) => Object.values(found).every((count) => count === '0 0')

/** Revokes the keys long enough ago that no instance accepts them, so that the erasure does not wait. */
const revokeLongAgo = ({ organizationId }: Tenant) =>
  run(sql`update api_keys set revoked_at = now() - interval '1 minute' where organization_id = ${organizationId}`)

const eraseOrganization = (id: string, name = 'Test') =>
  cuecard(['organization', 'delete', id, '--yes-erase-name', name, '--json'])

/** Options of an erasure that is interrupted after the given number of pauses. */
function interruptedAfter(pauses: number) {
  const controller = new AbortController()
  const waits: number[] = []
  const pause = (milliseconds: number) => {
    if (waits.push(milliseconds) >= pauses) controller.abort()
    return Promise.resolve()
  }
  return { signal: controller.signal, pause, waits, maxRows: 2, onProgress: () => {} }
}

/** Erases the tenant's organization long after its keys were revoked. */
async function eraseAtOnce(tenant: Tenant): Promise<void> {
  await revokeLongAgo(tenant)
  expect(await eraseOrganization(tenant.organizationId)).toMatchObject({ code: 0 })
}

/** The files that the sweeper must delete. */
const filesOf = async (part: string) =>
  (await run(sql`select from obsolete_files where source_url like ${`%${part}%`}`)).rows

const isErased = async ({ organizationId }: Tenant) => isEmpty(await rowsOf(ofOrganization(organizationId)))

describe('an organization that is erased', () => {
  test('leaves no row in any table, and the others’ as they are', async () => {
    const [erased, other] = [await busyTenant(stand), await busyTenant(stand)]
    const before = await rowsOf(ofOrganization(other.organizationId))
    expect(isEmpty(before)).toBe(false)
    for (const [table, count] of Object.entries(await rowsOf(ofOrganization(erased.organizationId))))
      expect(count, table).not.toMatch(/^0 /)
    await revokeLongAgo(erased)
    const { code, stdout } = await eraseOrganization(erased.organizationId)
    expect(code).toBe(0)
    const once = 'document_revisions calls golden_questions sources source_pages question_log webhook_deliveries'
    const ones = Object.fromEntries([...once.split(' '), 'query_vectors'].map((table) => [table, 1]))
    const counts = { ...ones, documents: 5, idempotency_keys: 3 }
    const done = { kind: 'organization', organization_id: erased.organizationId, completed_at: expect.any(String) }
    expect(JSON.parse(stdout)).toMatchObject({ ...done, counts })
    expect(await isErased(erased)).toBe(true)
    expect(await rowsOf(ofOrganization(other.organizationId))).toEqual(before)
    const again = { code: 1, stderr: expect.stringMatching(/^error: organization .+ was erased at 20/) }
    expect(await eraseOrganization(erased.organizationId)).toMatchObject(again)
  })

  test('leaves its files to the sweeper', async () => {
    const tenant = await stand.tenant()
    const { key } = await createFile(stand, tenant)
    await eraseAtOnce(tenant)
    expect(await filesOf(key)).toHaveLength(1)
  })

  test('leaves the sweeper its files that no row names, as after a restore, and no files of others', async () => {
    const [erased, other] = [await stand.tenant(), await stand.tenant()]
    const bucket = memoryBucket()
    const keyOf = ({ organizationId }: Tenant, i = 0) => `${organizationId}/${newId()}/${newId()}/${i}.txt`
    const arrives = (key: string) => bucket.files.set(key, Buffer.from('Soup.'))
    const swept = async () => (await sweep(sweeperWith(keptQueue().queue, bucket))).files_deleted
    const hasNone = () => [...bucket.files.keys()].every((key) => !key.startsWith(erased.organizationId))
    for (let i = 0; i < 1100; i++) arrives(keyOf(erased, i))
    const kept = keyOf(other)
    arrives(kept)
    await eraseAtOnce(erased)
    expect(await swept()).toBeGreaterThanOrEqual(1000)
    expect(hasNone()).toBe(false)
    await swept()
    expect(hasNone()).toBe(true)

    await swept()
    arrives(keyOf(erased))
    await swept()
    expect(hasNone()).toBe(false)
    await sql`update obsolete_files set delete_at = now(), last_at = now()
      where source_url like ${`%${erased.organizationId}%`}`.execute(stand.db)
    await swept()
    expect(hasNone()).toBe(true)
    await swept()
    expect([...bucket.files.keys()]).toEqual([kept])
    expect(await filesOf(erased.organizationId)).toEqual([])
  })

  test('is named in the list of erasures by its id, and nowhere by its name', async () => {
    const { id } = await cuecardJson('organization', 'create', '--name', 'Lighthouse Inn')
    expect(await eraseOrganization(id, 'Lighthouse Inn')).toMatchObject({ code: 0 })
    const { data } = await cuecardJson('erasures', 'list')
    const times = { requested_at: expect.any(String), completed_at: expect.any(String) }
    const erasure = { kind: 'organization', organization_id: id, agent_id: null, counts: {}, ...times }
    expect(data).toContainEqual({ id: expect.any(String), ...erasure })
    const { rows } = await run(sql<{ kept: string }>`
      select (select jsonb_agg(e) from erasures e)::text || (select jsonb_agg(a) from operator_actions a)::text as kept`)
    expect(rows[0]!.kept).toContain(id)
    expect(rows[0]!.kept).not.toContain('Lighthouse')
  })

  test('must be named exactly, else nothing changes', async () => {
    const tenant = await stand.tenant()
    const { organizationId: id } = tenant
    const before = await rowsOf(ofOrganization(id))
    const stderr = `error: that is not the name of organization ${id}: npx cuecard organization show ${id} shows it\n`
    expect(await eraseOrganization(id, 'test')).toEqual({ code: 1, stdout: '', stderr })
    const unknown = { code: 1, stderr: expect.stringMatching(/no such organiz/) }
    expect(await eraseOrganization(newId())).toMatchObject(unknown)
    expect(await cuecard(['organization', 'delete', id])).toMatchObject({ code: 1 })
    expect(await rowsOf(ofOrganization(id))).toEqual(before)
    const { data } = await cuecardJson('erasures', 'list')
    expect(data).not.toContainEqual(expect.objectContaining({ organization_id: id }))
  })

  test('loses its keys before anything else, and its rows when no instance accepts them any more', async () => {
    const tenant = await busyTenant(stand)
    const subject = { organizationId: tenant.organizationId as OrganizationId }
    await expect(erase(stand.db, subject, interruptedAfter(1))).rejects.toThrow(Interrupted)
    const { rows } = await run(sql<{ revoked: boolean }>`
      select revoked_at is not null as revoked from api_keys where organization_id = ${tenant.organizationId}`)
    expect(rows).toEqual([{ revoked: true }])
    const { data } = await cuecardJson('document', 'list', '--organization', tenant.organizationId)
    expect(data).not.toEqual([])
    const rest = interruptedAfter(Number.POSITIVE_INFINITY)
    await erase(stand.db, subject, rest)
    expect(Math.max(...rest.waits)).toBeGreaterThan(15_000)
    expect(Math.max(...rest.waits)).toBeLessThanOrEqual(30_000)
  })

  test('may be interrupted after any batch: the same command continues, and counts each row once', async () => {
    const tenant = await busyTenant(stand)
    const subject = { organizationId: tenant.organizationId as OrganizationId }
    await revokeLongAgo(tenant)
    const before = await rowsOf(ofOrganization(tenant.organizationId))
    let interruptions = 0
    for (;;) {
      const once = interruptedAfter(1)
      const done = await erase(stand.db, subject, once).catch((error) => {
        if (!once.signal.aborted) throw error
        interruptions++
      })
      if (!done) continue
      const counts = belongings.map(({ table }) => [table, Number(before[table]!.split(' ')[0])])
      expect(done.counts).toEqual(Object.fromEntries(counts))
      break
    }
    expect(interruptions).toBeGreaterThan(10)
    expect(await isErased(tenant)).toBe(true)
  })

  test('is not restored by a worker that processes its document', async () => {
    const tenant = await stand.tenant()
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'In work', content: 'text' })
    const held = Promise.withResolvers<void>()
    provider.script([() => held.promise.then(() => 'ok' as const)])
    const working = newWorker(stand, provider)([{ id: body.id, organizationId: tenant.organizationId }])
    await expect.poll(() => provider.calls.length).toBe(1)
    await eraseAtOnce(tenant)
    held.resolve()
    await working
    await stand.deliver()
    expect(await isErased(tenant)).toBe(true)
  })
})

const waysToDelete: [by: string, deleteAgent: (tenant: Tenant) => Promise<void>][] = [
  [
    'an operator',
    async ({ agentId, organizationId }) => {
      expect(await cuecard(['agent', 'delete', agentId, '--yes-erase-name', 'Second'])).toMatchObject({ code: 1 })
      const erased = await cuecardJson('agent', 'delete', agentId, '--yes-erase-name', 'Agent')
      expect(erased).toMatchObject({ kind: 'agent', organization_id: organizationId, agent_id: agentId })
    },
  ],
  [
    'its organization',
    async ({ agentId, call }) => {
      expect(await call('DELETE', `/v1/agents/${agentId}?confirm=Agent`)).toMatchObject({ status: 204 })
      await stand.sweep()
    },
  ],
]

test.each(waysToDelete)(
  'an agent that %s erases leaves no row, and the organization its keys and its other agents',
  async (_, deleteAgent) => {
    const tenant = await busyTenant(stand)
    const { organizationId: organization, call } = tenant
    await sql`update webhook_deliveries set data = jsonb_build_object('agents', jsonb_build_array(
    jsonb_build_object('agent_id', ${tenant.agentId}::text))) where organization_id = ${organization}`.execute(stand.db)
    const { id: agent } = await cuecardJson('agent', 'create', '--organization', organization, '--name', 'Second')
    const knowledgeBase = `/v1/agents/${agent}/knowledge-base`
    await call('POST', knowledgeBase, { title: 'Second', content: 'Of the second agent. '.repeat(200) })
    await stand.deliver()
    const ofAgent = (id: string) => sql`t::text like ${`%${id}%`}`
    const kept = await rowsOf(ofAgent(agent))

    await deleteAgent(tenant)
    const left = Object.entries(await rowsOf(ofAgent(tenant.agentId))).filter(([, found]) => found !== '0 0')
    expect(left).toEqual([])
    const { rows } = await run(sql`select from vectors v
    where organization_id = ${organization} and not exists (select from documents d where d.id = v.document_id)`)
    expect(rows).toEqual([])
    expect(await rowsOf(ofAgent(agent))).toEqual(kept)
    expect(await call('GET', knowledgeBase)).toMatchObject({ status: 200, body: { data: [{ title: 'Second' }] } })
    expect(await call('GET', tenant.knowledgeBase)).toMatchObject({ status: 404, body: { code: 'agent_not_found' } })
  },
)

describe('a replay of the erasures', () => {
  /** Imitates a restore to an earlier moment. */
  async function bringBack({ organizationId: organization, agentId: agent }: Tenant): Promise<void> {
    await run(sql`insert into organizations (id, name) values (${organization}, 'Back') on conflict do nothing`)
    await run(sql`insert into agents (organization_id, id, name) values (${organization}, ${agent}, 'Back')`)
  }

  test('erases what a restore brought back, by lists that the restored database lacks', async () => {
    const [gone, shrunk] = [await stand.tenant(), await stand.tenant()]
    await eraseAtOnce(gone)
    await cuecardJson('agent', 'delete', shrunk.agentId, '--yes-erase-name', 'Agent')
    const removals = await removalsIn(stand.db)
    await sql`delete from erasures`.execute(stand.db)
    await bringBack(gone)
    await bringBack(shrunk)
    const { erased } = await removeAgain(stand.db, [removals, removals], interruptedAfter(Number.POSITIVE_INFINITY))
    expect(erased).toMatchObject([{ organization_id: gone.organizationId }, { agent_id: shrunk.agentId }])
    expect(await isErased(gone)).toBe(true)
    expect(await cuecardJson('organization', 'show', shrunk.organizationId)).toMatchObject({ agent_count: 0 })
    const { data } = await cuecardJson('erasures', 'list')
    for (const { id, requested_at } of removals.erasures)
      expect(data).toContainEqual(
        expect.objectContaining({ id, requested_at: new Date(`${requested_at}`).toISOString() }),
      )
  })

  test('removes people whom a restore brought back, except those who joined again, and signs everybody out', async () => {
    const organization = (await stand.tenant()).organizationId as OrganizationId
    const join = (mail: string) => addPerson(stand.db, { organization, mail, role: 'editor' })
    const [gone, again] = [`gone-${organization}@example.com`, `again-${organization}@example.com`]
    const ids = [await join(gone), await join(again)].map(({ id }) => id)
    await run(sql`update memberships set removed_at = now() where organization_id = ${organization}`)
    const removals = await removalsIn(stand.db)
    await join(again)
    await run(sql`update memberships set removed_at = null where organization_id = ${organization}`)
    expect((await signInAs(stand.db, gone)).outcome).toBe('opened')
    await removeAgain(stand.db, [removals, { erasures: [], revoked_keys: [] }], interruptedAfter(1))
    const { data } = await cuecardJson('person', 'list', '--organization', organization)
    expect(data).toMatchObject([
      { id: ids[1], mail: again, removed_at: null },
      { id: ids[0], mail: gone, removed_at: expect.any(String) },
    ])
    const { rows } = await run(sql`select from sessions where organization_id = ${organization}`)
    expect(rows).toEqual([])
  })
})

test('an erasure that names another organization’s agent erases nothing', async () => {
  const [one, other] = [await stand.tenant(), await busyTenant(stand)]
  const before = await rowsOf(ofOrganization(other.organizationId))
  const subject = { organizationId: one.organizationId as OrganizationId, agentId: other.agentId as AgentId }
  await erase(stand.db, subject, interruptedAfter(Number.POSITIVE_INFINITY))
  expect(await rowsOf(ofOrganization(other.organizationId))).toEqual(before)
})
