import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { OrganizationId } from '../../shared/ids.ts'
import { useStand } from '../support/stand/stand.ts'
import { limit } from '../support/stand/tenant.ts'
import { crawled, hours, inn, parking, prices, sourceOf } from './source-of.ts'
import { page, website } from './website.ts'

const stand = useStand()

/** Moves the time since which pages are gone more than a day back. */
const aDayLater = (id: string) =>
  sql`update source_pages set gone_since = gone_since - interval '25 hours' where source_id = ${id}`.execute(stand.db)

describe('a crawl', () => {
  test('makes each page a document that search finds, and updates that of a changed page', async () => {
    const { site, get, refresh, documents, call, knowledgeBase, id } = await crawled(stand)
    expect(await get()).toMatchObject({ status: 'ready', error_message: null, notice: null, page_count: 3 })
    const before = await documents()
    expect(Object.keys(before).sort()).toEqual(['/', '/parking', '/prices'])
    expect(before['/prices']).toMatchObject({ title: 'Prices', source_type: 'txt', source_id: id })
    await stand.deliver()
    const first = async (query: string) => (await call('POST', `${knowledgeBase}/search`, { query })).body.data[0]
    expect((await first('What does a night for a dog cost?')).content).toContain('35 euros')
    site.pages['/prices'] = page('Prices', prices.replace('35', '38'), '/')
    expect(await refresh()).toMatchObject({ status: 'ready', page_count: 3 })
    await stand.deliver()
    expect((await first('What does a night for a dog cost?')).content).toContain('38 euros')
    const after = await documents()
    expect(after['/parking']).toEqual({ ...before['/parking'], ...statusOf(after['/parking']) })
  })

  test('of unchanged pages writes no document and embeds nothing', async () => {
    const { refresh, documents } = await crawled(stand)
    await stand.deliver()
    const before = await documents()
    expect(await refresh()).toMatchObject({ status: 'ready' })
    expect(await documents()).toEqual(before)
  })

  test('deletes a page that is gone twice, a day apart', async () => {
    const { site, refresh, documents, pages, id } = await crawled(stand, {
      ...inn(),
      '/': page('Paws Inn', hours, '/prices', '/parking', '/old'),
      '/old': page('Old', 'An offer that ends soon, and is then no longer there.'),
    })
    delete site.pages['/old']
    await refresh()
    expect((await pages())['/old']).toMatchObject({ gone_since: expect.any(String), document_id: expect.any(String) })
    await refresh()
    expect(Object.keys(await documents())).toContain('/old')
    await aDayLater(id)
    await refresh()
    expect(Object.keys(await documents()).sort()).toEqual(['/', '/parking', '/prices'])
    expect(Object.keys(await pages()).sort()).toEqual(['/', '/parking', '/prices'])
  })

  test('that misses more than a third of the pages changes nothing, reports it, and is repeated soon', async () => {
    const { site, refresh, documents } = await crawled(stand)
    await stand.deliver()
    const before = await documents()
    delete site.pages['/prices']
    delete site.pages['/parking']
    site.pages['/'] = page('Paws Inn', `${hours} News: nothing.`)
    const source = await refresh()
    expect(source).toMatchObject({ status: 'error', page_count: 3 })
    expect(source.error_message).toMatch(/^2 of 3 pages are gone/)
    expect(Date.parse(source.next_check_at) - Date.now()).toBeLessThan(16 * 60_000)
    expect(await documents()).toEqual(before)
  })

  test('of a website that does not answer changes nothing', async () => {
    const { site, refresh, documents } = await crawled(stand)
    const before = await documents()
    site.pages['/'] = 503
    const source = await refresh()
    expect(source.status).toBe('error')
    expect(source.error_message).toMatch(/^The website does not answer\. /)
    expect(await documents()).toEqual(before)
  })

  test('that was refused hides no change from the next one, even if the website then answers 304', async () => {
    const versioned = (etag: string, body: string) => ({ headers: { etag }, body })
    const pages = { ...inn(), '/prices': versioned('"1"', page('Prices', prices)) }
    const { site, refresh, documents } = await crawled(stand, pages)
    site.pages['/prices'] = versioned('"2"', page('Prices', prices.replace('35', '38')))
    const { '/': home, '/parking': parking } = site.pages
    delete site.pages['/parking']
    delete site.pages['/']
    expect(await refresh()).toMatchObject({ status: 'error', error_message: expect.stringContaining('is gone') })
    expect((await documents())['/prices'].content).toContain('35 euros')
    Object.assign(site.pages, { '/': home, '/parking': parking })
    expect(await refresh()).toMatchObject({ status: 'ready' })
    expect((await documents())['/prices'].content).toContain('38 euros')
  })

  test('ignores a quotation that changes with every request', async () => {
    const site = await website(inn())
    let requests = 0
    site.onRequest = () => {
      const words = ['Lovely', 'Happy dog', 'Back soon', 'Clean and quiet', 'Warm welcome'][requests++ % 5]
      site.pages['/'] = page('Paws Inn', `${hours}</p><p>${words}!`, '/prices', '/parking')
      return Promise.resolve()
    }
    const { deliver, refresh, documents } = await sourceOf(stand, site.url)
    await deliver()
    const before = (await documents())['/']
    for (let look = 0; look < 4; look++) await refresh()
    expect((await documents())['/'].content).toBe(before.content)
  })

  test('deletes documents of pages that are no longer included', async () => {
    const { deliver, call, source, documents, pages } = await crawled(stand)
    await call('PATCH', source, { exclude: ['/prices'] })
    await deliver()
    expect(Object.keys(await documents()).sort()).toEqual(['/', '/parking'])
    expect(Object.keys(await pages())).not.toContain('/prices')
  })

  test('keeps a person’s text, deletion and external id', async () => {
    const { site, refresh, documents, pages, call, knowledgeBase } = await crawled(stand)
    const before = await documents()
    await call('PATCH', `${knowledgeBase}/${before['/prices'].id}`, { content: 'Ask us for our prices.' })
    await call('DELETE', `${knowledgeBase}/${before['/parking'].id}`)
    await call('PATCH', `${knowledgeBase}/${before['/'].id}`, { external_id: 'our-own' })
    site.pages['/prices'] = page('Prices', prices.replace('35', '38'), '/')
    site.pages['/parking'] = page('Parking', parking.replace('22', '23'), '/')
    expect(await refresh()).toMatchObject({ status: 'ready', page_count: 0 })
    const after = await documents()
    expect(after['our-own']).toMatchObject({ id: before['/'].id, source_id: null })
    expect(after['/prices']).toMatchObject({ content: 'Ask us for our prices.', source_id: null })
    expect(Object.keys(after).sort()).toEqual(['/prices', 'our-own'])
    for (const path of ['/', '/prices', '/parking'])
      expect((await pages())[path]).toMatchObject({ document_id: null, left_out: expect.stringMatching(/^A person/) })
  })

  test('leaves out a page whose address is the external id of another document', async () => {
    const site = await website(inn())
    const { deliver, get, pages, call, knowledgeBase } = await sourceOf(stand, site.url)
    await call('POST', knowledgeBase, { title: 'Own', content: 'Mine.', external_id: `${site.url}/prices` })
    await deliver()
    expect(await get()).toMatchObject({ status: 'ready', page_count: 2 })
    expect((await pages())['/prices']).toMatchObject({ left_out: expect.stringMatching(/^Another document/) })
  })

  test('leaves out what the organization has no room to store, and says so', async () => {
    const { site, refresh, documents, pages, organizationId } = await crawled(stand)
    const { stored_bytes } = await stand.db
      .selectFrom('documents')
      .where('organization_id', '=', organizationId as OrganizationId)
      .select(sql<string>`sum(stored_bytes)`.as('stored_bytes'))
      .executeTakeFirstOrThrow()
    await limit(stand.db, organizationId, { stored_bytes: Number(stored_bytes) })
    site.pages['/prices'] = page('Prices', `${prices} A night for a cat costs 20 euros.`, '/')
    site.pages['/'] = page('Paws Inn', hours, '/prices', '/parking', '/new')
    site.pages['/new'] = page('New', 'Rabbits are welcome in the garden house, from May on.')
    expect(await refresh()).toMatchObject({ status: 'ready' })
    expect(Object.keys(await documents()).sort()).toEqual(['/', '/parking', '/prices'])
    for (const path of ['/prices', '/new'])
      expect((await pages())[path].left_out).toMatch(/^The organization can store at most [\d,]+ bytes\./)
  })

  test('keeps a page whose deletion a golden question blocks, and names the question', async () => {
    const { site, refresh, documents, pages, call, agentId, id } = await crawled(stand, {
      ...inn(),
      '/': page('Paws Inn', hours, '/prices', '/parking', '/pets'),
      '/pets': page('Pets', 'Rabbits are welcome in the garden house, from May on.'),
    })
    await stand.deliver()
    const { id: pets } = (await documents())['/pets']
    const question = { question: 'Are rabbits welcome?', expects: { document_id: pets }, on_failure: 'block' }
    await call('POST', `/v1/agents/${agentId}/golden-questions`, question)
    delete site.pages['/pets']
    await refresh()
    await aDayLater(id)
    expect(await refresh()).toMatchObject({ status: 'ready', page_count: 4 })
    expect((await pages())['/pets'].left_out).toMatch(/golden questions that block would fail: “Are rabbits welcome\?”/)
  })
})

function statusOf({ status, chunk_count, searchable_chunk_count, updated_at }: Record<string, unknown>) {
  return { status, chunk_count, searchable_chunk_count, updated_at }
}
