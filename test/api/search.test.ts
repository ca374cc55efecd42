import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { describe, expect, test } from 'vitest'
import { type Dependencies, searchApp } from '../../functions/search/app.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { lambdas } from '../../infra/wiring.ts'
import { openAiEmbedder } from '../../shared/embedding/openai-embedder.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { axis } from '../support/axis.ts'
import { assertDocumented } from '../support/contract.ts'
import { useFakeProvider } from '../support/fake-provider.ts'
import { type Tenant, useStand } from '../support/stand.ts'
import { databaseAs } from '../support/worker.ts'

const provider = useFakeProvider()
const stand = useStand()

/** An embedder that asks the fake provider. @param now its breaker's clock */
function newEmbedder(now: () => number = () => 0) {
  return openAiEmbedder({ baseUrl: provider.baseUrl, model: 'fake', apiKey: () => 'sk-test', timeoutSeconds: 20, now })
}

/** A search Lambda of a test's own. */
function newSearch(embedder = newEmbedder(), more: Partial<Dependencies> = {}) {
  const handler = lambdaHandler(searchApp({ db: databaseAs('cuecard_search'), embedder, ...more }))
  return async ({ apiKey, knowledgeBase }: Tenant, body: object = { query: 'a question' }) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const request = { method: 'POST', url: `${knowledgeBase}/search`, headers, body: JSON.stringify(body) }
    const { timeoutSeconds } = lambdas.search
    const settings = { functionName: 'search', timeoutSeconds }
    const result = await invoke(handler, toEvent(request, ['$default'])!, settings)
    const { statusCode, headers: sent, body: text } = result as APIGatewayProxyStructuredResultV2
    const answer = { status: statusCode!, headers: sent as Record<string, string>, body: JSON.parse(text!) }
    assertDocumented('POST', answer.body.instance ?? request.url, answer)
    return answer
  }
}

const unavailable = (retryAfter: string) => ({
  status: 503,
  headers: { 'retry-after': retryAfter },
  body: { code: 'temporarily_unavailable' },
})

describe('while the embedding provider hangs', () => {
  test('a search by text is answered by us, and by and by without asking; one by vector goes on', async () => {
    let now = 0
    const tenant = await stand.tenant()
    const embedder = newEmbedder(() => now)
    const search = newSearch(embedder, { embeddingSeconds: 0.1 })
    provider.script([], 'hang')
    for (const retryAfter of ['5', '5', '5', '5']) expect(await search(tenant)).toMatchObject(unavailable(retryAfter))
    expect(provider.calls).toHaveLength(3)
    expect(await search(tenant, { embedding: axis(1) })).toMatchObject({ status: 200 })
    now += 5_000
    expect(await search(tenant)).toMatchObject(unavailable('10'))
    expect(provider.calls).toHaveLength(4)
    now += 7_000
    expect(await search(tenant)).toMatchObject(unavailable('3'))
    now += 3_000
    provider.script([])
    expect(await newSearch(embedder)(tenant)).toMatchObject({ status: 200 })
    expect(await newSearch(embedder)(tenant)).toMatchObject({ status: 200 })
  })
})

describe('a query that the provider refuses', () => {
  test.each([400, 401, 403])('with %i is its caller’s trouble alone', async (status) => {
    const [one, another] = [await stand.tenant(), await stand.tenant()]
    const search = newSearch()
    provider.script([], ({ texts }) => (texts.includes('DROP TABLE') ? { status, body: '{"error":"Blocked"}' } : 'ok'))
    for (let i = 0; i < 3; i++) {
      expect(await search(one, { query: 'DROP TABLE' })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ pointer: '/query', code: 'refused', detail: 'Blocked' }] },
      })
      expect(await search(another)).toMatchObject({ status: 200 })
    }
  })
})

describe('while the provider refuses our key', () => {
  test('Retry-After is the time until it is asked again', async () => {
    let now = 0
    const tenant = await stand.tenant()
    const search = newSearch(newEmbedder(() => now))
    provider.script([], 'forbidden')
    expect(await search(tenant)).toMatchObject(unavailable('15'))
    now += 4_000
    expect(await search(tenant)).toMatchObject(unavailable('11'))
    for (const retryAfter of ['30', '60', '120', '240', '480', '600', '600']) {
      now += 600_000
      expect(await search(tenant)).toMatchObject(unavailable(retryAfter))
    }
    expect(provider.calls).toHaveLength(8 * 2)
  })

  test('and while it asks to be left alone, Retry-After is what it says, up to ten minutes', async () => {
    const tenant = await stand.tenant()
    provider.script(['retry_after', 'retry_in_an_hour', 'too_many_requests'])
    const search = newSearch()
    for (const retryAfter of ['40', '600', '5']) expect(await search(tenant)).toMatchObject(unavailable(retryAfter))
  })
})
