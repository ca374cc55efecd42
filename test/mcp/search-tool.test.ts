import { neonConfig } from '@neondatabase/serverless'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { searchTool } from '../../functions/mcp/tool-texts.ts'
import { EmbeddingError } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { serveChunks } from '../support/documents/documents.ts'
import { tenantWith } from '../support/documents/known-documents.ts'
import { axis } from '../support/provider/axis.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { hangingEmbedder } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { manualClock } from '../support/time/manual-clock.ts'
import { eras, mcpClient } from './mcp-client.ts'
import { newMcp } from './new-mcp.ts'

const provider = useFakeProvider()
const stand = useStand()

let requests = 0
/** Statements that match get no answer, or a broken connection. */
let silenced: RegExp | undefined
let cut: RegExp | undefined
neonConfig.fetchFunction = (url: string, init: RequestInit) => {
  requests++
  const body = String(init.body)
  if (cut?.test(body)) return Promise.reject(new TypeError('fetch failed'))
  if (!silenced?.test(body)) return fetch(url, init)
  return new Promise((_, reject) => init.signal!.addEventListener('abort', () => reject(init.signal!.reason)))
}
beforeEach(() => {
  requests = 0
})
afterEach(() => {
  silenced = undefined
  cut = undefined
})
afterAll(() => {
  neonConfig.fetchFunction = undefined
})

const question = { query: 'are you open on sunday' }

const serving = (...contents: string[]) =>
  tenantWith(stand, contents.length > 0 ? contents : ['On Sunday we are closed.'], 'Hours')

test('a search uses earlier questions, and puts passages already given behind others', async () => {
  const tenant = await serving('The workshop is open on Monday.', 'The café is open on Monday.')
  const search = async (args: object) =>
    (await mcpClient(tenant).tool('search', { query: 'and on monday', ...args })).structuredContent.results
  const history = ['When is the café open?']
  const [first] = await search({ history })
  expect(first.text).toBe('The café is open on Monday.')
  const [before, after] = [await search({}), await search({ seen: [(await search({}))[0].id] })]
  expect(after).toEqual(before.toReversed())
})

describe.each(eras)('search, in the protocol of %s', (era) => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await serving()
  })

  test('returns passages with their text, as structured content and as the same JSON', async () => {
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, question)
    const [hit] = body.data
    const { content, structuredContent, isError } = await mcpClient(tenant, era).tool('search', question)
    expect(isError).toBeUndefined()
    expect(structuredContent).toEqual({
      today: expect.stringMatching(/^Today is \p{L}+, \d{1,2} \p{L}+ \d{4}\.$/u),
      status: 'found',
      results: [
        {
          id: `${hit.document_id}#0`,
          title: 'Hours',
          url: `https://app.example.com${tenant.knowledgeBase}/${hit.document_id}`,
          text: 'On Sunday we are closed.',
          source: { title: 'Hours', url: null, page: null, heading: null },
        },
      ],
    })
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
    expect(new Ajv2020().validate(searchTool.outputSchema, structuredContent)).toBe(true)
  })

  test('says not to ask again if its passages may not answer or there are none', async () => {
    const { tool } = mcpClient(tenant, era)
    const { isError, structuredContent: nothing } = await tool('search', { query: 'zzyzx qwrtp' })
    expect(isError).toBeUndefined()
    expect(nothing).toEqual({
      status: 'nothing',
      retryable: false,
      results: [],
      message: expect.stringMatching(/has nothing on this.*Say that you do not know/),
    })
    const { structuredContent: uncertain } = await tool('search', {
      query: 'are dogs allowed on the terrace on sunday',
    })
    expect(uncertain).toMatchObject({
      status: 'uncertain',
      retryable: false,
      results: [{ title: 'Hours' }],
      message: expect.stringMatching(/may not answer/),
    })
    for (const answer of [nothing, uncertain])
      expect(new Ajv2020().validate(searchTool.outputSchema, answer)).toBe(true)
  })

  test.each([
    ['a blank question', { query: ' \n' }, '`query` must not be blank.'],
    ['no question', {}, '`query` is required.'],
    ['a question that is none', { query: 3 }, '`query` must be a string.'],
    ['too long a question', { query: 'q'.repeat(8001) }, '`query` must have at most 8000 characters.'],
    [
      'an unknown field',
      { ...question, limit: 3 },
      '`limit` is not a known field (allowed: query, alternatives, format, history, seen).',
    ],
  ])('says what to do about %s, as a tool error', async (_, input, said) => {
    const { isError, content } = await mcpClient(tenant, era).tool('search', input)
    expect(isError).toBe(true)
    expect(content[0].text).toContain(said)
  })

  test('reports an unreachable database in time, as a tool error', async () => {
    const { tool } = newMcp(provider)(tenant, era)
    await tool('search', question)
    cut = /read_agent\(/
    expect(await tool('search', question)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('cannot be reached right now') }],
    })
  })
})

