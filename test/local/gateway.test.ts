import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { cors } from '../../infra/cors.ts'
import { parseOrigins } from '../../infra/local/gateway/cors.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { type GatewayOptions, type GatewayRoute, startGateway } from '../../infra/local/gateway/gateway.ts'
import { selectRoute } from '../../infra/local/gateway/route.ts'
import { allRoutes } from '../../infra/openapi/apps.ts'

test('an event has the shape of payload format 2.0', () => {
  const request = {
    method: 'POST',
    url: '/v1/things/a%20b?x=1&x=2&y=%C3%BC+z&empty',
    headers: {
      Host: 'api.example.com:8787',
      'X-Twice': ['one', 'two'],
      Cookie: 'a=1; b=2',
      Connection: 'keep-alive',
      'Content-Type': 'application/json; charset=utf-8',
      'user-agent': 'curl/8',
    },
    body: '{"ü":1}',
    sourceIp: '10.0.0.1',
  }
  const [path, routeKey] = ['/v1/things/a b', 'ANY /v1/things/{thingId}']
  expect(toEvent(request, ['/v1/things/{thingId}'])).toEqual({
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: 'x=1&x=2&y=%C3%BC+z&empty',
    cookies: ['a=1', 'b=2'],
    headers: {
      host: 'api.example.com:8787',
      'x-twice': 'one,two',
      'user-agent': 'curl/8',
      'content-type': 'application/json; charset=utf-8',
    },
    queryStringParameters: { x: '1,2', y: 'ü z', empty: '' },
    pathParameters: { thingId: 'a b' },
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      routeKey,
      http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '10.0.0.1', userAgent: 'curl/8' },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      stage: '$default',
      time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      timeEpoch: expect.any(Number),
    },
    body: '{"ü":1}',
    isBase64Encoded: false,
  })
})

test.each([
  ['text/csv', 'text', false],
  ['APPLICATION/XML', '<a/>', false],
  ['application/x-www-form-urlencoded', 'a=1', true],
  ['', 'abc', true],
  ['application/json', Buffer.from([0x7b, 0xff]), true],
])('a body of type "%s" (%s) is base64: %s', (type, body, isBase64Encoded) => {
  const encoded = Buffer.from(body).toString(isBase64Encoded ? 'base64' : 'utf8')
  const event = toEvent({ method: 'POST', url: '/', headers: { 'content-type': type }, body }, ['$default'])
  expect(event).toMatchObject({ body: encoded, isBase64Encoded })
})

test('the path is cut at a decoded question mark, and query names that objects treat specially are kept', () => {
  const event = toEvent({ method: 'GET', url: '/a%3Fb=1?__proto__=1&constructor=2' }, ['$default'])!
  expect(event.rawPath).toBe('/a')
  expect(Object.keys(event.queryStringParameters!)).toEqual(['__proto__', 'constructor'])
})

test.each([
  ['/a%2Fb', '/a/b'],
  ['/a%252Fb', '/a/b'],
  ['/a%253Fb', '/a?b'],
  ['/a%2525b', '/a%b'],
])('the path of %s, decoded twice, is %s', (url, rawPath) => {
  expect(toEvent({ method: 'GET', url }, ['$default'])!.rawPath).toBe(rawPath)
})

test.each([
  ['/a/b', '/a/b', undefined],
  ['/a/x', '/a/{id}', { id: 'x' }],
  ['/x/b', '/{any}/b', { any: 'x' }],
  ['/a/x/c', '/a/{id}/c', { id: 'x' }],
  ['/a/x/y', '/a/{id}/{last}', { id: 'x', last: 'y' }],
  ['/a/x/y/z', '/a/{rest+}', { rest: 'x/y/z' }],
  ['/a/', '$default', undefined],
])('the route for %s is %s', (path, route, parameters) => {
  const routes = ['$default', '/a/{rest+}', '/a/{id}', '/a/{id}/c', '/a/b', '/{any}/b', '/a/{id}/{last}']
  expect(selectRoute(routes, path)).toEqual({ route, ...(parameters && { parameters }) })
})

test.each(
  'app.example.com https://app.example.com/ https://app.example.com/x https://*.example.com/ null ftp://a HTTPS://A'.split(
    ' ',
  ),
)('CORS_ORIGINS takes origins as a browser sends them, and rejects %s', (origin) => {
  const good = ['http://localhost:3000', 'https://app.example.com', '*']
  expect(parseOrigins(` ${good.join(' ,')},`)).toEqual(good)
  expect(() => parseOrigins(`${good[0]},${origin}`)).toThrow(/^CORS_ORIGINS: an allowed origin is/)
})

