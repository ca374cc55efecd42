import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { allApps } from '../../infra/openapi/apps.ts'
import { Database, useEndpoint } from '../../shared/database/database.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { newKey } from '../../shared/http/api-keys.ts'
import { newId } from '../../shared/ids.ts'
import { assertDocumented } from '../support/http/contract.ts'
import { listen } from '../support/http/loopback.ts'
import { exampleBody, fill, type KeyedRoute, keyedRoutes } from '../support/http/operations.ts'
import type { Answer } from '../support/stand/stand.ts'

async function answer(route: KeyedRoute, db: Database): Promise<Answer> {
  const body = exampleBody(route)
  const url = fill(route.path, { agentId: newId(), documentId: newId() })
  const headers = { 'x-api-key': newKey(), 'content-type': 'application/json' }
  const event = toEvent({ method: route.method, url, headers, body: body === undefined ? '' : JSON.stringify(body) }, [
    '$default',
  ])!
  const handler = lambdaHandler(allApps(db)[route.lambda]!)
  const result = await invoke(handler, event, { functionName: route.lambda, timeoutSeconds: 29 })
  const { statusCode, headers: sent, body: text } = result as APIGatewayProxyStructuredResultV2
  return { status: statusCode!, headers: sent as Record<string, string>, body: JSON.parse(text!) }
}

/** The answers of Neon's proxy above its limits (test/database/neon.ci.test.ts). */
const refusals: Record<string, [status: number, message: string]> = {
  '/request/sql': [413, 'request is too large (max is 10485760 bytes)'],
  '/answer/sql': [507, 'response is too large (max is 10485760 bytes)'],
  '/rate/sql': [500, 'Too many connections to this endpoint. Please try again later.'],
}
let asked = 0

/** An endpoint that always refuses so, or breaks off in mid-body; the path selects the way. */
let halfway: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  halfway = await listen((request, response) => {
    const refusal = refusals[request.url!]
    if (refusal) {
      const [status, message] = refusal
      asked += 1
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))
      return
    }
    const isChunked = request.url === '/short/sql'
    response.writeHead(200, { 'content-type': 'application/json', ...(!isChunked && { 'content-length': '1000' }) })
    response.write('{"results":[{"command":"SEL', () => {
      if (isChunked) response.end()
      if (request.url === '/reset/sql') response.destroy()
    })
  })
})
afterAll(() => halfway.close())

describe.each(keyedRoutes.map((route, nth) => [route.name, route, nth] as const))('%s', (_, route, nth) => {
  // Each way takes its turn over all routes.
  const way = ['reset', 'stalled', 'short'][nth % 3]
  test(`answers 503 when the database’s answer is ${way} in mid-body`, async () => {
    useEndpoint(`${halfway.origin}/${way}`)
    const url = () => 'postgres://user@database.example/db'
    const db = new Database({ url, timeoutSeconds: way === 'stalled' ? 0.2 : 5 })
    const unavailable = await answer(route, db)
    assertDocumented(route.method, unavailable.body.instance, unavailable)
    expect(unavailable).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
  })

  test.each([
    ['request', 413, 'payload_too_large', 1],
    ['answer', 413, 'payload_too_large', 1],
    ['rate', 503, 'temporarily_unavailable', 3],
  ] as const)('answers a limit of Neon’s proxy (%s) with %i', async (limit, status, code, times) => {
    useEndpoint(`${halfway.origin}/${limit}`)
    asked = 0
    const db = new Database({ url: () => 'postgres://user:password@localhost/db', timeoutSeconds: 5 })
    const refused = await answer(route, db)
    // Routes without a body limit their pages earlier, so they document no such refusal.
    if (status === 503 || exampleBody(route)) assertDocumented(route.method, refused.body.instance, refused)
    expect(refused).toMatchObject({ status, body: { code } })
    expect(refused.headers['retry-after'] !== undefined).toBe(status === 503)
    expect(asked).toBe(times)
  })

  test('answers 500 to an unexpected fault, and reveals nothing about it', async () => {
    const url = () => Promise.reject(new TypeError('hunter2 is not a function'))
    const db = new Database({ url, timeoutSeconds: 5 })
    const broken = await answer(route, db)
    assertDocumented(route.method, broken.body.instance, broken)
    expect(broken).toMatchObject({ status: 500, body: { code: 'internal_error' } })
    expect(JSON.stringify(broken)).not.toContain('hunter2')
  })
})
