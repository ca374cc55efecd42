import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import { createKey } from '../../infra/admin/keys.ts'
import { permissions } from '../../shared/organizations/permissions.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const named = (key: string) => ({ 'idempotency-key': key })
/** Makes the tenant's idempotency keys older than their retention. */
const ageKeys = ({ organizationId }: Tenant) =>
  sql`update idempotency_keys set created_at = created_at - interval '24 hours 1 second'
    where organization_id = ${organizationId}`.execute(stand.db)
const documentsOf = async ({ call, knowledgeBase }: Tenant) => (await call('GET', knowledgeBase)).body.data

describe('an Idempotency-Key', () => {
  test('repeats the first answer, whatever happened to the document since', async () => {
    const tenant = await stand.tenant()
    const create = () => tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'text' }, named('a'))
    const first = await create()
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    await stand.deliver()
    await tenant.call('PATCH', first.headers.location!, { title: 'Changed' })
    const second = await create()
    expect(second).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } })
    expect(second.headers).toMatchObject({ etag: first.headers.etag, location: first.headers.location })
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body))
  })

  test('neither shows nor creates again a document that was deleted', async () => {
    const tenant = await stand.tenant()
    const create = () => tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'text' }, named('a'))
    const first = await create()
    const chunks = { chunks: [{ content: 'c', chunk_index: 0 }] }
    const upload = () => tenant.call('POST', `${first.headers.location}/chunks`, chunks, named('b'))
    expect(await upload()).toMatchObject({ status: 201 })
    await tenant.call('DELETE', first.headers.location!)
    const again = await create()
    expect(again).toMatchObject({ status: 404, body: { code: 'document_not_found' } })
    expect(again.body.detail).toContain('deleted')
    expect(await upload()).toMatchObject({ status: 404, body: { code: 'document_not_found' } })
    expect(await documentsOf(tenant)).toEqual([])
    await ageKeys(tenant)
    expect(await create()).toMatchObject({ status: 201 })
  })

  test.each([
    { title: ' \ufeff Hours\u00a0', valid_until: '2999-01-01T00:00:00Z', content: '\ufeff\u2028Closed “on” Sunday.\n' },
    { title: '"\\\u0001 😀 e\u0301' },
  ])('returns the document byte for byte: %j', async (body) => {
    const tenant = await stand.tenant()
    const create = () => tenant.call('POST', tenant.knowledgeBase, body, named('a'))
    const [first, second] = [await create(), await create()]
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body))
    expect(first.body).toMatchObject({ title: body.title.trim(), content: body.content ?? null })
  })

  test('repeats the answer about chunks byte for byte', async () => {
    const tenant = await stand.tenant()
    const { headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'text' })
    const metadata = { zebra: 1, a: { b: [-0, 1e-7, 1e-15, 1e20, null] }, '10': '\ufeff', '9': 0.1, é: '' }
    const chunks = [
      { content: '\ufeff second ', chunk_index: 2, metadata, token_count: 0 },
      { content: '\ufeff', chunk_index: 1, embedding: axis(0) },
    ]
    const upload = () => tenant.call('POST', `${headers.location}/chunks`, { chunks }, named('a'))
    const first = await upload()
    await tenant.call('DELETE', `${headers.location}/chunks`)
    const second = await upload()
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body))
    expect(first.body).toMatchObject({
      data: [
        { content: '\ufeff', metadata: {}, token_count: 1 },
        { content: '\ufeff second ', metadata: JSON.parse(JSON.stringify(metadata)), token_count: 0 },
      ],
      chunk_count: 2,
    })
  })

  test('is kept without the text of its request', async () => {
    const tenant = await stand.tenant()
    const content = 'A very secret sentence. '.repeat(40_000)
    const metadata = { secret: 'secret' }
    const first = await tenant.call('POST', tenant.knowledgeBase, { title: 'Secret', content }, named('a'))
    const chunks = Array.from({ length: 200 }, (_, i) => ({ content: `secret ${i}`, chunk_index: i, metadata }))
    await tenant.call('POST', `${first.headers.location}/chunks`, { chunks }, named('b'))
    const { rows } = await sql<{ key: string; row: string }>`select key, k::text as row from idempotency_keys k
      where organization_id = ${tenant.organizationId} order by key`.execute(stand.db)
    expect(rows.map(({ row }) => /secret/i.test(row))).toEqual([false, false])
    expect(rows[0]!.row.length).toBeLessThan(1000)
    expect(rows[1]!.row.length).toBeLessThan(200 * 200)
  })

  test('is refused with another body, path or agent', async () => {
    const tenant = await stand.tenant()
    const sibling = await createAgent(stand.db, tenant.organizationId as never, 'Sibling')
    const first = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' }, named('a'))
    const chunks = { chunks: [{ content: 'c', chunk_index: 0 }] }
    for (const answer of [
      await tenant.call('POST', tenant.knowledgeBase, { title: 'U' }, named('a')),
      await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'text' }, named('a')),
      await tenant.call('POST', `${first.headers.location}/chunks`, chunks, named('a')),
      await tenant.call('POST', `/v1/agents/${sibling.id}/knowledge-base`, { title: 'T' }, named('a')),
    ])
      expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
    expect(await documentsOf(tenant)).toHaveLength(1)
    expect((await tenant.call('GET', first.headers.location!)).body).toEqual(first.body)
  })

  test('belongs to one API key', async () => {
    const tenant = await stand.tenant()
    const organizationId = tenant.organizationId as never
    const { key } = await createKey(stand.db, { organizationId, name: 'second', permissions: [...permissions] })
    await tenant.call('POST', tenant.knowledgeBase, { title: 'T' }, named('a'))
    const other = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' }, { ...named('a'), 'x-api-key': key })
    expect(other.headers).not.toHaveProperty('idempotency-replayed')
    expect(await documentsOf(tenant)).toHaveLength(2)
  })

  test('of a refused request can be used for the corrected one', async () => {
    const tenant = await stand.tenant()
    const { headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })
    const path = `${headers.location}/chunks`
    const chunks = [{ content: 'c', chunk_index: 0 }]
    await tenant.call('POST', path, { chunks })
    expect(await tenant.call('POST', path, { chunks }, named('a'))).toMatchObject({ status: 409 })
    expect(await tenant.call('POST', path, { chunks: [] }, named('a'))).toMatchObject({ status: 422 })
    const corrected = await tenant.call('POST', path, { chunks: [{ content: 'c', chunk_index: 1 }] }, named('a'))
    expect(corrected.status).toBe(201)
    expect(corrected.headers).not.toHaveProperty('idempotency-replayed')
  })

  test('is free again after 24 hours', async () => {
    const tenant = await stand.tenant()
    const create = (title: string) => tenant.call('POST', tenant.knowledgeBase, { title }, named('a'))
    await create('T')
    await ageKeys(tenant)
    const second = await create('U')
    expect(second).toMatchObject({ status: 201, body: { title: 'U' } })
    expect((await create('U')).headers['idempotency-replayed']).toBe('true')
    expect(await documentsOf(tenant)).toHaveLength(2)
  })

  test.each(['x', 'x'.repeat(255), '"~! ,', '%C3%BC'])('may be %j', async (key) => {
    const { call, knowledgeBase } = await stand.tenant()
    expect(await call('POST', knowledgeBase, { title: 'T' }, named(key))).toMatchObject({ status: 201 })
    expect((await call('POST', knowledgeBase, { title: 'T' }, named(key))).headers['idempotency-replayed']).toBe('true')
  })
})