describe('the gateway', () => {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })

  const complaints: unknown[] = []
  async function serve(handler: GatewayRoute['handler'], options: Partial<GatewayOptions & GatewayRoute> = {}) {
    complaints.length = 0
    const routes = [{ route: '$default', handler, ...options }]
    const gateway = await startGateway({ port: 0, routes, onError: (error) => complaints.push(error), ...options })
    closers.push(gateway.close)
    return gateway
  }
  async function call(origin: string, options: RequestOptions & { body?: string | Buffer } = {}) {
    const [response] = (await once(httpRequest(origin, options).end(options.body), 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  }

  test('answers a path that it cannot decode a second time with 400', async () => {
    const { origin } = await serve(async () => ({ statusCode: 200 }))
    expect((await call(origin, { path: '/a%25done' })).status).toBe(400)
  })

  test('passes a request to the handler and its result back', async () => {
    let seen: APIGatewayProxyEventV2 | undefined
    const { origin } = await serve((event) => {
      seen = event
      return { statusCode: 201, headers: { 'X-One': 1, 'Content-Type': 'text/x' }, cookies: ['a=1', 'b=2'], body: 'ü' }
    })
    const headers = { 'x-twice': ['1', '2'], 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' }
    const answer = await call(origin, { method: 'PATCH', path: '/p%C3%BC?q=1', headers, body: '{}' })
    const sent = { 'x-one': '1', 'content-type': 'text/x', 'set-cookie': ['a=1', 'b=2'], 'content-length': '2' }
    expect(answer).toMatchObject({ status: 201, headers: sent, body: 'ü' })
    expect(seen).toMatchObject({
      rawPath: '/pü',
      rawQueryString: 'q=1',
      body: '{}',
      headers: { 'x-twice': '1,2', 'x-forwarded-proto': 'http', 'x-forwarded-for': '192.0.2.1, 127.0.0.1' },
      requestContext: { http: { method: 'PATCH', sourceIp: '127.0.0.1' } },
    })
    expect(answer.headers['apigw-requestid']).toBe(seen?.requestContext.requestId)
  })

  test('passes on the protocol that a tunnel in front of it names, else http', async () => {
    const { origin } = await serve(({ headers }) => headers['x-forwarded-proto'])
    for (const [said, passed] of Object.entries({ https: 'https', 'https,http': 'https', gopher: 'http' }))
      expect((await call(origin, { headers: { 'x-forwarded-proto': said } })).body).toBe(`"${passed}"`)
  })

  test.each([
    ['the JSON of an object without a status', { hello: 1 }, '{"hello":1}', 'application/json'],
    ['null for nothing', undefined, 'null', 'application/json'],
    ['decoded base64', { statusCode: 200, body: 'YnV0', isBase64Encoded: true }, 'but', 'text/plain;charset=UTF-8'],
  ])('answers 200 with %s', async (_, result, body, type) => {
    const { origin } = await serve(() => result)
    expect(await call(origin)).toMatchObject({ status: 200, headers: { 'content-type': type }, body })
  })

  test.each([
    ['throws', () => Promise.reject(new Error('secret'))],
    ['answers with an impossible status', () => ({ statusCode: 'x' })],
    ['answers with a header that is none', () => ({ statusCode: 200, headers: { a: 'b\r\nc: d' } })],
    ['answers with more than 6 MB', () => ({ statusCode: 200, body: 'x'.repeat(6_291_456) })],
  ])('answers 500 when the handler %s', async (_, handler) => {
    const { origin } = await serve(handler)
    expect(await call(origin)).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' })
    expect(complaints).toHaveLength(1)
  })

  test('responds with 503 when the function outlives its time-out, and with 404 when no route matches', async () => {
    const { origin } = await serve(() => new Promise(() => {}), { route: '/only', timeoutSeconds: 0.02 })
    const late = await call(origin, { path: '/only' })
    expect(late).toMatchObject({ status: 503, body: '{"message":"Service Unavailable"}' })
    expect(await call(origin)).toMatchObject({ status: 404, body: '{"message":"Not Found"}' })
  })

  test('responds with 413 above the limits of API Gateway or Lambda, without invoking the handler', async () => {
    const handler = vi.fn(() => 'ok')
    const { origin } = await serve(handler)
    const post = (bytes: number) =>
      call(origin, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(bytes) })
    for (const bytes of [6 * 1024 * 1024, 10 * 1024 * 1024 + 1]) {
      const { status, headers, body } = await post(bytes)
      expect({ status, type: headers['content-type'] }).toEqual({ status: 413, type: 'application/problem+json' })
      expect(JSON.parse(body)).toMatchObject({
        code: 'payload_too_large',
        detail: 'The request body is too large. The limit is 6000000 bytes.',
        instance: '/',
      })
    }
    expect(handler).not.toHaveBeenCalled()
    expect(complaints).toEqual([])
    expect(await post(6_000_000)).toMatchObject({ status: 200 })
  })

  describe('to a browser', () => {
    const app = 'https://app.example.com'
    const preflight = (origin: string): RequestOptions => ({
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
    })
    const corsOf = (headers: object) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

    test('leaves OPTIONS and origins to the function unless some origins are allowed', async () => {
      const result = { statusCode: 405, headers: { 'access-control-allow-origin': 'own' } }
      const { origin } = await serve(() => result)
      expect(await call(origin, preflight(app))).toMatchObject({ status: 405, headers: result.headers })
    })

    test('answers the preflight of an allowed origin itself, with what the page may send', async () => {
      const handler = vi.fn(() => 'ok')
      const { origin } = await serve(handler, { corsOrigins: ['http://localhost:3000', app] })
      const { status, headers, body } = await call(origin, preflight(app))
      expect({ status, body }).toEqual({ status: 204, body: '' })
      const { origin: open } = await serve(handler, { corsOrigins: ['*'] })
      expect((await call(open, preflight(app))).headers).toMatchObject({ 'access-control-allow-origin': '*' })
      expect(corsOf(headers)).toEqual({
        'access-control-allow-origin': app,
        'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
        'access-control-allow-headers': expect.stringContaining('x-api-key'),
        'access-control-max-age': '7200',
      })
      expect(handler).not.toHaveBeenCalled()
      expect((await call(origin, { method: 'OPTIONS', headers: { origin: app } })).status).toBe(200)
      expect(handler).toHaveBeenCalledOnce()
    })

    test('lets the page read every response, its headers and errors included', async () => {
      const wildcard = { 'access-control-allow-origin': '*', 'access-control-allow-credentials': 'true' }
      const handler = ({ rawPath }: { rawPath: string }) => ({
        statusCode: Number(rawPath.slice(1)),
        headers: wildcard,
      })
      const { origin } = await serve(handler, { corsOrigins: [app] })
      for (const path of ['/200', '/404', '/9']) {
        const { headers } = await call(origin, { path, headers: { origin: app } })
        expect(corsOf(headers)).toEqual({
          'access-control-allow-origin': app,
          'access-control-expose-headers': expect.stringMatching(/etag.*location.*link.*retry-after/),
        })
      }
    })

    test('sends no CORS headers to an origin that is not allowed, and serves a caller without one as usual', async () => {
      const { origin } = await serve(() => ({ statusCode: 200, body: 'ok' }), { corsOrigins: [app] })
      const refused = await call(origin, preflight('https://evil.example.com'))
      expect({ status: refused.status, cors: corsOf(refused.headers) }).toEqual({ status: 204, cors: {} })
      for (const stranger of ['https://evil.example.com', `${app}.evil.com`, 'null', undefined]) {
        const answer = await call(origin, { headers: stranger === undefined ? {} : { origin: stranger } })
        expect({ body: answer.body, cors: corsOf(answer.headers) }).toEqual({ body: 'ok', cors: {} })
      }
    })

    test('allows every header that an operation reads, and exposes every one that it documents', () => {
      const operations = allRoutes().map(({ operation }) => operation)
      const read = operations.flatMap(({ headers = {} }) =>
        Object.keys((headers as { entries?: object }).entries ?? {}),
      )
      const sent = operations.flatMap(({ responses }) =>
        Object.values(responses).flatMap(({ headers = [] }) => headers),
      )
      const allowed = cors.allowHeaders.map((name) => name.toLowerCase())
      expect(allowed).toEqual(expect.arrayContaining([...read, 'x-api-key', 'authorization', 'content-type']))
      expect(cors.exposeHeaders).toEqual(expect.arrayContaining(sent))
      expect(new Set(cors.allowMethods)).toEqual(new Set(['HEAD', ...allRoutes().map(({ method }) => method)]))
    })
  })

  test('survives callers that disconnect while they send', async () => {
    const { origin } = await serve(() => 'ok')
    const sockets = Array.from({ length: 5 }, () => connect(Number(new URL(origin).port), '127.0.0.1'))
    for (const socket of sockets) socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf')
    expect(await call(origin)).toMatchObject({ status: 200 })
    for (const socket of sockets) socket.destroy()
    expect(await call(origin)).toMatchObject({ status: 200 })
    expect(complaints).toEqual([])
  })

  test('closes after the requests in flight, and drops idle connections', async () => {
    const called = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const { origin, close } = await serve(async ({ rawPath }) => {
      if (rawPath === '/idle') return 'idle'
      called.resolve()
      await finish.promise
      return 'finished'
    })
    await fetch(`${origin}/idle`).then((response) => response.text())
    const inFlight = fetch(`${origin}/slow`)
    await called.promise
    const closed = vi.fn()
    const closing = close().then(closed)
    await expect(fetch(`${origin}/late`)).rejects.toThrow()
    expect(closed).not.toHaveBeenCalled()
    finish.resolve()
    const response = await inFlight
    expect(response.headers.get('connection')).toBe('close')
    expect(await response.json()).toBe('finished')
    await closing
  })
})
