import { describe, expect, test } from 'vitest'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

const create = async (tenant: Tenant, body: object) =>
  await tenant.call('POST', tenant.knowledgeBase, { title: 'Menu', content: 'Soup of the day.', ...body })
const list = async (tenant: Tenant, query: Record<string, string> = {}) => {
  const { body } = await tenant.call('GET', `${tenant.knowledgeBase}?${new URLSearchParams(query)}`)
  return body.data?.map(({ external_id }: { external_id: string | null }) => external_id) ?? body
}

describe('an external id', () => {
  test('is shown, unique within its agent, and free again once its document is gone', async () => {
    const [tenant, other] = [await stand.tenant(), await stand.tenant()]
    const external_id = 'https://shop.example/menu?lang=de'
    const first = await create(tenant, { external_id })
    expect(first.body).toMatchObject({ external_id, metadata: {} })
    const conflict = { code: 'external_id_conflict', external_ids: [external_id] }
    expect(await create(tenant, { external_id })).toMatchObject({ status: 409, body: conflict })
    expect((await create(other, { external_id })).status).toBe(201)
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${first.body.id}`)
    expect((await create(tenant, { external_id })).status).toBe(201)
  })

  test('that is taken is reported and refuses its whole batch, and one that occurs twice in a batch is invalid', async () => {
    const tenant = await stand.tenant()
    await create(tenant, { external_id: 'b' })
    const batch = (...ids: string[]) => {
      const documents = ids.map((external_id) => ({ title: 'T', external_id }))
      return tenant.call('POST', `${tenant.knowledgeBase}/batch`, { documents })
    }
    expect(await batch('a', 'b', 'c')).toMatchObject({ status: 409, body: { external_ids: ['b'] } })
    const twice = await batch('a', 'c', 'a')
    expect(twice.status).toBe(422)
    expect(twice.body.errors).toMatchObject([{ pointer: '/documents/2' }])
    expect(await list(tenant)).toEqual(['b'])
  })

  test('is set, changed and removed by PATCH, which counts as an edit', async () => {
    const tenant = await stand.tenant()
    await create(tenant, { external_id: 'taken' })
    const { body, headers } = await create(tenant, {})
    const patch = (change: object, more = {}) =>
      tenant.call('PATCH', `${tenant.knowledgeBase}/${body.id}`, change, more)
    expect((await patch({ external_id: 'taken' })).body.code).toBe('external_id_conflict')
    expect((await patch({ external_id: 'new', metadata: { branch: 'north' } })).body).toMatchObject({
      external_id: 'new',
      metadata: { branch: 'north' },
      status: 'pending',
    })
    expect((await patch({ metadata: {} }, { 'if-match': headers.etag })).status).toBe(412)
    expect((await patch({ external_id: null })).body).toMatchObject({
      external_id: null,
      metadata: { branch: 'north' },
    })
  })

  test.each(['', 'a\nb', 'x'.repeat(256)])('is refused as %o', async (external_id) => {
    const tenant = await stand.tenant()
    const { status, body } = await create(tenant, { external_id })
    expect(status).toBe(422)
    expect(body.errors).toMatchObject([{ pointer: '/external_id' }])
  })

  test('can be set for a file too', async () => {
    const tenant = await stand.tenant()
    const file = { name: 'menu.pdf', bytes: 5, external_id: 'menu', metadata: { branch: 'north' } }
    const announce = () => tenant.call('POST', `${tenant.knowledgeBase}/files`, file)
    expect((await announce()).body.document).toMatchObject({ external_id: 'menu', metadata: { branch: 'north' } })
    expect((await announce()).body.code).toBe('external_id_conflict')
  })
})

test('documents are listed by the beginning of their external id and by their metadata, page by page', async () => {
  const tenant = await stand.tenant()
  for (const [external_id, branch] of [
    ['shop/1', 'north'],
    ['shop/2', 'south'],
    ['shop/3', 'north'],
    ['blog/1', 'north'],
  ])
    await create(tenant, { external_id, metadata: { branch, size: 5 } })
  expect(await list(tenant, { external_id_prefix: 'shop/' })).toEqual(['shop/3', 'shop/2', 'shop/1'])
  expect(await list(tenant, { external_id_prefix: '%' })).toEqual([])
  const north = { external_id_prefix: 'shop/', metadata: 'branch=north' }
  expect(await list(tenant, north)).toEqual(['shop/3', 'shop/1'])
  expect(await list(tenant, { metadata: 'size=5', limit: '2' })).toHaveLength(2)
  expect(await list(tenant, { metadata: 'size=6' })).toEqual([])
  const page = await tenant.call('GET', `${tenant.knowledgeBase}?${new URLSearchParams({ ...north, limit: '1' })}`)
  const next = page.body.next_cursor
  expect(await list(tenant, { ...north, limit: '1', cursor: next })).toEqual(['shop/1'])
  expect(await list(tenant, { limit: '1', cursor: next })).toMatchObject({ code: 'invalid_cursor' })
  expect(await list(tenant, { metadata: 'branch' })).toMatchObject({ code: 'invalid_parameter' })
})

test('a search limited by the documents’ metadata finds no other branch’s documents in any mode, and nothing if none matches', async () => {
  const tenant = await stand.tenant()
  const ids = await Promise.all(
    ['walthamstow', 'hackney'].map(async (location) => {
      const content = `In ${location} we are open on Sunday from 10 to 4.`
      return (await create(tenant, { content, metadata: { location } })).body.id as string
    }),
  )
  await stand.deliver()
  const search = async (more: object) => {
    const body = { query: 'are you open on sunday', ...more }
    const { body: found } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, body)
    return found.data.map(({ document_id }: { document_id: string }) => document_id)
  }
  for (const mode of ['hybrid', 'keyword', 'semantic']) {
    expect(await search({ mode, document_metadata: { location: 'hackney' } }), mode).toEqual([ids[1]])
    expect(await search({ mode, document_metadata: { location: 'camden' } }), mode).toEqual([])
    expect((await search({ mode })).sort(), mode).toEqual(ids.toSorted())
  }
  const both = { document_metadata: { location: 'hackney' }, document_ids: [ids[0]] }
  expect(await search(both)).toEqual([])
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${ids[0]}`, { metadata: { location: 'hackney' } })
  expect((await search({ document_metadata: { location: 'hackney' } })).sort()).toEqual(ids.toSorted())
})
