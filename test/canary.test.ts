import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Canary, runCanary } from '../functions/canary/canary.ts'
import { settings } from '../functions/canary/settings.ts'
import { createAgent } from '../infra/admin/agents.ts'
import type { OrganizationId } from '../shared/ids.ts'
import { log } from '../shared/telemetry/log.ts'
import { listen } from './support/http/loopback.ts'
import { figuresOf } from './support/logs/figures-of.ts'
import { type Answer, type Tenant, useStand } from './support/stand/stand.ts'

const stand = useStand()
let origin: string
let close: () => Promise<void>
/** The public address's own answer, or changes to the Lambda's answer. */
let breaks: (call: string) => Partial<Answer> | 'hang_up' | undefined

beforeAll(async () => {
  const server = await listen(async (request, response) => {
    const broken = breaks(callOf(request))
    if (broken === 'hang_up') return request.socket.destroy()
    const answer = broken?.status ? broken : { ...(await passOn(request)), ...broken }
    response.writeHead(answer.status!, answer.headers)
    return response.end(answer.body && JSON.stringify(answer.body))
  })
  origin = server.origin
  close = server.close
})
afterAll(() => close?.())
beforeEach(() => {
  breaks = () => undefined
})

/** `METHOD last-part-of-the-path`, with the ids left out. */
function callOf({ method, url }: IncomingMessage): string {
  const last = new URL(url!, 'http://a').pathname.split('/').at(-1)!
  return `${method} ${/^[0-9a-f-]{36}$/.test(last) ? '{id}' : url!.includes('/by-external-id/') ? 'name' : last}`
}

async function passOn(request: IncomingMessage): Promise<Answer> {
  const headers = { 'x-api-key': String(request.headers['x-api-key']) }
  return await stand.http(request.method!, request.url!, (await text(request)) || undefined, headers)
}

/** An organization as the runbook sets it up. */
async function canaryTenant(): Promise<Tenant & { own: string }> {
  const tenant = await stand.tenant(['kb:read', 'kb:write'])
  const { id } = await createAgent(stand.db, tenant.organizationId as OrganizationId, 'Canary')
  return { ...tenant, own: `/v1/agents/${id}/knowledge-base` }
}

/** One run, whose documents are processed while it waits for them. */
async function run(apiKey: string, more: Partial<Canary> = {}) {
  const error = vi.spyOn(log, 'error').mockImplementation(() => {})
  try {
    const usual = { baseUrl: origin, apiKey: () => Promise.resolve(apiKey), pause: () => stand.deliver() }
    const canary = { ...usual, signal: AbortSignal.timeout(60_000), ...more }
    const figures = await figuresOf(() => runCanary(canary))
    return { figures, failures: error.mock.calls.filter(([message]) => message === 'canary_failed') }
  } finally {
    error.mockRestore()
  }
}

async function titlesOf({ call, own }: { call: Tenant['call']; own: string }): Promise<string[]> {
  const { body } = await call('GET', own)
  return body.data.map(({ title }: { title: string }) => title)
}

describe('the canary', () => {
  test('creates, finds and deletes a document, and reports how long each took', async () => {
    const tenant = await canaryTenant()
    const { figures, failures } = await run(tenant.apiKey)
    expect(failures).toEqual([])
    expect(figures).toMatchObject({ CanarySuccess: 1 })
    for (const step of ['Create', 'Complete', 'Search', 'Delete'])
      expect(figures).toHaveProperty(`Canary${step}Milliseconds`, expect.any(Number))
    expect(await titlesOf(tenant)).toEqual([])
  })

  const outage = (status: number, code: string) => ({ status, headers: { 'x-request-id': 'r1' }, body: { code } })
  test.each([
    ['agent', 'the API is away', { 'GET agents': 'hang_up' }],
    ['agent', 'the API answers with errors', { 'GET agents': outage(503, 'temporarily_unavailable') }],
    ['leftovers', 'documents cannot be listed', { 'GET knowledge-base': outage(500, 'internal_error') }],
    ['create', 'no document can be created', { 'POST knowledge-base': outage(429, 'rate_limited') }],
    ['search', 'search fails', { 'POST search': outage(500, 'internal_error') }],
    ['search', 'search finds nothing', { 'POST search': { body: { data: [], degraded: null } } }],
    ['gone', 'a deleted document is still there', { 'DELETE {id}': { status: 204 } }],
    ['external id', 'a name does not arrive as it was sent', { 'PUT name': outage(404, 'not_found') }],
    ['delete', 'the document cannot be deleted', { 'DELETE {id}': outage(503, 'temporarily_unavailable') }],
  ] as const)('fails in the step %s when %s', async (step, _, broken) => {
    const tenant = await canaryTenant()
    breaks = (call) => (broken as Record<string, Answer>)[call]
    const { figures, failures } = await run(tenant.apiKey)
    expect(figures.CanarySuccess).toBe(0)
    const isAnswered = !Object.values(broken).includes('hang_up')
    expect(failures).toEqual([['canary_failed', expect.objectContaining({ step })]])
    expect(failures[0]![1]).toHaveProperty('request_id', isAnswered ? expect.any(String) : undefined)
  })

  test('fails in the step complete when the pipeline stands still until its time is over, and cleans up', async () => {
    const tenant = await canaryTenant()
    const over = new AbortController()
    const { signal } = over
    breaks = (call) => (call === 'POST knowledge-base' ? { headers: { 'x-request-id': 'of-the-create' } } : undefined)
    const { figures, failures } = await run(tenant.apiKey, { signal, pause: async () => over.abort() })
    expect(figures).toMatchObject({ CanarySuccess: 0, CanaryCreateMilliseconds: expect.any(Number) })
    const error = { message: /the document is still pending/ }
    expect(failures[0]![1]).toMatchObject({ step: 'complete', request_id: 'of-the-create', error })
    expect(await titlesOf(tenant)).toEqual([])
  })

  test('fails in the step heap when the heap may grow beyond what the stage asks for', async () => {
    const tenant = await canaryTenant()
    const { failures } = await run(tenant.apiKey, { maxHeapMb: 1 })
    expect(failures[0]![1]).toMatchObject({ step: 'heap' })
    expect(settings({ BASE_URL: origin, MAX_HEAP_MB: '140' }).maxHeapMb).toBe(140)
  })

  test('fails in the step key when its secret is empty', async () => {
    const { figures, failures } = await run('', settings({ BASE_URL: origin }))
    expect(figures.CanarySuccess).toBe(0)
    expect(failures[0]![1]).toMatchObject({ step: 'key' })
  })

  test('deletes what a failed run has left behind, and nothing else', async () => {
    const tenant = await canaryTenant()
    for (const title of ['Canary', 'Canary of another'])
      await tenant.call('POST', tenant.own, { title, content: 'A text.' })
    await sql`update documents set created_at = now() - interval '1 hour'
      where organization_id = ${tenant.organizationId}`.execute(stand.db)
    await run(tenant.apiKey)
    expect(await titlesOf(tenant)).toEqual(['Canary of another'])
  })

  test('touches nothing with the key of an organization that has no agent for it', async () => {
    const tenant = await stand.tenant()
    const { failures } = await run(tenant.apiKey)
    expect(failures[0]![1]).toMatchObject({ step: 'agent' })
    expect(await titlesOf({ ...tenant, own: tenant.knowledgeBase })).toEqual([])
  })
})
