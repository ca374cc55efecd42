import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { newId } from '../../shared/ids.ts'
import { eras, mcpClient } from '../mcp/mcp-client.ts'
import { serveChunks } from '../support/documents/documents.ts'
import { serveTexts, tenantWithDocuments } from '../support/documents/known-documents.ts'
import { axis } from '../support/provider/axis.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { type Answer, type Tenant, useStand } from '../support/stand/stand.ts'
import { cuecard } from '../support/tools/command-line.ts'
import { callerOf, startReplica } from './replica.ts'

const stand = useStand()
const gateway = useGateway(stand)

const parking = { query: 'Where do guests park?', limit: 3 }
const replicaOf = (tenant: Tenant, ...args: string[]) => startReplica(gateway.origin, tenant, ...args)

test('the replica answers a search as the service does, says whose answer it is, and prepares one', async () => {
  const tenant = await tenantWithDocuments(stand)
  const { address, call, printed, end } = await replicaOf(tenant)
  const body = { ...parking, mode: 'keyword', history: ['Hello'], format: 'speech' }
  const expected = await tenant.call('POST', `${tenant.knowledgeBase}/search`, body)
  const { status, headers, body: answer } = await call('POST', `${tenant.knowledgeBase}/search`, body)
  expect({ status, answer }).toEqual({ status: 200, answer: expected.body })
  expect(headers).toMatchObject({
    'cuecard-from': 'process',
    'cuecard-stale': 'false',
    'cache-control': 'private, no-store',
  })
  const prefetch = `${tenant.knowledgeBase}/search/prefetch`
  expect(await call('POST', prefetch, { query: 'park' })).toMatchObject({ status: 202 })
  const vectors = { query: 'park', vectors: true }
  expect((await call('POST', prefetch, vectors)).body).toEqual((await tenant.call('POST', prefetch, vectors)).body)
  expect(printed().replace(/version \d+/, 'version 4')).toBe(
    `${tenant.agentId}: version 4, 3 chunks\nServing ${address}\n`,
  )
  expect(await end()).toMatchObject({ code: 0, stderr: '' })
})

test('the replica refuses what the service refuses, in the same way', async () => {
  const tenant = await tenantWithDocuments(stand)
  const { address } = await replicaOf(tenant)
  const search = `${tenant.knowledgeBase}/search`
  const mcp = `/v1/agents/${tenant.agentId}/mcp`
  const requests: [method: string, path: string, body?: unknown, headers?: Record<string, string>][] = [
    ['POST', search, parking, { 'x-api-key': '' }],
    ['POST', search, parking, { 'x-api-key': `${tenant.apiKey}x` }],
    ['POST', search, parking, { authorization: 'Bearer other' }],
    ['POST', search, parking, { 'x-api-key': '', authorization: `Bearer ${tenant.apiKey}` }],
    ['POST', `/v1/agents/${newId()}/knowledge-base/search`, parking],
    ['POST', '/v1/agents/agent/knowledge-base/search?limit=3', parking],
    ['POST', `${search}/prefetch?more=1`, parking],
    ['GET', search],
    ['PUT', `${search}/prefetch`, parking],
    ['DELETE', mcp],
    ['GET', '/v1/nothing'],
    ['POST', search, '{'],
    ['POST', search, 'query', { 'content-type': 'text/plain' }],
    ['POST', search, { query: ' ', limit: 51, more: 1 }],
    ['POST', search, { query: 'q'.repeat(6_000_001) }],
    ['POST', `${search}/prefetch`, {}],
    ['POST', `${mcp}?format=song&more`, { jsonrpc: '2.0', id: 1, method: 'ping' }],
    ['POST', mcp, { jsonrpc: '1.0', method: 'ping' }],
  ]
  const shape = ({ status, headers, body: { code, errors } }: Answer) => {
    return { status, code, errors, allow: headers.allow, challenge: headers['www-authenticate'] }
  }
  for (const sent of requests) {
    const [own, theirs] = [callerOf(address, tenant.apiKey), callerOf(gateway.origin, tenant.apiKey)]
    expect(shape(await own(...sent)), `${sent}`.slice(0, 200)).toEqual(shape(await theirs(...sent)))
  }
})

