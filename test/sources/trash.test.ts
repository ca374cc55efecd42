import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'
import { isOnServer } from '../support/tools/effort.ts'
import { crawled, giveServed, prices, sourceOf } from './source-of.ts'
import { page } from './website.ts'

const stand = useStand()

async function served() {
  const { site, ...source } = await crawled(stand)
  await stand.deliver()
  const { call, knowledgeBase, agentId } = source
  const sources = `/v1/agents/${agentId}/sources`
  const found = async () => {
    const { body } = await call('POST', `${knowledgeBase}/search`, { query: 'What does a night for a dog cost?' })
    return body.data.some(({ content }: { content: string }) => content.includes('35 euros'))
  }
  const trashed = async (of = sources) => (await call('GET', `${of}?trashed=true&limit=100`)).body.data
  const toTrash = () => call('DELETE', `${source.source}?trash=true`)
  const restore = () => call('POST', `${source.source}/restore`)
  return { ...source, site, sources, found, trashed, toTrash, restore }
}

test('a source goes into the trash with its documents, is not crawled there, and is restored with them', async () => {
  const { call, knowledgeBase, site, source, sources, id, ...own } = await served()
  const before = await own.documents()
  expect(await own.found()).toBe(true)
  expect((await own.toTrash()).status).toBe(204)
  expect(await own.found()).toBe(false)
  expect(await own.documents()).toEqual({})
  expect((await call('GET', sources)).body.data).toEqual([])
  for (const [method, path, body] of [
    ['GET', source],
    ['PATCH', source, { refresh_hours: 2 }],
    ['POST', `${source}/refresh`],
    ['DELETE', `${source}?trash=true`],
  ] as const)
    expect((await call(method, path, body)).body.code).toBe('source_not_found')
  const [there] = await own.trashed()
  expect(there).toMatchObject({ id, url: site.url, page_count: 3, deleted_at: expect.any(String) })
  expect(Date.parse(there.next_check_at) - Date.parse(there.deleted_at)).toBe(30 * 86_400_000)
  expect(await own.trashed(knowledgeBase)).toHaveLength(3)
  const requests: string[] = []
  site.onRequest = async (path) => void requests.push(path)
  await own.deliver()
  await stand.sweep()
  expect([requests, await own.queued()]).toEqual([[], []])
  site.pages['/prices'] = page('Prices', prices.replace('28', '29'), '/')
  expect(await own.restore()).toMatchObject({
    status: 200,
    body: { id, status: 'pending', page_count: 3, deleted_at: null },
  })
  expect(await own.found()).toBe(true)
  const { updated_at: _, ...kept } = before['/parking']
  expect((await own.documents())['/parking']).toMatchObject(kept)
  await own.deliver()
  expect((await own.documents())['/prices']).toMatchObject({ id: before['/prices'].id, source_id: id })
  expect((await own.documents())['/prices'].content).toContain('29 euros')
  expect((await own.restore()).status).toBe(200)
})

test('an address can be added again while its source is in the trash, which is then not restored', async () => {
  const { call, site, sources, ...own } = await served()
  await own.toTrash()
  const again = await call('POST', sources, { url: site.url })
  expect(again.status).toBe(201)
  expect((await own.restore()).body.code).toBe('source_exists')
  await call('DELETE', again.headers.location!)
  expect((await own.restore()).status).toBe(200)
})

test('a source is not restored while another document has the address of one of its pages', async () => {
  const { call, knowledgeBase, site, ...own } = await served()
  await own.toTrash()
  const taken = { title: 'Own', content: 'Own.', external_id: `${site.url}/prices` }
  const { headers } = await call('POST', knowledgeBase, taken)
  expect((await own.restore()).body).toMatchObject({
    code: 'external_id_conflict',
    external_ids: [`${site.url}/prices`],
  })
  expect(await own.trashed()).toHaveLength(1)
  await call('DELETE', headers.location!)
  expect((await own.restore()).status).toBe(200)
})

