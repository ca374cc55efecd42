import { describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { exampleBody, fill, keyedRoutes, makeDocument, queryOf } from '../support/http/operations.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { isOnServer } from '../support/tools/effort.ts'

const stand = useStand()

const deleteOrganization = ({ organizationId }: Tenant) =>
  stand.db.deleteFrom('organizations').where('id', '=', organizationId).execute()
const deleteAgent = ({ agentId }: Tenant) => stand.db.deleteFrom('agents').where('id', '=', agentId).execute()

const keyInvalid = { status: 401, body: { code: 'invalid_api_key' } }
const operations = keyedRoutes.map((route) => ({
  name: route.name,
  isOfAgent: route.path.includes('{agentId}'),
  attempts: [
    {},
    ...(['createDocument', 'createDocuments', 'createChunks'].includes(route.name)
      ? [{ 'idempotency-key': 'again' }]
      : []),
  ],
  /** Vapi ignores any other status. */
  agentNotFound:
    route.name === 'answerVapi'
      ? { status: 200, body: { results: [{ error: 'Your organization has no agent with this id.' }] } }
      : { status: 404, body: { code: 'agent_not_found' } },
  /** Succeeds once. @returns a function that repeats it */
  async begin(tenant: Tenant) {
    const { method, path } = route
    const url = fill(path, await makeDocument(tenant, path)) + queryOf(route)
    if (path.includes('{revision}')) await stand.deliver()
    const ask = (headers = {}) => tenant.call(method, url, exampleBody(route), headers)
    expect((await ask()).status).toBeLessThan(300)
    return ask
  },
}))

test.each(operations)(
  '$name answers like a missing key or agent once the organization is deleted, even while its key is cached',
  async ({ isOfAgent, agentNotFound, attempts, begin }) => {
    const tenant = await stand.tenant()
    const ask = await begin(tenant)
    await deleteOrganization(tenant)
    const [plain, idempotent] = await Promise.all(attempts.map(ask))
    expect(plain).toMatchObject(isOfAgent ? agentNotFound : keyInvalid)
    if (idempotent) expect(idempotent).toMatchObject(keyInvalid)
  },
)

test('from the moment that an agent is deleted, with its rows still there, each operation answers as if it never existed', async () => {
  const tenant = await stand.tenant()
  await createAgent(stand.db, tenant.organizationId as OrganizationId, 'Other')
  const begun = []
  for (const operation of operations)
    if (operation.isOfAgent && operation.name !== 'deleteAgent')
      begun.push({ ...operation, ask: await operation.begin(tenant) })
  const path = `/v1/agents/${tenant.agentId}?confirm=Agent`
  expect(await tenant.call('DELETE', path)).toMatchObject({ status: 204 })
  expect(await tenant.call('DELETE', path)).toMatchObject({ status: 404, body: { code: 'agent_not_found' } })
  for (const { name, attempts, agentNotFound, ask } of begun)
    for (const headers of attempts) expect(await ask(headers), name).toMatchObject(agentNotFound)
})

test('an organization without agents has an empty list of them', async () => {
  const tenant = await stand.tenant()
  await deleteAgent(tenant)
  expect(await tenant.call('GET', '/v1/agents')).toMatchObject({ status: 200, body: { data: [] } })
})

describe.runIf(isOnServer)('while a statement stores a document', () => {
  test.each([
    ['an agent', 'delete from agents where organization_id = $1'],
    ['an organization', 'delete from organizations where id = $1'],
  ])('%s that is deleted answers as if it never existed', async (_, deletion) => {
    const tenant = await stand.tenant()
    await tenant.call('GET', tenant.knowledgeBase)
    const client = await stand.pool.connect()
    try {
      await client.query('begin')
      await client.query(deletion, [tenant.organizationId])
      const created = tenant.call('POST', tenant.knowledgeBase, { title: 'T' })
      await expect.poll(waitingForLocks).toBeGreaterThan(0)
      await client.query('commit')
      expect(await created).toMatchObject({ status: 404, body: { code: 'agent_not_found' } })
    } finally {
      client.release()
    }
  })

  async function waitingForLocks(): Promise<number> {
    const { rows } = await stand.pool.query(
      `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return Number(rows[0].waiting)
  }
})