describe.each(eras)('a client of the protocol of %s', (era) => {
  test('finds and reads the same at the replica as at the service', async () => {
    const tenant = await stand.tenant()
    const lines = Array.from({ length: 500 }, (_, i) => `Room ${i} has a brass key, which hangs behind door ${i + 7}.`)
    const [long] = await serveTexts(stand, tenant, [{ content: lines.join('\n\n'), metadata: { floor: 1 } }])
    const { id: own } = await serveChunks(tenant, [
      // Seconds of a recording, say.
      { content: 'The lift is broken.', embedding: axis(0), metadata: { start: 0, end: 8 } },
      { content: 'The stairs are on the left.', chunk_index: 7, embedding: axis(1), metadata: { start: 8, end: 12 } },
    ])
    const { call } = await replicaOf(tenant)
    const [mine, theirs] = [mcpClient({ ...tenant, call }, era), mcpClient(tenant, era)]
    expect(await mine.list()).toEqual(await theirs.list())
    const question = { query: 'where is the key of room 250 today', history: ['Is it open?'] }
    const [{ id }] = (await mine.tool('search', question)).structuredContent.results
    for (const [name, input] of [
      ['search', question],
      ['search', { ...question, seen: [id, long] }],
      ['search', { query: 'zzyzx' }],
      ['search', {}],
      ...[id, long, `${long}#9999`, own, `${own}#7`, `${own}#1`, newId(), 'x'].map((id) => ['fetch', { id }] as const),
    ] as const) {
      const [found, expected] = [await mine.tool(name, input), await theirs.tool(name, input)]
      expect(found.structuredContent, JSON.stringify(input)).toEqual(expected.structuredContent)
      expect(found.isError).toBe(expected.isError)
    }
    const filtered = mcpClient(
      {
        ...tenant,
        call: (method, path, ...more) => call(method, `${path}?document_metadata=%7B%22floor%22:2%7D`, ...more),
      },
      era,
    )
    for (const each of [await filtered.tool('fetch', { id }), await filtered.tool('fetch', { id: newId() })])
      expect(each).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('no document or passage') }],
      })
  })
})

test('a file in the place of the socket is left alone', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'cuecard-replica-')), 'notes')
  await writeFile(path, 'precious')
  const { address } = await replicaOf(await stand.tenant(), '--socket', path)
  expect(address).toContain('cannot serve')
  expect(await readFile(path, 'utf8')).toBe('precious')
})

