import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { allApps } from '../../infra/openapi/apps.ts'
import { Database, useEndpoint } from '../../shared/database/database.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { newKey } from '../../shared/http/api-keys.ts'
import { newId } from '../../shared/ids.ts'
import { assertDocumented } from '../support/contract.ts'
import { listen } from '../support/loopback.ts'
import { exampleBody, fill, type KeyedRoute, keyedRoutes } from '../support/operations.ts'
import type { Answer } from '../support/stand.ts'

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

/** An endpoint whose every answer breaks off in mid-body, in the way that the path says. */
let halfway: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  halfway = await listen((request, response) => {
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
  // Over all routes each way has its turn.
  const way = ['reset', 'stalled', 'short'][nth % 3]
  test(`answers 503 when the database’s answer is ${way} in mid-body`, async () => {
    useEndpoint(`${halfway.origin}/${way}`)
    const url = () => 'postgres://user@database.example/db'
    const db = new Database({ url, timeoutSeconds: way === 'stalled' ? 0.2 : 5 })
    const unavailable = await answer(route, db)
    assertDocumented(route.method, unavailable.body.instance, unavailable)
    expect(unavailable).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
  })

  test('answers 500 to what nobody foresaw, and says nothing of it', async () => {
    const url = () => Promise.reject(new TypeError('hunter2 is not a function'))
    const db = new Database({ url, timeoutSeconds: 5 })
    const broken = await answer(route, db)
    assertDocumented(route.method, broken.body.instance, broken)
    expect(broken).toMatchObject({ status: 500, body: { code: 'internal_error' } })
    expect(JSON.stringify(broken)).not.toContain('hunter2')
  })
})
