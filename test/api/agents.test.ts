import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/tenants.ts'
import { type Tenant, useStand } from '../support/stand.ts'

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
