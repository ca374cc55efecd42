import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { eraseAgents } from '../../functions/sweeper/erase-agents.ts'
import { crawled } from '../sources/source-of.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import { createFile, newExtractor } from '../support/documents/files.ts'
import { serveTexts } from '../support/documents/known-documents.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { databaseAs, newWorker } from '../support/stand/worker.ts'

const stand = useStand()
const provider = useFakeProvider()

afterEach(async () => expect(await strayRows(stand.db)).toEqual([]))

const agentPath = ({ agentId }: Pick<Tenant, 'agentId'>) => `/v1/agents/${agentId}`
const confirmed = (tenant: Pick<Tenant, 'agentId'>, name = 'Agent') =>
  `${agentPath(tenant)}?confirm=${encodeURIComponent(name)}`
const notFound = { status: 404, body: { code: 'agent_not_found' } }

/** The tables that name the agent, except those that outlive it. */
async function tablesThatName({ agentId }: Tenant): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in ('operator_actions', 'erasures')`.execute(
    stand.db,
  )
  const found = tables.map(
    ({ name }) => sql`select ${name} as name from ${sql.table(name)} t where t::text like ${`%${agentId}%`}`,
  )
  const { rows } = await sql<{ name: string }>`${sql.join(found, sql` union `)}`.execute(stand.db)
  return rows.map(({ name }) => name).toSorted()
}

test('an agent is deleted by its name, trimmed, and by no other', async () => {
  const tenant = await stand.tenant()
  const { call } = tenant
  const { body: agent } = await call('PATCH', agentPath(tenant), { name: 'Grüße & Co' })
  for (const query of ['', '?confirm=', '?confirm=%20', '?Confirm=Agent', '?confirm=a&confirm=b'])
    expect(await call('DELETE', agentPath(tenant) + query)).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter' },
    })
  for (const name of ['Agent', 'grüße & co', 'Grüße', '\u0000'])
    expect(await call('DELETE', confirmed(tenant, name))).toMatchObject({
      status: 409,
      body: { code: 'confirmation_mismatch' },
    })
  expect(await call('GET', agentPath(tenant))).toMatchObject({ status: 200, body: agent })
  expect(await call('DELETE', confirmed(tenant, ' Grüße & Co '))).toMatchObject({ status: 204 })
  expect(await call('DELETE', confirmed(tenant, 'Grüße & Co'))).toMatchObject(notFound)
  expect(await call('GET', '/v1/agents')).toMatchObject({ status: 200, body: { data: [] } })
})

test('a deletion is recorded once, with the key that asked for it', async () => {
  const tenant = await stand.tenant()
  const answers = await Promise.all([1, 2, 3].map(() => tenant.call('DELETE', confirmed(tenant))))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404])
  const { rows } = await sql`select a.command, a.arguments, a.outcome, k.name as by
    from operator_actions a join api_keys k on k.id::text = a.person
    where a.organization_id = ${tenant.organizationId}`.execute(stand.db)
  expect(rows).toEqual([
    { command: 'agent delete', arguments: [tenant.agentId], outcome: 'done', by: expect.any(String) },
  ])
})

test('the sweeper deletes what the agent had, and continues after it was killed', async () => {
  const tenant = await stand.tenant()
  await serveTexts(stand, tenant, [{ content: 'Guests park behind the house. '.repeat(50) }])
  const { key } = await createFile(stand, tenant)
  await tenant.call('DELETE', confirmed(tenant))
  expect(await tablesThatName(tenant)).toEqual(['agents', 'chunks', 'documents', 'packs'])
  expect(await eraseAgents(databaseAs('cuecard_sweeper'), () => 0)).toBe(0)
  expect(await tablesThatName(tenant)).toContain('chunks')
  await stand.sweep()
  expect(await tablesThatName(tenant)).toEqual([])
  const { rows } = await sql`select from obsolete_files where source_url like ${`%${key}`}`.execute(stand.db)
  expect(rows).toHaveLength(1)
  expect(await eraseAgents(databaseAs('cuecard_sweeper'), () => 60_000)).toBe(0)
  expect(await tenant.call('POST', '/v1/agents', { name: 'Agent' })).toMatchObject({ status: 201 })
})

test('an agent goes while its document is embedded, its website is crawled and its file arrives', async () => {
  const tenant = await crawled(stand)
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Held', content: 'text' })
  const file = await createFile(stand, tenant)
  const [embeds, crawls] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  provider.script([() => embeds.promise.then(() => 'ok' as const)])
  const embedding = newWorker(stand, provider)([{ id: body.id, organizationId: tenant.organizationId }])
  await expect.poll(() => provider.calls.length).toBe(1)
  await sql`update sources set next_check_at = now()`.execute(stand.db)
  const { request } = tenant.state
  let isCrawling = false
  tenant.state.request = async (...sent) => {
    isCrawling = true
    await crawls.promise
    return await request(...sent)
  }
  const crawling = tenant.deliver()
  await expect.poll(() => isCrawling).toBe(true)

  expect(await tenant.call('DELETE', confirmed(tenant))).toMatchObject({ status: 204 })
  expect(await tenant.call('POST', `${file.path}/uploaded`)).toMatchObject(notFound)
  embeds.resolve()
  crawls.resolve()
  await Promise.all([embedding, crawling])
  const extractor = newExtractor(stand)
  await extractor.upload(file, 'Prices of all kinds.')
  await stand.deliver()
  await stand.sweep()
  await tenant.deliver()
  expect(await tablesThatName(tenant)).toEqual([])
})

test('a program that waits for changes of the agent learns that it is gone', async () => {
  const tenant = await stand.tenant()
  await serveTexts(stand, tenant, [{ content: 'On Sunday we are closed.' }])
  const snapshot = `${tenant.knowledgeBase}/snapshot`
  const { version } = (await tenant.call('GET', snapshot)).body
  const waiting = tenant.call('GET', `${snapshot}?since=${version}&wait=20`)
  await tenant.call('DELETE', confirmed(tenant))
  expect(await waiting).toMatchObject(notFound)
})

test('requests that run while an agent goes succeed or find no agent', async () => {
  const tenant = await stand.tenant()
  const [documentId] = await serveTexts(stand, tenant, [{ content: 'On Sunday we are closed.' }])
  const { knowledgeBase, call } = tenant
  const path = agentPath(tenant)
  const requestsOf = (round: string) =>
    [
      ['POST', knowledgeBase, { title: 'T', content: 'text' }],
      ['POST', `${knowledgeBase}/batch`, { documents: [{ title: 'T', content: 'text' }] }],
      ['POST', `${knowledgeBase}/files`, { name: 'prices.txt', bytes: 10 }],
      ['PATCH', `${knowledgeBase}/${documentId}`, { content: 'On Monday, too.' }],
      ['POST', `${knowledgeBase}/search`, { query: 'Are you open on Sunday?' }],
      ['GET', `${knowledgeBase}/snapshot`, undefined],
      ['POST', `${path}/golden-questions`, { question: 'Sunday?', expects: { nothing: true } }],
      ['POST', `${path}/sources`, { url: `https://${round}.example/` }],
      ['GET', path, undefined],
      ['PATCH', path, { holidays: 'US' }],
    ] as const
  const ask = (round: string) => requestsOf(round).map(([method, url, body]) => call(method, url, body))
  const before = ask('before')
  const deleted = call('DELETE', confirmed(tenant))
  const answers = await Promise.all([...before, ...ask('beside')])
  expect(await deleted).toMatchObject({ status: 204 })
  for (const { status, body } of answers) if (status > 202) expect([status, body]).toMatchObject([404, notFound.body])
  for (const answer of await Promise.all(ask('after'))) expect(answer).toMatchObject(notFound)
  await stand.deliver()
  await stand.sweep()
  expect(await tablesThatName(tenant)).toEqual([])
})
