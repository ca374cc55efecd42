import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { beforeAll, describe, expect, test } from 'vitest'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { api, lambdaHandler } from '../../shared/http/api.ts'
import { type Browser, newBrowser, signIn } from '../dashboard/support.ts'
import { eras, sentIn } from '../mcp/mcp-client.ts'
import { exampleBody, fill, type Ids, keyedRoutes, makeDocument } from '../support/http/operations.ts'
import { gathered } from '../support/logs/gathered-log.ts'
import { type Answer, type Tenant, useStand } from '../support/stand/stand.ts'

// The stand refuses a result of more than 6 MB as Lambda does, which API Gateway answers with a 500.

const stand = useStand()
let tenant: Tenant
let ids: Ids
let browser: Browser
beforeAll(async () => {
  tenant = await stand.tenant()
  ids = await makeDocument(tenant)
  await stand.deliver()
  browser = await signIn(newBrowser(stand), tenant.apiKey)
})

/** A part this long makes an answer that repeats it large. */
const long = (text: string, characters = 100_000) => text.repeat(characters / text.length)

/** Expects a small answer that no alarm counts. */
function expectSmall({ status, body }: Pick<Answer, 'status' | 'body'>) {
  expect(status).toBeLessThan(500)
  expect(JSON.stringify(body ?? '').length).toBeLessThan(20_000)
}

const withBody = keyedRoutes.filter((route) => exampleBody(route) !== undefined)
/** Each takes its turn over all routes. */
const turn = <T>(cases: T[], nth: number) => cases[nth % cases.length]!

test.each(withBody.map((route, nth) => ({ ...route, nth })))(
  '$name repeats little of a long unknown field',
  async ({ nth, ...route }) => {
    const field = long(turn(['/', '~', '\u0001', '"'], nth))
    expectSmall(
      await tenant.call(route.method, fill(route.path, ids), { ...(exampleBody(route) as object), [field]: 1 }),
    )
  },
)

test('the longest unknown field that a body may have is repeated in part only', async () => {
  for (const character of ['/', '~'])
    expectSmall(await tenant.call('POST', tenant.knowledgeBase, { [long(character, 3_200_000)]: 1 }))
})

test.each(keyedRoutes.map((route, nth) => ({ ...route, nth })))(
  '$name repeats little of long query parameters, headers and path segments',
  async ({ nth, ...route }) => {
    const sample = exampleBody(route)
    const path = fill(route.path, ids)
    const event = toEvent(
      {
        method: route.method,
        url: path,
        headers: { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' },
        ...(sample !== undefined && { body: JSON.stringify(sample) }),
      },
      stand.functions.routes.map(({ route }) => route),
    )!
    /** Parts longer than API Gateway lets through. */
    const send = async (change: Partial<APIGatewayProxyEventV2>) =>
      expectSmall(await stand.send({ ...event, ...change }))
    const queries = [`${long('<')}=1`, `limit=${long('"')}`, `cursor=${long('~')}`, `status=${long('\\')}`]
    await send({ rawQueryString: turn(queries, nth) })
    const headers = ['idempotency-key', 'if-match', 'if-none-match', 'x-api-key', 'x-request-id']
    await send({ headers: { ...event.headers, [turn(headers, nth)]: long('"') } })
    const segment = long(turn(['<', 'é'], nth))
    await send({ rawPath: nth % 4 < 2 ? `${path}/${segment}` : route.path.replace(/\{\w+\}/, segment) })
  },
)

describe('MCP', () => {
  const post = (body: object, headers = {}) => tenant.call('POST', `/v1/agents/${tenant.agentId}/mcp`, body, headers)

  describe.each(eras)('of %s', (era) => {
    const call = (method: string, params: Record<string, unknown>, more = {}) => {
      const sent = sentIn(era, method, params)
      return post({ jsonrpc: '2.0', id: 1, method, params: sent.params, ...more }, { ...sent.headers, 'mcp-name': 'x' })
    }

    test.each([
      ['an unknown field', 'tools/call', { name: 'search', arguments: { query: 'q', [long('/', 3_200_000)]: 1 } }],
      ['an unknown tool', 'tools/call', { name: long('<'), arguments: {} }],
      ['an id with white space around it', 'tools/call', { name: 'fetch', arguments: { id: `${long(' ')}ID` } }],
      ['an unknown parameter', 'tools/list', { [long('~')]: 1 }],
      ['a cursor', 'tools/list', { cursor: long('"') }],
      ['an unknown method', long('<'), {}],
      [
        'a version',
        'initialize',
        { protocolVersion: long('<'), capabilities: {}, clientInfo: { name: 'c', version: '1' } },
      ],
    ])('repeats little of %s', async (_, method, params) => {
      const named = JSON.parse(JSON.stringify(params).replace('ID"', `${ids.documentId}"`))
      expectSmall(await call(method, named))
    })

    test('refuses a message whose id is long', async () => {
      expect(await call('tools/list', {}, { id: long('"') })).toMatchObject({ status: 422 })
    })
  })

  test('does not fail at a long version of the protocol', async () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': long('<') }
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    for (const { status } of [
      await post({ ...list, params: { _meta } }),
      await post(list, { 'mcp-protocol-version': long('<') }),
    ])
      expect(status).toBeLessThan(500)
  })
})

