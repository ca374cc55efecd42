import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useDashboard } from '../dashboard/support.ts'
import { call, tools } from '../platforms/vapi-messages.ts'
import { fillAgent } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { newPlatforms } from '../support/stand/new-platforms.ts'
import type { Tenant } from '../support/stand/stand.ts'
import { limit } from '../support/stand/tenant.ts'

const { stand, signedIn } = useDashboard()

/** A running instance has not reported its last nine. */
const unreported = 9

async function counted({ organizationId }: Tenant): Promise<number> {
  const { rows } = await sql<{ requests: string }>`select requests from request_meters
    where organization_id = ${organizationId}`.execute(stand.db)
  return Number(rows[0]?.requests ?? 0)
}

async function bytesOf(...tables: string[]): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`select sum(pg_total_relation_size(name::regclass)) as bytes
    from unnest(${tables}::text[]) name`.execute(stand.db)
  return Number(rows[0]!.bytes)
}

describe('the count of requests includes', () => {
  test('those whose transaction is rolled back', async () => {
    const tenant = await stand.tenant()
    await limit(stand.db, tenant.organizationId, { documents_in_pipeline: 0 })
    for (let i = 0; i < 30; i++) {
      const { status } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'A text.' })
      expect(status).toBe(429)
    }
    expect(await counted(tenant)).toBeGreaterThanOrEqual(30 - unreported)
  })

  test('each search of a request that makes several', async () => {
    const tenant = await stand.tenant()
    const ask = newPlatforms()
    const message = tools(...Array.from({ length: 10 }, (_, i) => call(`${i}`, { query: `question ${i}` })))
    for (let i = 0; i < 3; i++) expect((await ask(tenant, 'vapi', { message })).status).toBe(200)
    expect(await counted(tenant)).toBeGreaterThanOrEqual(30 - unreported)

    const slow = await stand.tenant()
    await limit(stand.db, slow.organizationId, { requests_per_second: 1, request_burst: 14 })
    await ask(slow, 'vapi', { message })
    const { body } = await ask(slow, 'vapi', { message })
    const refused = body.results.filter(({ error }: { error?: string }) => error !== undefined)
    expect(refused.length).toBeGreaterThanOrEqual(3)
    expect(refused.length).toBeLessThan(10)
  })

  test('questions in the dashboard, which refuses them beyond the rate', async () => {
    const owner = await signedIn()
    const ask = (i: number) => owner.browser.get(`/dashboard/agents/${owner.agentId}/ask?q=question+${i}`)
    for (let i = 0; i < 15; i++) expect((await ask(i)).status).toBe(200)
    expect(await counted(owner)).toBeGreaterThanOrEqual(15 - unreported)

    await limit(stand.db, owner.organizationId, { requests_per_second: 1, request_burst: 3 })
    const statuses: number[] = []
    for (let i = 0; i < 25; i++) statuses.push((await ask(i)).status)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10)
    expect((await owner.browser.get('/dashboard/settings')).status).toBe(200)
  })
})

describe('a refusal writes nothing:', () => {
  test('chunks beyond 10,000 of a document', async () => {
    const tenant = await stand.tenant()
    const { headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })
    const path = `${headers.location}/chunks`
    await tenant.call('POST', path, { chunks: [{ content: 'c', chunk_index: 0 }] })
    await sql`update documents set chunk_count = 9960 where agent_id = ${tenant.agentId}`.execute(stand.db)
    const content = 'A text of a few words.'
    const chunks = Array.from({ length: 50 }, (_, i) => ({ content, chunk_index: i + 1, embedding: axis(i) }))
    const tables = ['chunks', 'vectors', 'packs', 'documents']
    const before = await bytesOf(...tables)
    for (let i = 0; i < 3; i++) {
      const { status, body } = await tenant.call('POST', path, { chunks }, { 'idempotency-key': 'k' })
      expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' })
      expect(body.detail).toContain('10,000')
    }
    expect((await bytesOf(...tables)) - before).toBeLessThan(50_000)
    expect((await tenant.call('GET', path)).body.data).toHaveLength(1)
    expect((await tenant.call('POST', path, { chunks: chunks.slice(10) })).status).toBe(201)
  })

  test('documents beyond 10,000 of an agent', async () => {
    const tenant = await stand.tenant()
    await fillAgent(stand, tenant, 10_000)
    const content = Array.from({ length: 40_000 }, () => Math.random().toString(36)).join(' ')
    const before = await bytesOf('documents')
    const { status, body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' })
    expect(body.detail).toContain('10,000')
    expect((await bytesOf('documents')) - before).toBeLessThan(50_000)
  })
})
