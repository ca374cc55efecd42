import { NeonDbError } from '@neondatabase/serverless'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { describe, expect, test } from 'vitest'
import { documentsApp } from '../functions/documents/app.ts'
import { mcpApp } from '../functions/mcp/app.ts'
import { setRetellSecret } from '../infra/admin/agents.ts'
import { createKey } from '../infra/admin/tenants.ts'
import { toEvent } from '../infra/local/gateway/event.ts'
import { invoke } from '../infra/local/lambda.ts'
import { lexicalEmbedder } from '../shared/embedding/lexical-embedder.ts'
import { hashKey } from '../shared/http/api-keys.ts'
import { type AgentId, newId, type OrganizationId } from '../shared/ids.ts'
import { describeError } from '../shared/log.ts'
import { embeddedMetrics, type Figures, figures } from '../shared/metrics.ts'
import { useFakeProvider } from './support/fake-provider.ts'
import { statements, useFaultyConnection } from './support/faulty-connection.ts'
import { figuresOf } from './support/figures-of.ts'
import { gathered } from './support/gathered-log.ts'
import { manualClock } from './support/manual-clock.ts'
import { callerOf } from './support/own-app.ts'
import { newPlatforms } from './support/own-platforms.ts'
import { newSearch } from './support/own-search.ts'
import { poison } from './support/provider-responses.ts'
import { type Tenant, useStand } from './support/stand.ts'
import { databaseAs, keptQueue, newWorker } from './support/worker.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

const linesOf = (written: string): Record<string, unknown>[] =>
  written
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

async function keyIdOf({ apiKey }: Tenant): Promise<string> {
  const { id } = await stand.db
    .selectFrom('api_keys')
    .select('id')
    .where('key_hash', '=', hashKey(apiKey))
    .executeTakeFirstOrThrow()
  return id
}

