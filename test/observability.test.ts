import { NeonDbError } from '@neondatabase/serverless'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { describe, expect, test } from 'vitest'
import { documentsApp } from '../functions/documents/app.ts'
import { mcpApp } from '../functions/mcp/app.ts'
import { searchApp } from '../functions/search/app.ts'
import { createKey } from '../infra/admin/keys.ts'
import { toEvent } from '../infra/local/gateway/event.ts'
import { invoke } from '../infra/local/lambda.ts'
import { lexicalEmbedder } from '../shared/embedding/lexical-embedder.ts'
import { hashKey } from '../shared/http/api-keys.ts'
import { newId, type OrganizationId } from '../shared/ids.ts'
import { describeError } from '../shared/telemetry/log.ts'
import { embeddedMetrics, type Figures, figures } from '../shared/telemetry/metrics.ts'
import { statements, useFaultyConnection } from './support/database/faulty-connection.ts'
import { figuresOf } from './support/logs/figures-of.ts'
import { gathered } from './support/logs/gathered-log.ts'
import { useFakeProvider } from './support/provider/fake-provider.ts'
import { poison } from './support/provider/provider-responses.ts'
import { callerOf } from './support/stand/app-caller.ts'
import { newPlatforms } from './support/stand/new-platforms.ts'
import { newEmbedder, newSearch } from './support/stand/new-search.ts'
import { type Tenant, useStand } from './support/stand/stand.ts'
import { unusedPresigner } from './support/stand/unused-presigner.ts'
import { databaseAs, keptQueue, newWorker } from './support/stand/worker.ts'
import { manualClock } from './support/time/manual-clock.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

const linesOf = (written: string): Record<string, unknown>[] =>
  written
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function keyIdOf({ apiKey }: Tenant): Promise<string> {
  const key = stand.db.selectFrom('api_keys').select('id').where('key_hash', '=', hashKey(apiKey))
  return (await key.executeTakeFirstOrThrow()).id
}

async function create({ call, knowledgeBase, organizationId }: Tenant, content: string, title = 'T') {
  const { body, headers } = await call('POST', knowledgeBase, { title, content })
  return { document: { id: body.id as string, organizationId }, requestId: headers['x-request-id']! }
}

const away = { send: () => Promise.reject(new Error('away')) }
const broken = { ...lexicalEmbedder(), embed: () => Promise.reject(new TypeError('a fault of ours')) }

