import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import { pagesOf } from '../support/http/pages.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

const makeAgent = async ({ organizationId }: Tenant, name: string) =>
  (await createAgent(stand.db, organizationId as never, name)).id as string

test('an agent shows its documents by status, and whether its tool is on', async () => {
  const { agentId, call, knowledgeBase } = await stand.tenant()
  const shown = async () => (await call('GET', `/v1/agents/${agentId}`)).body
  const none = { pending: 0, processing: 0, completed: 0, error: 0 }
  const empty = {
    id: agentId,
    name: 'Agent',
    time_zone: 'UTC',
    holidays: null,
    knowledge_base_enabled: false,
    documents: none,
    embedding: { model: null, next: null },
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  }
  expect(await shown()).toEqual(empty)
  await call('POST', knowledgeBase, { title: 'A', content: 'On Sunday.' })
  await stand.deliver()
  await call('POST', knowledgeBase, { title: 'B' })
  const { body } = await call('POST', knowledgeBase, { title: 'C' })
  const served = {
    ...{ ...empty, knowledge_base_enabled: true, documents: { ...none, pending: 2, completed: 1 } },
    embedding: { model: 'lexical-2', next: null },
  }
  expect(await shown()).toEqual(served)
  expect((await call('GET', '/v1/agents')).body).toEqual({ data: [served], has_more: false, next_cursor: null })
  await call('DELETE', `${knowledgeBase}/${body.id}`)
  expect((await shown()).documents).toEqual({ ...none, pending: 1, completed: 1 })
  await sql`update documents set status = 'error', error_message = 'no', managed_by = 'service' where status = 'pending'
    and agent_id = ${agentId}`.execute(stand.db)
  expect((await shown()).documents).toEqual({ ...none, completed: 1, error: 1 })
})

test('the list is newest first, and Link leads through its pages while agents are added', async () => {
  const tenant = await stand.tenant()
  const ids = [tenant.agentId]
  for (const name of ['1', '2', '3', '4']) ids.unshift(await makeAgent(tenant, name))
  const pages = await pagesOf(tenant, '/v1/agents?limit=2', () => makeAgent(tenant, 'meanwhile'))
  expect(pages.flat().map(({ id }) => id)).toEqual(ids)
  expect((await tenant.call('GET', '/v1/agents')).body.data).toHaveLength(5 + 3)
})

test('an agent is created and renamed', async () => {
  const tenant = await stand.tenant()
  const made = await tenant.call('POST', '/v1/agents', { name: ' Front desk ' })
  const path = `/v1/agents/${made.body.id}`
  expect(made).toMatchObject({ status: 201, headers: { location: path }, body: { name: 'Front desk' } })
  expect((await tenant.call('GET', path)).body).toEqual(made.body)
  const renamed = await tenant.call('PATCH', path, { name: 'Night desk' })
  expect(renamed).toMatchObject({ status: 200, body: { ...made.body, name: 'Night desk' } })
  expect((await tenant.call('GET', path)).body).toEqual(renamed.body)
})

test('an agent has the time zone and the public holidays of its business, and keeps those that a change leaves out', async () => {
  const tenant = await stand.tenant()
  const path = `/v1/agents/${tenant.agentId}`
  const made = await tenant.call('POST', '/v1/agents', { name: 'Desk', time_zone: 'europe/BERLIN', holidays: 'DE-BY' })
  expect(made).toMatchObject({ status: 201, body: { time_zone: 'Europe/Berlin', holidays: 'DE-BY' } })
  expect((await tenant.call('GET', '/v1/agents')).body.data).toMatchObject([
    { time_zone: 'Europe/Berlin', holidays: 'DE-BY' },
    { time_zone: 'UTC', holidays: null },
  ])
  for (const [changes, name, time_zone, holidays] of [
    [{ time_zone: 'America/New_York', holidays: 'US' }, 'Agent', 'America/New_York', 'US'],
    [{ name: 'Night desk' }, 'Night desk', 'America/New_York', 'US'],
    [{ holidays: null }, 'Night desk', 'America/New_York', null],
    [{ time_zone: 'Europe/Kyiv' }, 'Night desk', 'Europe/Kyiv', null],
  ] as const) {
    const changed = await tenant.call('PATCH', path, changes)
    expect(changed).toMatchObject({ status: 200, body: { name, time_zone, holidays } })
    expect((await tenant.call('GET', path)).body).toEqual(changed.body)
  }
})

test.each([
  ['time_zone', ['', 'Nowhere/Land', '+02:00', '-05', 'UTC+2', 'Europe/Berlin ', 'x'.repeat(100_000), 7, null]],
  ['holidays', ['', 'us', 'USA', 'US-', 'CA-ONTA', 'US\n', 7]],
])('%s must be well-formed: not %j', async (field, values) => {
  const tenant = await stand.tenant()
  const path = `/v1/agents/${tenant.agentId}`
  for (const value of values)
    for (const [method, at] of [['POST', '/v1/agents'] as const, ['PATCH', path] as const])
      expect(await tenant.call(method, at, { name: 'Desk', [field]: value }), `${value}`.slice(0, 20)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ pointer: `/${field}` }] },
      })
  expect((await tenant.call('GET', '/v1/agents')).body.data).toMatchObject([{ name: 'Agent', time_zone: 'UTC' }])
})

test('an agent’s name has 1 to 200 printable characters', async () => {
  const tenant = await stand.tenant()
  const path = `/v1/agents/${tenant.agentId}`
  for (const name of ['', '  ', 'a\nb', 'x'.repeat(201), 7, null])
    for (const [method, at] of [['POST', '/v1/agents'] as const, ['PATCH', path] as const])
      expect(await tenant.call(method, at, { name })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/name' }] },
      })
  expect((await tenant.call('PATCH', path, {})).status).toBe(422)
  expect((await tenant.call('GET', '/v1/agents')).body.data).toMatchObject([{ name: 'Agent' }])
})
