import { beforeAll, expect, test } from 'vitest'
import { connected } from '../connect/connected.ts'
import { mcpClient } from '../mcp/mcp-client.ts'
import { type Call, type Tenant, useStand } from '../support/stand/stand.ts'
import { call, tools, user } from './vapi-messages.ts'

const stand = useStand()
/** An agent with the documents of two branches. No test changes it. */
let tenant: Tenant
const ids: Record<string, string> = {}
beforeAll(async () => {
  tenant = await stand.tenant()
  for (const location of ['hackney', 'walthamstow']) {
    const content = `In ${location} we are open on Sunday from 10 to 4.`
    const document = { title: 'Opening hours', content, metadata: { location, floors: [1, 2] } }
    ids[location] = (await tenant.call('POST', tenant.knowledgeBase, document)).body.id
  }
  await stand.deliver()
})

const query = 'are you open on sunday in hackney or in walthamstow'
const limitedTo = (metadata: unknown) => `?document_metadata=${encodeURIComponent(JSON.stringify(metadata))}`

/** A caller whose requests all have this query string. */
const calling =
  (search: string): Call =>
  (method, path, body, headers) =>
    tenant.call(method, `${path}${search}`, body, headers)

const answers: Record<string, (search: string) => Promise<unknown>> = {
  'Vapi’s knowledge base': async (search) => {
    const message = { type: 'knowledge-base-request', messages: [user(query)] }
    return (await calling(search)('POST', `${tenant.knowledgeBase}/vapi`, { message })).body
  },
  'Vapi’s tool calls': async (search) => {
    const widened = call('2', { query, document_metadata: {} })
    const message = tools(call('1', { query }), widened)
    return (await calling(search)('POST', `${tenant.knowledgeBase}/vapi`, { message })).body
  },
  Retell: async (search) => {
    const args = { query, document_metadata: {} }
    return (await calling(search)('POST', `${tenant.knowledgeBase}/retell`, { call: {}, args })).body
  },
  MCP: async (search) => {
    const { tool } = mcpClient({ ...tenant, call: calling(search) })
    return [await tool('search', { query }), await tool('search', { query, history: [query], format: 'speech' })]
  },
  'MCP behind OAuth': async (search) => {
    const { path, headers } = await connected(stand.db, tenant)
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: { query } } }
    const accept = 'application/json, text/event-stream'
    return (await stand.http('POST', `${path}${search}`, body, { ...headers, accept })).body
  },
}

test.each(Object.entries(answers))('%s finds only documents with the metadata in its address', async (_, answer) => {
  const [hackney, walthamstow] = [/In hackney/i, /In walthamstow/i]
  const every = JSON.stringify(await answer(''))
  expect(every).toMatch(hackney)
  expect(every).toMatch(walthamstow)
  const own = JSON.stringify(await answer(limitedTo({ location: 'hackney', floors: [2] })))
  expect(own).toMatch(hackney)
  expect(own).not.toMatch(walthamstow)
  const none = JSON.stringify(await answer(limitedTo({ location: 'camden' })))
  expect(none).not.toMatch(hackney)
  expect(none).not.toMatch(walthamstow)
})

test('a model cannot widen the filter of its MCP address, nor read another document by its id', async () => {
  const { tool } = mcpClient({ ...tenant, call: calling(limitedTo({ location: 'hackney' })) })
  expect(await tool('search', { query, document_metadata: {} })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('`document_metadata` is not a known field') }],
  })
  expect((await tool('fetch', { id: ids.hackney })).structuredContent.text).toContain('In hackney')
  for (const id of [ids.walthamstow!, `${ids.walthamstow}#0`])
    expect(await tool('fetch', { id })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('There is no document or passage with this `id`') }],
    })
})

test('a filter that is no object within the limits of a search’s filter is 400', async () => {
  const paths = [`${tenant.knowledgeBase}/vapi`, `${tenant.knowledgeBase}/retell`, `/v1/agents/${tenant.agentId}/mcp`]
  const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`
  const wrong = [
    '',
    'x',
    '7',
    'null',
    '[]',
    '{',
    deep,
    '{"a":"\\u0000"}',
    '{"\\ud800":1}',
    '{"__proto__":1}',
    '{"a":1e-99}',
  ]
  const many = JSON.stringify({ a: Array.from({ length: 9 }, (_, i) => i) })
  for (const path of paths)
    for (const filter of [...wrong, many])
      expect(
        await tenant.call('POST', `${path}?document_metadata=${encodeURIComponent(filter)}`, {}),
        filter,
      ).toMatchObject({
        status: 400,
        body: { code: 'invalid_parameter', errors: [{ parameter: 'document_metadata' }] },
      })
  const twice = await tenant.call('POST', `${paths[0]}${limitedTo({})}&document_metadata={}`, {})
  expect(twice).toMatchObject({ status: 400, body: { errors: [{ detail: 'must be given once' }] } })
})