test('a search returns at most five passages, best first, as the endpoint does', async () => {
  const tenant = await serving(...Array.from({ length: 7 }, (_, i) => `Sunday ${'word '.repeat(i)}${i}`))
  const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'sunday' })
  const { structuredContent } = await mcpClient(tenant).tool('search', { query: 'sunday' })
  expect(structuredContent.results.map(({ text }: { text: string }) => text)).toEqual(
    body.data.map(({ content }: { content: string }) => content),
  )
  expect(structuredContent.results).toHaveLength(5)
})

test('a title is on one line, without invisible characters, in a search and in a fetch', async () => {
  const tenant = await stand.tenant()
  const document = { title: 'Opening\u2028hours\u202e\n', content: '# On\u200bSunday\n\nOn Sunday we are closed.' }
  await tenant.call('POST', tenant.knowledgeBase, document)
  await stand.deliver()
  const { tool } = mcpClient(tenant)
  const [first] = (await tool('search', question)).structuredContent.results
  const named = { title: 'Opening hours', heading: 'OnSunday' }
  expect(first).toMatchObject({ title: 'Opening hours', text: document.content, source: named })
  expect((await tool('fetch', { id: first.id })).structuredContent.title).toBe('Opening hours')
})

test('the largest passages fit into one response', async () => {
  const tenant = await stand.tenant()
  const chunk = { content: `sunday ${'\u0001'.repeat(32_760)}`, embedding: axis(1) }
  await serveChunks(
    tenant,
    Array.from({ length: 6 }, (_, chunk_index) => ({ ...chunk, chunk_index })),
  )
  const { structuredContent } = await mcpClient(tenant).tool('search', { query: 'sunday' })
  expect(structuredContent.results).toHaveLength(5)
})

describe('with a provider', () => {
  test('that is down, a search finds passages by keywords and tells the client, but not the model', async () => {
    const tenant = await serving()
    provider.script([], 'too_many_requests')
    const { structuredContent, content, _meta } = await newMcp(provider)(tenant).tool('search', question)
    expect(structuredContent.results).toHaveLength(1)
    expect(content[0].text).toBe(JSON.stringify(structuredContent))
    expect(_meta).toEqual({ 'dev.cuecard/degraded': 'keyword_only' })
  })

  test('that hangs, a search finds passages by keywords after three seconds', async () => {
    const tenant = await serving()
    const clock = manualClock()
    const called = Promise.withResolvers<number>()
    const { tool } = newMcp(provider, { clock, embedder: hangingEmbedder(called.resolve) })(tenant)
    const asked = tool('search', question)
    await called.promise
    clock.advance(3_000)
    expect(await asked).toMatchObject({ _meta: { 'dev.cuecard/degraded': 'keyword_only' } })
  })

  test.each([
    ['rejects the question', new EmbeddingError('input_rejected', 'no'), /`query`/],
    ['fails unexpectedly', new TypeError('secret is undefined'), /^The tool failed unexpectedly(?!.*secret)/s],
  ])('that %s, a search is a tool error without internals', async (_, error, said) => {
    const embedder = { model: lexicalEmbedder().model, embed: () => Promise.reject(error) }
    expect(await newMcp(provider, { embedder })(await serving()).tool('search', question)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(said) }],
    })
  })

  test('a repeated question takes one round trip, and Server-Timing has the times', async () => {
    const tenant = await serving()
    const { send } = newMcp(provider)(tenant)
    await send('tools/call', { name: 'search', arguments: question })
    const before = requests
    const { headers } = await send('tools/call', { name: 'search', arguments: { query: 'Are you open on Sunday?' } })
    expect(requests - before).toBe(1)
    expect(provider.calls).toHaveLength(1)
    expect(headers['server-timing']).toMatch(/^embed;dur=0\.0, db;dur=\d+\.\d$/)
  })
})

test('a search stops waiting for the database before a client stops waiting', async () => {
  const tenant = await serving()
  const { tool } = newMcp(provider)(tenant)
  await tool('search', question)
  silenced = /read_agent\(/
  const started = performance.now()
  expect(await tool('search', question)).toMatchObject({ isError: true })
  expect(performance.now() - started).toBeLessThan(4_900)
})

test('a message with a known key takes one database request', async () => {
  const tenant = await serving()
  const { send, tool } = mcpClient(tenant)
  const { structuredContent } = await tool('search', question)
  for (const [method, params] of [
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }],
    ['tools/list', {}],
    ['tools/call', { name: 'search', arguments: question }],
    ['tools/call', { name: 'fetch', arguments: { id: structuredContent.results[0].id } }],
  ] as const) {
    const before = requests
    expect((await send(method, params)).body).toHaveProperty('result')
    expect(requests - before, method).toBe(1)
  }
})

test.each(['initialize', 'tools/list'])('after %s the first search finds the agent loaded', async (method) => {
  const searchAfter = async (begin: boolean) => {
    const tenant = await serving()
    const { send, tool } = mcpClient(tenant)
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    await send(begin ? method : 'ping', hello)
    requests = 0
    await tool('search', question)
    return requests
  }
  expect(await searchAfter(true)).toBe((await searchAfter(false)) - 1)
})
