import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/tenants.ts'
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

test('the list is newest first, in pages that Link leads through, while others are added', async () => {
  const tenant = await stand.tenant()
  const ids = [tenant.agentId]
  for (const name of ['1', '2', '3', '4']) ids.unshift(await makeAgent(tenant, name))
  const seen: string[] = []
  for (let next: string | undefined = '/v1/agents?limit=2'; next; ) {
    const page = await tenant.call('GET', next)
    seen.push(...page.body.data.map(({ id }: { id: string }) => id))
    expect(page.body.has_more).toBe(page.body.next_cursor !== null)
    next = /^<([^>]+)>; rel="next"$/.exec(page.headers.link ?? '')?.[1]
    await makeAgent(tenant, 'meanwhile')
  }
  expect(seen).toEqual(ids)
  expect((await tenant.call('GET', '/v1/agents')).body.data).toHaveLength(5 + 3)
})

test('an agent is made and renamed with organization:write alone', async () => {
  const tenant = await stand.tenant()
  const made = await tenant.call('POST', '/v1/agents', { name: ' Front desk ' })
  const path = `/v1/agents/${made.body.id}`
  expect(made).toMatchObject({ status: 201, headers: { location: path }, body: { name: 'Front desk' } })
  expect((await tenant.call('GET', path)).body).toEqual(made.body)
  const renamed = await tenant.call('PATCH', path, { name: 'Night desk' })
  expect(renamed).toMatchObject({ status: 200, body: { ...made.body, name: 'Night desk' } })
  expect((await tenant.call('GET', path)).body).toEqual(renamed.body)
  const reader = await stand.tenant(['kb:read', 'kb:write', 'organization:read'])
  for (const [method, at] of [['POST', '/v1/agents'] as const, ['PATCH', `/v1/agents/${reader.agentId}`] as const])
    expect(await reader.call(method, at, { name: 'X' })).toMatchObject({
      status: 403,
      body: { required_permission: 'organization:write' },
    })
})

test('an agent of another organization is not renamed, and a name has 1 to 200 printable characters', async () => {
  const [tenant, other] = [await stand.tenant(), await stand.tenant()]
  const path = `/v1/agents/${tenant.agentId}`
  expect((await other.call('PATCH', path, { name: 'Mine' })).body.code).toBe('agent_not_found')
  for (const name of ['', '  ', 'a\nb', 'x'.repeat(201), 7, null])
    for (const [method, at] of [['POST', '/v1/agents'] as const, ['PATCH', path] as const])
      expect(await tenant.call(method, at, { name })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/name' }] },
      })
  expect((await tenant.call('PATCH', path, {})).status).toBe(422)
  expect((await tenant.call('GET', '/v1/agents')).body.data).toMatchObject([{ name: 'Agent' }])
})
