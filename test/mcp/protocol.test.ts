import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { eras, mcpClient } from './mcp-client.ts'

const stand = useStand()

/** Search serves a document of the first and none of the second. No test changes them. */
let serving: Tenant
let bare: Tenant
beforeAll(async () => {
  serving = await stand.tenant()
  bare = await stand.tenant()
  await serving.call('POST', serving.knowledgeBase, { title: 'Hours', content: 'On Sunday we are closed.' })
  await stand.deliver()
})

describe.each(eras)('a client of the protocol of %s', (era) => {
  test('sees two read-only tools', async () => {
    const listed = await mcpClient(serving, era).list()
    expect(listed.map(({ name }) => name)).toEqual(['search', 'fetch'])
    for (const { annotations } of listed)
      expect(annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true, openWorldHint: false })
  })

  test('sees no tool while search serves nothing, and the tools as soon as it does', async () => {
    const tenant = await stand.tenant()
    const { list } = mcpClient(tenant, era)
    expect(await list()).toEqual([])
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Hours', content: 'Closed on Sunday.' })
    expect(await list()).toEqual([])
    await stand.deliver()
    expect((await list()).map(({ name }) => name)).toEqual(['search', 'fetch'])
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${body.id}`)
    expect(await list()).toEqual([])
  })

  test('learns that no document is ready if it calls a tool while search serves nothing', async () => {
    const { tool } = mcpClient(bare, era)
    for (const [name, input] of [
      ['search', { query: 'Sunday?' }],
      ['fetch', { id: newId() }],
      ['fetch', { id: 'x' }],
    ] as const)
      expect(await tool(name, input)).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('No document of this knowledge base is ready yet') }],
      })
  })

  test('gets errors for an unknown tool and an unknown method', async () => {
    const { send } = mcpClient(serving, era)
    const call = await send('tools/call', { name: 'toString', arguments: {} })
    expect(call.body).toMatchObject({ id: 1, error: { code: -32602, message: 'Unknown tool: toString' } })
    expect((await send('resources/list')).body).toMatchObject({ id: 1, error: { code: -32601 } })
  })

  test('gets 202 for a notification', async () => {
    const { notify } = mcpClient(bare, era)
    expect(await notify('notifications/cancelled')).toMatchObject({ status: 202, body: undefined })
  })

  test.each(['ping', 'tools/list', 'tools/call', 'no/such'])(
    'gets 404 for %s at a missing or foreign agent',
    async (method) => {
      const params = method === 'tools/call' ? { name: 'search', arguments: { query: 'Sunday' } } : {}
      const missing = { status: 404, body: { code: 'agent_not_found' } }
      for (const agentId of [serving.agentId, newId()])
        expect(await mcpClient({ agentId, call: bare.call }, era).send(method, params)).toMatchObject(missing)
    },
  )
})

describe('a client of 2025', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])('negotiates %s, without a session', async (protocolVersion) => {
    const { send, notify } = mcpClient(bare)
    const { headers, body } = await send('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    })
    expect(body.result).toEqual({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'cuecard', title: 'Cuecard', version: '1.0.0' },
      instructions: expect.stringContaining('Call `search` before you answer'),
    })
    expect(headers).not.toHaveProperty('mcp-session-id')
    expect(await notify('notifications/initialized')).toMatchObject({ status: 202 })
  })

  test('gets JSON, whatever it accepts', async () => {
    const { send } = mcpClient(serving)
    for (const accept of ['application/json', '*/*', 'text/event-stream', ''])
      expect(await send('tools/list', {}, { accept })).toMatchObject({
        status: 200,
        headers: { 'content-type': 'application/json' },
      })
  })

  test('is refused with an unknown version', async () => {
    const { send } = mcpClient(bare)
    expect(await send('ping', {}, { 'mcp-protocol-version': '1999-01-01' })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('1999-01-01') } },
    })
  })
})

describe('a client of 2026', () => {
  test('discovers versions and capabilities', async () => {
    const { send } = mcpClient(bare, '2026-07-28')
    expect((await send('server/discover')).body.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      instructions: expect.stringContaining('Call `search` before you answer'),
    })
  })

  test('may cache the list of tools privately, for seconds', async () => {
    const { send } = mcpClient(bare, '2026-07-28')
    const { ttlMs, cacheScope } = (await send('tools/list')).body.result
    expect(ttlMs).toBeGreaterThan(0)
    expect(ttlMs).toBeLessThanOrEqual(15_000)
    expect(cacheScope).toBe('private')
  })

  test('is refused a stream that would stay open', async () => {
    const { send } = mcpClient(bare, '2026-07-28')
    const answer = await send('subscriptions/listen', { notifications: { toolsListChanged: true } })
    expect(answer).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/json' },
      body: { id: 1, error: { code: -32601, message: 'Method not found' } },
    })
  })

  test('is refused if its headers contradict its body', async () => {
    const { send } = mcpClient(bare, '2026-07-28')
    expect(await send('tools/list', {}, { 'mcp-method': 'ping' })).toMatchObject({
      status: 400,
      body: { error: { code: -32020 } },
    })
  })
})

test.each([
  ['an array', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', ''],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '/jsonrpc'],
  ['no method', '{"jsonrpc":"2.0","id":1,"result":{}}', '/method'],
  ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '/id'],
  ['parameters in an array', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', '/params'],
])('an invalid message is 422: %s', async (_, body, pointer) => {
  const answer = await bare.call('POST', mcpClient(bare).path, body)
  expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
  expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
})

test('a search finds nothing of another agent of the organization', async () => {
  const sibling = await createAgent(stand.db, serving.organizationId as OrganizationId, 'Sibling')
  const { list, tool } = mcpClient({ agentId: sibling.id, call: serving.call })
  expect(await list()).toEqual([])
  expect(await tool('search', { query: 'Sunday' })).toMatchObject({ isError: true })
})

test.each(eras)('operators have approved the texts of the tools, in the protocol of %s', async (era) => {
  const listed = await mcpClient(serving, era).list()
  const hash = createHash('sha256').update(JSON.stringify(listed)).digest('hex')
  expect(
    hash,
    'Some platforms (ElevenLabs is one) call a tool only while the hash of its name, description and schemas is the one that an ' +
      'operator approved: after a change every customer must approve the tools again. If that is what you want, put the new hash ' +
      'here and say so in the release notes.',
  ).toBe('57a6588e3369e02509946f0134955b6d3966c755e32c34bb0143e0031cd12c80')
})