describe('the figures', () => {
  test('are written in CloudWatch’s embedded metric format', () => {
    const written = { DocumentsCompleted: 2, ProviderLatency: 0 }
    const line = embeddedMetrics({ ...written, EmbeddingTokens: undefined }, 'embedding', 5)
    const units = { DocumentsCompleted: 'Count', ProviderLatency: 'Milliseconds' }
    const Metrics = Object.entries(units).map(([Name, Unit]) => ({ Name, Unit }))
    const CloudWatchMetrics = [{ Namespace: 'Cuecard', Dimensions: [['service']], Metrics }]
    expect(JSON.parse(line)).toEqual({ _aws: { Timestamp: 5, CloudWatchMetrics }, service: 'embedding', ...written })
  })

  test('count documents completed, chunks embedded and reused, tokens and calls', async () => {
    const tenant = await stand.tenant()
    const text = (second: string) => `One is here, where it has always been.\n\n${second}.`
    const work = newWorker(stand, provider)
    const { document } = await create(tenant, text('Two is there as well as all the others'))
    const first = await figuresOf(() => work([document]))
    expect(first).toMatchObject({ DocumentsCompleted: 1, ChunksEmbedded: 2, ChunksReused: 0, EmbeddingTokens: 2 })
    expect(first).toHaveProperty('ProviderLatency')
    expect(first).toHaveProperty('PendingMilliseconds')
    const content = text('Three is elsewhere, I think, far from here')
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${document.id}`, { content })
    const second = await figuresOf(() => work([document]))
    expect(second).toMatchObject({ DocumentsCompleted: 1, ChunksEmbedded: 1, ChunksReused: 1 })
  })

  test('of a search have its time and those of its vector and the database, in one report with its other figures', async () => {
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

  test('of a search that needs no vector have no miss, and those of one that fails have its time', async () => {
    const tenant = await stand.tenant()
    const { search } = newSearch(provider)
    const found = await figuresOf(() => search(tenant, { query: 'a question', mode: 'keyword' }))
    const took = expect.any(Number)
    expect(found).toEqual({ SearchMilliseconds: took, SearchEmbedMilliseconds: 0, SearchDatabaseMilliseconds: took })
    const stranger = { ...tenant, knowledgeBase: `/v1/agents/${newId()}/knowledge-base` }
    const failed = await figuresOf(() => search(stranger, { query: 'a question', mode: 'keyword' }))
    expect(failed).toHaveProperty('SearchMilliseconds')
  })

  test('count our own errors that a status of 200 hides, and none of the caller’s', async () => {
    const tenant = await stand.tenant()
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

  test('count refusals, retries, errors and failed sends', async () => {
    const tenant = await stand.tenant()
    const { queue } = keptQueue()
    const figuresFor = async (content: string, send = queue) => {
      const { document } = await create(tenant, content)
      return await figuresOf(() => newWorker(stand, provider, { queue: send })([document]))
    }
    expect(await figuresFor(poison)).toMatchObject({ DocumentsFailed: 1, ProviderErrors: 1 })
    provider.script(['too_many_requests'])
    const busy = await figuresFor('busy', { ...queue, ...away })
    expect(busy).toMatchObject({ DocumentsRetried: 1, ProviderErrors: 1, SendFailures: 1 })
    provider.script([], 'forbidden')
    expect(await figuresFor('forbidden')).toMatchObject({ ProviderKeyRejected: 1 })
  })
})

describe('the log', () => {
  test('follows a document from the request to its end by the request’s id', async () => {
    const tenant = await stand.tenant()
    let requestId = ''
    const written = await gathered(async () => {
      requestId = (await create(tenant, 'A text.')).requestId
      await stand.deliver()
    })
    const lines = written.split('\n').filter((line) => line.includes(requestId))
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(['request', 'document_completed'])
  })

  test('names the organization and the key of each request once the key is verified, even when the request fails', async () => {
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
    const organizationId = tenant.organizationId as OrganizationId
    const { id: editor, key } = await createKey(stand.db, { organizationId, name: 'e', permissions: ['kb:write'] })
    const app = documentsApp({ presigner: unusedPresigner, db: databaseAs('cuecard_documents'), queue: away })
    const request = async (method: string, path: string, apiKey: string, body: object) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
      const response = await app.request(path, { method, headers, body: JSON.stringify(body) })
      const { id } = (await response.json()) as { id: string }
      return { id, requestId: response.headers.get('x-request-id') }
    }
    const one = { title: 'T', content: 'One.' }
    const { id, ...created } = await request('POST', tenant.knowledgeBase, tenant.apiKey, one)
    const work = newWorker(stand, provider, { queue: keptQueue().queue })
    provider.script(['too_many_requests'])
    const first = await gathered(() => work([{ id, organizationId }]))
    const ids = { organization_id: organizationId, document_id: id }
    const waits = { message: 'document_retry_scheduled', ...ids, api_key_id: await keyIdOf(tenant) }
    expect(linesOf(first)).toMatchObject([{ ...waits, request_id: created.requestId }])

    const changed = await request('PATCH', `${tenant.knowledgeBase}/${id}`, key, { content: 'Two.' })
    const second = await gathered(async () => {
      await stand.sweep()
      await stand.deliver()
    })
    const completed = { message: 'document_completed', ...ids, request_id: changed.requestId, api_key_id: editor }
    expect(linesOf(second).filter((line) => line.document_id === id)).toMatchObject([completed])
  })

  test('names the request and the key even when the queue or the database fails the worker', async () => {
    const tenant = await stand.tenant()
    const { document, requestId } = await create(tenant, 'One.')
    const queue = { ...keptQueue().queue, ...away }
    provider.script(['too_many_requests'])
    // Twice, because the worker repeats a statement that it may.
    connection.cut('before', statements.leaveToSweeper)
    connection.cut('before', statements.leaveToSweeper)
    const written = await gathered(() => newWorker(stand, provider, { queue })([document]))
    const asked = { request_id: requestId, api_key_id: await keyIdOf(tenant), document_id: document.id }
    expect(linesOf(written)).toMatchObject([
      { message: 'document_retry_scheduled', ...asked },
      { message: 'send_failed', ...asked },
      { message: 'resend_not_scheduled', ...asked },
    ])
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${document.id}`, { content: 'Two.' })
    connection.cut('before', statements.claim)
    connection.cut('before', statements.claim)
    const named = { organization_id: tenant.organizationId, request_id: 'r', api_key_id: 'k' }
    const message = JSON.stringify({ v: 1, ...named, kind: 'document', id: document.id })
    const failed = linesOf(await gathered(() => stand.embedding(message)))
    expect(failed).toMatchObject([{ message: 'delivery_failed', ...named }])
  })

  test('is a line of JSON for each request, whatever is in its headers and URL', async () => {
    const { apiKey, knowledgeBase } = await stand.tenant()
    const injected = 'x\r\n{"level":"ERROR","message":"forged"}\u2028\u0000\u001b[31m\u009b漢\ud800'
    const event = (more: object, http: object = {}) => {
      const request = { method: 'GET', url: knowledgeBase, headers: { 'x-api-key': apiKey } }
      const whole = toEvent(request, ['/v1/agents/{agentId}/knowledge-base'])!
      const requestContext = { ...whole.requestContext, http: { ...whole.requestContext.http, ...http } }
      return { ...whole, requestContext, ...more }
    }
    const headers = [{ 'x-api-key': injected }, { [injected]: 'x' }, { '': 'x' }]
    const events = [
      ...[...headers, { 'content-type': injected, 'x-api-key': apiKey }].map((headers) => event({ headers })),
      ...[injected, '漢=1'].map((cookie) => event({ cookies: [cookie] })),
      event({ rawQueryString: injected }),
      ...[injected, `${knowledgeBase}/${injected}`].map((rawPath) => event({ rawPath })),
      ...[injected, ''].map((method) => event({}, { method })),
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
    const fields = { code: '22P02', detail: 'Failing row contains (secret)', constraint: 'chunks_check' }
    const error = Object.assign(new NeonDbError('invalid input syntax for type vector: "[secret]"'), fields)
    const written = JSON.stringify(describeError(new Error('outer', { cause: error })))
    expect(written).not.toContain('secret')
    for (const named of ['22P02', 'chunks_check']) expect(written).toContain(named)
  })
})