describe('Vapi', () => {
  const post = (message: object) => tenant.call('POST', `${tenant.knowledgeBase}/vapi`, { message })
  const call = { id: 'c', function: { name: 'search', arguments: { query: 'Are you open on Sunday?' } } }

  test('answers none of 60,000 tool calls', async () => {
    const { status, body } = await post({ type: 'tool-calls', toolCallList: Array(60_000).fill({ id: 'c' }) })
    expect([status, body]).toEqual([200, { error: expect.stringContaining('at most 10') }])
  })

  test('repeats little of long ids and names', async () => {
    for (const more of [{ id: long('"') }, { function: { name: long('<') } }])
      expectSmall(await post({ type: 'tool-calls', toolCallList: [{ ...call, ...more }] }))
    expectSmall(await post({ type: long('<') }))
  })
})

test('the answer to Retell repeats little of a long question', async () => {
  expectSmall(await tenant.call('POST', `${tenant.knowledgeBase}/retell`, { args: { query: long('<') } }))
})

describe('the dashboard', () => {
  const expectSmallPage = ({ status, html }: { status: number; html: string }) => {
    expect(status).toBeLessThan(500)
    expect(html.length).toBeLessThan(50_000)
  }
  const page = () => `/dashboard/agents/${tenant.agentId}/documents`

  test('redirects nobody to an address longer than its own addresses', async () => {
    const to = `/dashboard/${long('<', 2_500_000)}`
    const mine = newBrowser(stand)
    expectSmallPage(await mine.post('/dashboard/sign-in', `key=x&to=${to}`))
    expect((await mine.post('/dashboard/sign-in', `key=${tenant.apiKey}&to=${to}`)).headers.location).toBe('/dashboard')
    for (const path of ['/dashboard/sign-in?to=', '/dashboard/settings?'])
      expectSmallPage(await newBrowser(stand).get(`${path}${long('<')}`))
    for (const name of ['referer', 'hx-current-url']) {
      const headers = { [name]: `https://app.example.com${to}`, 'sec-fetch-site': 'same-origin' }
      const { status, headers: sent } = await newBrowser(stand).post('/dashboard/settings/auto-delete', {}, headers)
      expect([status, sent.location]).toEqual([303, '/dashboard/sign-in'])
    }
  })

  test.each([
    ['the name of a key', '/dashboard/settings/keys/new', { name: long('<') }],
    ['the title of a new text', 'PAGE/new', { title: long('<') }],
    ['the title of an edited text', 'PAGE/ID/edit', { title: long('<'), edits: '1' }],
    ['the edits of an edited text', 'PAGE/ID/edit', { title: 'T', edits: long('<') }],
    ['a field that no form has', '/dashboard/settings/auto-delete', { [long('<')]: 'x' }],
    ['the end of a session', '/dashboard/sign-in', { key: long('<') }],
  ])('repeats little of %s', async (_, path, fields) => {
    // Sent unescaped, unlike a browser's request: escaped, it would be three times as long.
    const body = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
    expectSmallPage(await browser.post(path.replace('PAGE', page()).replace('ID', ids.documentId), body.join('&')))
  })

  test.each(['ask?q=', 'ask?title=', 'ask?at=', 'documents?q=', 'documents?after=', 'documents/new?question='])(
    'repeats little of a long address: %s',
    async (path) => {
      const url = `/dashboard/agents/${tenant.agentId}/${path}${encodeURIComponent(long('<'))}`
      expectSmallPage(await browser.get(url))
      expect((await browser.part(url)).status).toBeLessThan(500)
    },
  )

  test('reads a form of 1.5 million names without values', async () => {
    expectSmallPage(await newBrowser(stand).post('/dashboard/sign-in', `key=x${'&lt'.repeat(1_500_000)}`))
  })

  test('answers a text that no page can hold with a problem that says so', async () => {
    const { status, html } = await browser.post(`${page()}/new`, `title=&content=${long('<', 2_800_000)}`)
    expect([status, JSON.parse(html).code]).toEqual([413, 'payload_too_large'])
  })
})

test('a result that Lambda could not carry is a problem, and no failure in the log', async () => {
  const app = api().get('/v1/large', (c) => c.text('"'.repeat(Number(c.req.query('characters')))))
  const handler = lambdaHandler(app)
  const get = async (characters: number) => {
    const event = toEvent({ method: 'GET', url: `/v1/large?characters=${characters}` }, ['$default'])!
    return await handler(event, {} as Context)
  }
  expect((await get(3_100_000)).statusCode).toBe(200)
  const written = await gathered(async () => {
    const { statusCode, body } = await get(3_200_000)
    expect([statusCode, JSON.parse(body!)]).toMatchObject([413, { code: 'payload_too_large', instance: '/v1/large' }])
  })
  expect(written).not.toContain('ERROR')
})
