import { describe, expect, test } from 'vitest'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { limit, limitedTenant } from '../support/stand/tenant.ts'
import { cuecardJson } from '../support/tools/command-line.ts'

const stand = useStand()

const limited = (stored_bytes: number) => limitedTenant(stand, { stored_bytes })

const textOf = (bytes: number) => 'a'.repeat(bytes)
const create = (tenant: Tenant, bytes: number) =>
  tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: textOf(bytes) })
const usageOf = async (tenant: Tenant) => (await tenant.call('GET', '/v1/organization/usage')).body.use.stored_bytes
const chunksOf = (...indexes: number[]) => ({
  chunks: indexes.map((chunk_index) => ({ chunk_index, content: 'c' })),
})

describe('an organization that stores as many bytes as it may', () => {
  test('may add no text, file or batch, and nothing is stored', async () => {
    const tenant = await limited(1000)
    expect((await create(tenant, 700)).status).toBe(201)
    const { status, body } = await create(tenant, 301)
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' })
    expect(body.detail).toContain('at most 1,000 bytes')
    const file = await tenant.call('POST', `${tenant.knowledgeBase}/files`, { name: 'prices.pdf', bytes: 301 })
    expect(file).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    const documents = [100, 201].map((bytes) => ({ title: 'T', content: textOf(bytes) }))
    expect((await tenant.call('POST', `${tenant.knowledgeBase}/batch`, { documents })).status).toBe(422)
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
    expect(await usageOf(tenant)).toBe(700)
    expect((await create(tenant, 300)).status).toBe(201)
  })

  test('may store as much as fits, whatever arrives at the same time', async () => {
    const tenant = await limited(1000)
    const created = await Promise.all(Array.from({ length: 8 }, () => create(tenant, 300)))
    expect(created.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 422, 422, 422, 422, 422])
    expect(await usageOf(tenant)).toBe(900)
  })

  test('may add no chunks of its own either, of which each counts 7,000 bytes', async () => {
    const tenant = await limited(20_999)
    const { headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })
    const upload = (...indexes: number[]) => tenant.call('POST', `${headers.location}/chunks`, chunksOf(...indexes))
    expect((await upload(0, 1)).status).toBe(201)
    expect(await upload(2)).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect((await tenant.call('GET', `${headers.location}/chunks`)).body.data).toHaveLength(2)
    expect(await usageOf(tenant)).toBe(14_000)
  })

  test('may shorten a text, not lengthen it, and the document stays unchanged', async () => {
    const tenant = await limited(500)
    const { headers } = await create(tenant, 400)
    const change = (bytes: number) => tenant.call('PATCH', headers.location!, { content: textOf(bytes) })
    expect((await change(501)).status).toBe(422)
    expect((await tenant.call('GET', headers.location!)).body.content).toHaveLength(400)
    await limit(stand.db, tenant.organizationId, { stored_bytes: 100 })
    expect((await change(300)).status).toBe(200)
  })

  test('may upload no larger file than it announced', async () => {
    const tenant = await limited(1000)
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/files`, { name: 'prices.txt', bytes: 10 })
    const upload = (bytes: number) => {
      const form = new FormData()
      for (const [name, value] of Object.entries<string>(body.upload.fields)) form.set(name, value)
      form.set('file', new Blob([textOf(bytes)]))
      return fetch(body.upload.url, { method: 'POST', body: form })
    }
    expect((await upload(11)).status).toBe(400)
    expect((await upload(10)).status).toBe(204)
  })

  test('still has its documents processed', async () => {
    const tenant = await limited(400)
    const { headers } = await create(tenant, 400)
    await stand.deliver()
    expect((await tenant.call('GET', headers.location!)).body).toMatchObject({ status: 'completed', chunk_count: 1 })
    expect(await usageOf(tenant)).toBe(7400)
  })

  test('has room again once documents are deleted for good, not by moving them to the trash', async () => {
    const tenant = await limited(500)
    const [kept, gone] = [await create(tenant, 200), await create(tenant, 200)]
    await tenant.call('DELETE', `${kept.headers.location}?trash=true`)
    expect((await create(tenant, 200)).status).toBe(422)
    await tenant.call('DELETE', gone.headers.location!)
    expect((await create(tenant, 200)).status).toBe(201)
    expect((await tenant.call('POST', `${kept.headers.location}/restore`)).status).toBe(200)
  })
})

test('an operator raises the limit', async () => {
  const tenant = await limited(100)
  expect((await create(tenant, 200)).status).toBe(422)
  const { limits } = await cuecardJson('organization', 'limits', tenant.organizationId, '--stored-bytes', '200')
  expect(limits.stored_bytes).toBe(200)
  expect((await create(tenant, 200)).status).toBe(201)
})