describe('the traceparent of a request', () => {
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

  async function seen(...sent: (string | undefined)[]) {
    const tenant = await stand.tenant()
    const app = searchApp({ db: databaseAs('cuecard_search'), embedder: newEmbedder(provider) })
    const call = callerOf(app, tenant.apiKey)
    const written = await gathered(() =>
      Promise.all(
        sent.map((traceparent, i) =>
          call(
            'POST',
            `${tenant.knowledgeBase}/search`,
            { query: `number ${i}`, mode: 'semantic' },
            traceparent === undefined ? {} : { traceparent },
          ),
        ),
      ),
    )
    const requests = linesOf(written).filter(({ message }) => message === 'request')
    return {
      logged: requests.map(({ traceparent }) => traceparent).sort(),
      provided: provider.calls.map(({ texts, traceparent }) => [texts[0], traceparent]).sort(),
    }
  }

  test('is in its line of the log and goes on to the provider, each request’s own', async () => {
    const other = parent.replace('0af7', 'ffff')
    expect(await seen(parent, other, undefined)).toEqual({
      logged: [parent, other, undefined],
      provided: [
        ['number 0', parent],
        ['number 1', other],
        ['number 2', undefined],
      ],
    })
  })

  test('is dropped if it is none', async () => {
    const none = [`${parent}-more`, parent.toUpperCase(), parent.replace(/[1-9a-f]/g, '0'), `ff${parent.slice(2)}`, 'x']
    expect((await seen(...none)).provided.map(([, traceparent]) => traceparent)).toEqual(none.map(() => undefined))
    expect((await seen(...none)).logged).toEqual(none.map(() => undefined))
  })

  test('is in the lines of its failures', async () => {
    const tenant = await stand.tenant()
    const app = searchApp({ db: databaseAs('cuecard_search'), embedder: broken })
    const written = await gathered(() =>
      callerOf(app, tenant.apiKey)(
        'POST',
        `${tenant.knowledgeBase}/search`,
        { query: 'x', mode: 'semantic' },
        { traceparent: parent },
      ),
    )
    expect(linesOf(written).filter(({ traceparent }) => traceparent === parent).length).toBe(linesOf(written).length)
  })
})