test('sources and pages in the trash count against no limit, but are not restored beyond it', async () => {
  const { call, organizationId, agentId, sources, ...own } = await served()
  const add = (count: number) =>
    sql`insert into sources (organization_id, id, agent_id, url, address, kind, refresh_hours, next_check_at)
      select ${organizationId}, gen_random_uuid(), ${agentId}, 'https://shop.example/', gen_random_uuid()::text, 'page', 24, 'infinity'
      from generate_series(1, ${count}) n`.execute(stand.db)
  await own.toTrash()
  await add(19)
  const { headers, status } = await call('POST', sources, { url: 'https://paws-inn.example/' })
  expect(status).toBe(201)
  expect(await own.restore()).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
  await call('DELETE', headers.location!)
  expect((await own.restore()).status).toBe(200)
  await own.toTrash()
  await sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl)
    select ${organizationId}, ${agentId}, s.id, n::text, 1
    from (select id from sources where organization_id = ${organizationId} and deleted_at is null limit 1) s,
      generate_series(1, 4998) n`.execute(stand.db)
  expect((await own.restore()).status).toBe(422)
})

test('a page deleted alone is restored as its source’s page, or as a separate document if the source is gone', async () => {
  const { call, knowledgeBase, source, id, ...own } = await served()
  const { '/prices': price, '/parking': parking } = await own.documents()
  const path = (document: { id: string }) => `${knowledgeBase}/${document.id}`
  for (const each of [price, parking]) await call('DELETE', `${path(each)}?trash=true`)
  await own.deliver()
  expect(Object.keys(await own.documents())).toEqual(['/'])
  expect((await call('POST', `${path(price)}/restore`)).body).toMatchObject({ source_id: id, source_type: 'txt' })
  expect(await own.refresh()).toMatchObject({ status: 'ready', page_count: 2 })
  await own.toTrash()
  expect((await call('POST', `${path(parking)}/restore`)).body).toMatchObject({
    source_id: null,
    source_type: 'manual',
  })
  await own.restore()
  expect(Object.keys(await own.documents()).toSorted()).toEqual(['/', '/parking', '/prices'])
})

test('a source is deleted permanently with its documents after 30 days, or by DELETE', async () => {
  for (const end of ['after 30 days', 'by DELETE']) {
    const { call, id, source, organizationId, ...own } = await served()
    await own.toTrash()
    if (end === 'by DELETE') expect((await call('DELETE', source)).status).toBe(204)
    else {
      const later = sql`- interval '30 days'`
      await sql`update sources set deleted_at = deleted_at ${later}, next_check_at = next_check_at ${later}, resend_at = now()
        where id = ${id}`.execute(stand.db)
      await stand.sweep()
      expect(await own.queued()).toContain(id)
      await own.deliver()
    }
    expect(await own.trashed()).toEqual([])
    const { rows } = await sql`select id from documents where organization_id = ${organizationId}`.execute(stand.db)
    expect(rows).toEqual([])
    expect((await own.restore()).body.code).toBe('source_not_found')
  }
})

test('a source of 5,000 documents goes into the trash and is restored within the time of a request', async () => {
  const documents = isOnServer ? 5_000 : 500
  const own = await sourceOf(stand, 'https://paws-inn.example/')
  await giveServed(stand, own, documents)
  const seconds = async (method: string, path: string, status: number) => {
    const began = performance.now()
    expect((await own.call(method, own.source + path)).status).toBe(status)
    return (performance.now() - began) / 1000
  }
  const served = async () =>
    (await sql`select ready_document_count as count from agents where id = ${own.agentId}`.execute(stand.db)).rows
  expect(await seconds('DELETE', '?trash=true', 204)).toBeLessThan(9)
  expect(await served()).toEqual([{ count: 0 }])
  expect(await seconds('POST', '/restore', 200)).toBeLessThan(9)
  expect(await served()).toEqual([{ count: documents }])
})