describe('the figures', () => {
  test('are written in CloudWatch’s embedded metric format', () => {
    const line = embeddedMetrics(
      { DocumentsCompleted: 2, EmbeddingTokens: undefined, ProviderLatency: 0 },
      'embedding',
      5,
    )
    expect(JSON.parse(line)).toEqual({
      _aws: {
        Timestamp: 5,
        CloudWatchMetrics: [
          {
            Namespace: 'Cuecard',
            Dimensions: [['service']],
            Metrics: [
              { Name: 'DocumentsCompleted', Unit: 'Count' },
              { Name: 'ProviderLatency', Unit: 'Milliseconds' },
            ],
          },
        ],
      },
      service: 'embedding',
      DocumentsCompleted: 2,
      ProviderLatency: 0,
    })
  })

  test('tell of documents completed, chunks embedded and reused, tokens and calls', async () => {
    const tenant = await stand.tenant()
    const text = (second: string) => `One is here, where it has always been.\n\n${second}.`
    const work = newWorker(stand, provider)
    const { body } = await tenant.call('POST', tenant.knowledgeBase, {
      title: 'T',
      content: text('Two is there as well as all the others'),
    })
    const document = { id: body.id, organizationId: tenant.organizationId }
    const first = await figuresOf(() => work([document]))
    expect(first).toMatchObject({ DocumentsCompleted: 1, ChunksEmbedded: 2, ChunksReused: 0, EmbeddingTokens: 2 })
    expect(first).toHaveProperty('ProviderLatency')
    expect(first).toHaveProperty('PendingMilliseconds')
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${body.id}`, {
      content: text('Three is elsewhere, I think, far from here'),
    })
    expect(await figuresOf(() => work([document]))).toMatchObject({
      DocumentsCompleted: 1,
      ChunksEmbedded: 1,
      ChunksReused: 1,
    })
  })

  test('tell of a search how long it took, and the vector and the database in it, at once with its other figures', async () => {
    const tenant = await stand.tenant()
    const clock = manualClock()
    const embedder = {
      model: 'slow',
      embed: () => {
        clock.advance(40)
        return Promise.resolve([Float32Array.from({ length: 1536 }, () => 0.1)])
      },
    }
    const reported: Figures[] = []
    const keep = (message: unknown) => reported.push(message as Figures)
    figures.subscribe(keep)
    const { status } = await newSearch(provider, { clock, embedder })
      .search(tenant)
      .finally(() => figures.unsubscribe(keep))
    expect(status).toBe(200)
    expect(reported).toEqual([
      { QueryVectorMisses: 1, SearchMilliseconds: 40, SearchEmbedMilliseconds: 40, SearchDatabaseMilliseconds: 0 },
    ])
  })

  test('tell of a search that needs no vector nothing of one, and of one that fails too', async () => {
    const tenant = await stand.tenant()
    const { search } = newSearch(provider)
    const found = await figuresOf(() => search(tenant, { query: 'a question', mode: 'keyword' }))
    expect(found).toEqual({
      SearchMilliseconds: expect.any(Number),
      SearchEmbedMilliseconds: 0,
      SearchDatabaseMilliseconds: expect.any(Number),
    })
    const stranger = { ...tenant, knowledgeBase: `/v1/agents/${newId()}/knowledge-base` }
    expect(await figuresOf(() => search(stranger, { query: 'a question', mode: 'keyword' }))).toHaveProperty(
      'SearchMilliseconds',
    )
  })

  test('tell of trouble of ours that a 200 hides from the status, and of no trouble of the caller’s', async () => {
    const tenant = await stand.tenant()
    const broken = { ...lexicalEmbedder(), embed: () => Promise.reject(new TypeError('a fault of ours')) }
    const message = { type: 'knowledge-base-request', messages: [{ role: 'user', content: 'Are you open?' }] }
    const ofVapi = await figuresOf(async () => {
      expect(await newPlatforms({ embedder: broken })(tenant, 'vapi', { message })).toMatchObject({ status: 200 })
    })
    expect(ofVapi).toMatchObject({ AdapterErrors: 1 })
    const callers = await figuresOf(() => newPlatforms({ embedder: broken })(tenant, 'vapi', { message: {} }))
    expect(callers).not.toHaveProperty('AdapterErrors')
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: { query: 'q' } } }
    const app = mcpApp({ db: databaseAs('cuecard_mcp'), embedder: broken })
    const ofMcp = await figuresOf(async () => {
      const { body } = await callerOf(app, tenant.apiKey)('POST', `/v1/agents/${tenant.agentId}/mcp`, call)
      expect(body).toMatchObject({ result: { isError: true } })
    })
    expect(ofMcp).toMatchObject({ AdapterErrors: 1 })
  })

  test('tell of refusals, waits, errors and failed sends', async () => {
    const tenant = await stand.tenant()
    const make = async (content: string) => {
      const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content })
      return { id: body.id as string, organizationId: tenant.organizationId }
    }
    const { queue } = keptQueue()
    const broken = { ...queue, send: () => Promise.reject(new Error('away')) }
    const [refused, busy, forbidden] = [await make(poison), await make('busy'), await make('forbidden')]
    expect(await figuresOf(() => newWorker(stand, provider)([refused]))).toMatchObject({
      DocumentsFailed: 1,
      ProviderErrors: 1,
    })
    provider.script(['too_many_requests'])
    expect(await figuresOf(() => newWorker(stand, provider, { queue: broken })([busy]))).toMatchObject({
      DocumentsRetried: 1,
      ProviderErrors: 1,
      SendFailures: 1,
    })
    provider.script([], 'forbidden')
    expect(await figuresOf(() => newWorker(stand, provider, { queue })([forbidden]))).toMatchObject({
      ProviderKeyRejected: 1,
    })
  })
})

describe('the log', () => {
  test('follows a document from the request to its end by the request’s id', async () => {
    const tenant = await stand.tenant()
    let requestId = ''
    const written = await gathered(async () => {
      const created = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'A text.' })
      requestId = created.headers['x-request-id']!
      await stand.deliver()
    })
    const lines = written.split('\n').filter((line) => line.includes(requestId))
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(['request', 'document_completed'])
  })

  test('tells whose each request is, once its key is verified, also when it fails', async () => {
    const reader = await stand.tenant(['kb:read'])
    const path = reader.knowledgeBase
    const ids = { organization_id: reader.organizationId, api_key_id: await keyIdOf(reader) }
    const written = await gathered(async () => {
      await reader.call('GET', path)
      await reader.call('POST', path, { title: 'T' })
      await stand.http('GET', path)
      connection.cut('before', /from documents d/)
      await reader.call('GET', path)
    })
    const [ok, forbidden, nobody, failure, failed] = linesOf(written)
    expect(ok).toMatchObject({ message: 'request', status: 200, ...ids })
    expect(forbidden).toMatchObject({ message: 'request', status: 403, ...ids })
    expect(nobody).toMatchObject({ message: 'request', status: 401 })
    expect(nobody).not.toHaveProperty('organization_id')
    expect(nobody).not.toHaveProperty('api_key_id')
    expect(failure).toMatchObject({ message: 'database_unavailable', ...ids })
    expect(failed).toMatchObject({ message: 'request', status: 503, request_id: failure!.request_id, ...ids })
    expect(written).not.toContain(reader.apiKey)
  })

  test('names the request and the key that asked for the work, even when their message was lost and sent again', async () => {
    const tenant = await stand.tenant()
    const { id: editor, key } = await createKey(stand.db, {
      organizationId: tenant.organizationId as OrganizationId,
      name: 'editor',
      permissions: ['kb:write'],
    })
    const app = documentsApp({
      db: databaseAs('cuecard_documents'),
      queue: { send: () => Promise.reject(new Error('away')) },
    })
    const request = async (method: string, path: string, apiKey: string, body: object) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
      const response = await app.request(path, { method, headers, body: JSON.stringify(body) })
      const { id } = (await response.json()) as { id: string }
      return { id, requestId: response.headers.get('x-request-id') }
    }
    const { id, ...created } = await request('POST', tenant.knowledgeBase, tenant.apiKey, {
      title: 'T',
      content: 'One.',
    })
    const work = newWorker(stand, provider, { queue: keptQueue().queue })
    const document = { id, organizationId: tenant.organizationId }
    provider.script(['too_many_requests'])
    const first = await gathered(() => work([document]))
    const ids = { organization_id: tenant.organizationId, document_id: id }
    expect(linesOf(first)).toMatchObject([
      { message: 'document_retry_scheduled', ...ids, request_id: created.requestId, api_key_id: await keyIdOf(tenant) },
    ])

    const changed = await request('PATCH', `${tenant.knowledgeBase}/${id}`, key, { content: 'Two.' })
    const second = await gathered(async () => {
      await stand.sweep()
      await stand.deliver()
    })
    const asked = { ...ids, request_id: changed.requestId, api_key_id: editor }
    expect(linesOf(second).filter((line) => line.document_id === id)).toMatchObject([
      { message: 'document_completed', ...asked },
    ])
  })

  test('names them also where the queue or the database fails the worker', async () => {
    const tenant = await stand.tenant()
    const { body, headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'One.' })
    const { queue } = keptQueue()
    const broken = { ...queue, send: () => Promise.reject(new Error('away')) }
    provider.script(['too_many_requests'])
    // Twice: the worker repeats what it may.
    connection.cut('before', statements.leaveToSweeper)
    connection.cut('before', statements.leaveToSweeper)
    const written = await gathered(() =>
      newWorker(stand, provider, { queue: broken })([{ id: body.id, organizationId: tenant.organizationId }]),
    )
    const asked = { request_id: headers['x-request-id'], api_key_id: await keyIdOf(tenant), document_id: body.id }
    expect(linesOf(written)).toMatchObject([
      { message: 'document_retry_scheduled', ...asked },
      { message: 'send_failed', ...asked },
      { message: 'resend_not_scheduled', ...asked },
    ])
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${body.id}`, { content: 'Two.' })
    connection.cut('before', statements.claim)
    connection.cut('before', statements.claim)
    const message = JSON.stringify({
      v: 1,
      organization_id: tenant.organizationId,
      document_id: body.id,
      request_id: 'r',
      api_key_id: 'k',
    })
    expect(linesOf(await gathered(() => stand.embedding(message)))).toMatchObject([
      { message: 'delivery_failed', organization_id: tenant.organizationId, request_id: 'r', api_key_id: 'k' },
    ])
  })

  test('holds no content, key or secret, whatever goes wrong', async () => {
    const canary = 'canary-7f3a9e'
    const tenant = await stand.tenant()
    const content = `${canary} one.\n\n${canary} two is a longer one, that makes a chunk of its own.`
    const written = await gathered(async () => {
      const make = async (text: string) => {
        const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: `${canary} title`, content: text })
        return { id: body.id as string, organizationId: tenant.organizationId }
      }
      const work = newWorker(stand, provider, { queue: keptQueue().queue })
      await work([await make(content)])
      provider.script([
        (call) => ({
          status: 400,
          body: JSON.stringify({ error: { message: `${call.texts} ${call.authorization}` } }),
        }),
      ])
      await work([await make(poison)])
      provider.script(['too_many_requests'])
      await work([await make(content)])
      provider.script([], 'unauthorized')
      await newWorker(stand, provider, { queue: keptQueue().queue })([await make(content)])
      provider.script([])
      connection.lose('after', statements.commit)
      await work([await make(content)])
      connection.cut('before', statements.commit, 2)
      await work([await make(content)])
      const embedder = { model: 'm', embed: () => Promise.reject(new TypeError('a fault of ours')) }
      await newWorker(stand, provider, { embedder, queue: keptQueue().queue })([await make(content)])
      await stand.embedding(`{"v":1,"content":"${canary}"`)
      await tenant.call('POST', tenant.knowledgeBase, { title: canary, content, unknown: canary })
      await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: canary })
      await setRetellSecret(stand.db, tenant.agentId as AgentId, `secret-${canary}`)
      const forged = { 'x-retell-signature': `v=1,d=${canary}` }
      await tenant.call('POST', `${tenant.knowledgeBase}/retell`, { query: canary }, forged)
      const message = { type: 'knowledge-base-request', messages: [{ role: 'user', content: canary }] }
      await tenant.call('POST', `${tenant.knowledgeBase}/vapi`, { message })
      const broken = { ...lexicalEmbedder(), embed: () => Promise.reject(new TypeError('a fault of ours')) }
      await newPlatforms({ embedder: broken })(tenant, 'vapi', { message })
      await stand.sweep()
    })
    expect(written).toContain('document_retry_scheduled')
    expect(written).toContain('attempt_failed')
    expect(written).toContain('delivery_failed')
    expect(written).toContain('document_interrupted')
    expect(written).toContain('unexpected_error')
    expect(written).not.toContain(canary)
    expect(written).not.toContain('sk-test')
    expect(written).not.toContain(tenant.apiKey)
  })

  test('is a line of JSON for each request, whatever is in its headers and URL', async () => {
    const { apiKey, knowledgeBase } = await stand.tenant()
    const injected = 'x\r\n{"level":"ERROR","message":"forged"}\u2028\u0000\u001b[31m\u009b漢\ud800'
    const event = (more: object, http: object = {}) => {
      const whole = toEvent({ method: 'GET', url: knowledgeBase, headers: { 'x-api-key': apiKey } }, [
        '/v1/agents/{agentId}/knowledge-base',
      ])!
      const requestContext = { ...whole.requestContext, http: { ...whole.requestContext.http, ...http } }
      return { ...whole, requestContext, ...more }
    }
    const events = [
      event({ headers: { 'x-api-key': injected } }),
      event({ headers: { [injected]: 'x' } }),
      event({ headers: { '': 'x' } }),
      event({ headers: { 'content-type': injected, 'x-api-key': apiKey } }),
      event({ cookies: [injected] }),
      event({ cookies: ['漢=1'] }),
      event({ rawQueryString: injected }),
      event({ rawPath: injected }),
      event({ rawPath: `${knowledgeBase}/${injected}` }),
      event({}, { method: injected }),
      event({}, { method: '' }),
      ...['a b', 'a:b@c', 'a:99999', '[', '', injected].map((domainName) => {
        const whole = event({})
        return { ...whole, requestContext: { ...whole.requestContext, domainName } }
      }),
    ]
    const documents = stand.functions.routes.find(({ functionName }) => functionName === 'documents')!
    for (const each of events) {
      let status = 0
      const written = await gathered(async () => {
        const result = await invoke(documents.handler, each, { functionName: 'documents', timeoutSeconds: 29 })
        status = (result as APIGatewayProxyStructuredResultV2).statusCode!
      })
      expect([200, 400, 401, 404, 405]).toContain(status)
      expect(linesOf(written)).toMatchObject([{ message: 'request', status }])
      expect(written).not.toMatch(/[^\x20-\x7e\n]/)
    }
  })

  test('names a database error without the values that it quotes', () => {
    const error = Object.assign(new NeonDbError('invalid input syntax for type vector: "[secret]"'), {
      code: '22P02',
      detail: 'Failing row contains (secret)',
      constraint: 'chunks_check',
    })
    const written = JSON.stringify(describeError(new Error('outer', { cause: error })))
    expect(written).not.toContain('secret')
    expect(written).toContain('22P02')
    expect(written).toContain('chunks_check')
  })
})