test('the replica listens on a Unix socket that only its user may open, and replaces one that nobody serves', async () => {
  const tenant = await tenantWithDocuments(stand)
  const path = join(await mkdtemp(join(tmpdir(), 'cuecard-replica-')), 'socket')
  // A process that is killed leaves its socket.
  const killed = `require('node:net').createServer().listen('${path}', () => process.kill(process.pid, 'SIGKILL'))`
  await promisify(execFile)(process.execPath, ['-e', killed]).catch(() => {})
  const { address } = await replicaOf(tenant, '--socket', path)
  expect(address).toBe(`unix:${path}`)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const headers = { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' }
  const sent = request({ socketPath: path, path: `${tenant.knowledgeBase}/search`, method: 'POST', headers })
  sent.end(JSON.stringify(parking))
  const [response] = await once(sent, 'response')
  expect(JSON.parse(await text(response)).data[0].document_title).toBe('Parking')
  const second = await replicaOf(tenant, '--socket', path)
  expect(second.address).toMatch(/^error: cannot serve: .*address already in use/)
})

test('without the service, only a replica that may answer stale answers from its folder, and neither is healthy', async () => {
  const tenant = await tenantWithDocuments(stand)
  const folder = await mkdtemp(join(tmpdir(), 'cuecard-replica-'))
  const gone = await startGateway({ port: 0, routes: stand.functions.routes })
  const first = await startReplica(gone.origin, tenant, '--folder', folder)
  expect(await first.call('GET', '/healthz')).toMatchObject({
    status: 200,
    body: { data: [{ agent_id: tenant.agentId, chunks: 3, refused: false, failure: null }] },
  })
  await first.end()
  await gone.close()
  const search = `${tenant.knowledgeBase}/search`
  const strict = await startReplica(gone.origin, tenant, '--folder', folder)
  expect(await strict.call('POST', search, parking)).toMatchObject({
    status: 503,
    body: { code: 'temporarily_unavailable' },
  })
  expect(await mcpClient({ ...tenant, call: strict.call }).tool('search', parking)).toMatchObject({ isError: true })
  const lenient = await startReplica(gone.origin, tenant, '--folder', folder, '--answer-stale')
  const keyword = { ...parking, mode: 'keyword' }
  expect(await lenient.call('POST', search, keyword)).toMatchObject({
    status: 200,
    headers: { 'cuecard-stale': 'true' },
  })
  for (const { call } of [strict, lenient])
    expect(await call('GET', '/healthz')).toMatchObject({
      status: 503,
      body: { data: [{ age_seconds: null, chunks: 3 }] },
    })
})

test('once the service refuses the key, the replica answers nothing and says so', async () => {
  const tenant = await tenantWithDocuments(stand)
  const { promise: revoked, resolve: revoke } = Promise.withResolvers<void>()
  const body = JSON.stringify({ code: 'invalid_api_key', detail: 'The API key is revoked.' })
  const refusing = await startGateway({
    port: 0,
    routes: stand.functions.routes.map((route) => ({
      ...route,
      handler: async (event, context) => {
        if (!event.rawQueryString.includes('wait=')) return await route.handler(event, context)
        await revoked
        return { statusCode: 401, headers: { 'content-type': 'application/problem+json' }, body }
      },
    })),
  })
  const { call } = await startReplica(refusing.origin, tenant)
  expect((await call('GET', '/healthz')).status).toBe(200)
  revoke()
  const refused = { status: 503, body: { data: [{ refused: true, failure: 'The API key is revoked.' }] } }
  await vi.waitFor(async () => expect(await call('GET', '/healthz')).toMatchObject(refused), 5000)
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search', arguments: { query: 'park' } },
  }
  for (const [path, sent] of [
    [`${tenant.knowledgeBase}/search`, parking],
    [`/v1/agents/${tenant.agentId}/mcp`, message],
  ] as const)
    expect(await call('POST', path, sent)).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
})

test.each([
  ['a port in use', [], {}, 'error: cannot serve: listen EADDRINUSE: address already in use 127.0.0.1:'],
  ['no key', [], { API_KEY: '' }, 'error: set API_KEY'],
  ['an agent that is not there', ['--agent', newId()], {}, 'no agent with this id'],
  ['a service that is not there', [], { BASE_URL: 'http://127.0.0.1:2' }, 'connect ECONNREFUSED 127.0.0.1:2'],
  ['a bad option', ['--max-age', 'long'], {}, 'must be a whole number'],
  ['a port and a socket', ['--socket', '/tmp/s'], {}, 'cannot be used with'],
])('%s is one line, and exit code 1', async (_, args, more, said) => {
  const { agentId, apiKey } = await stand.tenant()
  const port = new URL(gateway.origin).port
  const env = { BASE_URL: gateway.origin, API_KEY: apiKey, ...more }
  const { code, stderr } = await cuecard(['replica', '--agent', agentId, '--port', port, ...args], { env })
  expect({ code, lines: stderr.trim().split('\n') }).toEqual({ code: 1, lines: [expect.stringContaining(said)] })
})
