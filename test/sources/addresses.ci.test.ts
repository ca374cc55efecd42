import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'
import { crawled, hours, prices, sourceOf } from './source-of.ts'
import { page, website } from './website.ts'

const stand = useStand()
type Source = Awaited<ReturnType<typeof sourceOf>>

/** A website whose page /prices leads to another address for each visitor. */
async function siteOfSessions() {
  const site = await website({ '/': page('Paws Inn', hours, '/prices') })
  let sessions = 0
  site.onRequest = (path) => {
    if (path === '/prices') sessions++
    const session = `/price-list;jsessionid=S${sessions}?utm_source=x`
    site.pages['/prices'] = { status: 302, headers: { location: `${session}#top` } }
    site.pages[session] = page('Prices', prices)
    return Promise.resolve()
  }
  return site
}

test('a page that redirects to session addresses has one document, under the canonical address', async () => {
  const site = await siteOfSessions()
  const { deliver, refresh, documents, pages } = await sourceOf(stand, site.url)
  site.pages['/price-list'] = page('Prices', prices)
  await deliver()
  for (let look = 0; look < 2; look++) await refresh()
  expect(Object.keys(await documents()).sort()).toEqual(['/', '/price-list'])
  expect(Object.keys(await pages()).sort()).toEqual(['/', '/price-list', '/prices'])
})

describe('duplicates of a page under other forms of its address', () => {
  /** Gives the page a duplicate, like those of crawls that kept a redirect's address. */
  async function double({ id, agentId, organizationId }: Source, url: string, path: string) {
    const made = crypto.randomUUID()
    await sql`insert into documents (organization_id, id, agent_id, title, external_id, source_id, source_type, content, content_hash,
        managed_by, status, created_at)
      values (${organizationId}, ${made}, ${agentId}, 'Prices', ${url + path}, ${id}, 'txt', ${prices}, '', 'service', 'pending',
        now() - interval '1 day')`.execute(stand.db)
    await sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl, found, applied_hash)
      values (${organizationId}, ${agentId}, ${id}, ${url + path}, 1, 'page', '')`.execute(stand.db)
    return made
  }

  test('are deleted at the next crawl, and the document of the canonical address stays', async () => {
    const { site, ...source } = await crawled(stand)
    const before = await source.documents()
    await double(source, site.url, '/prices;jsessionid=S1')
    await double(source, site.url, '/prices?utm_source=x')
    expect(await source.refresh()).toMatchObject({ status: 'ready', page_count: 3 })
    const after = await source.documents()
    expect(Object.keys(after).sort()).toEqual(['/', '/parking', '/prices'])
    expect(after['/prices'].id).toBe(before['/prices'].id)
    expect(Object.keys(await source.pages()).sort()).toEqual(['/', '/parking', '/prices'])
  })

  test('leave the oldest document, under the canonical address, if none is there', async () => {
    const { site, ...source } = await crawled(stand)
    const before = await source.documents()
    await sql`update documents set external_id = external_id || ';jsessionid=S1'
      where id = ${before['/prices'].id}`.execute(stand.db)
    await sql`update source_pages set address = address || ';jsessionid=S1'
      where source_id = ${source.id} and address like '%/prices'`.execute(stand.db)
    const oldest = await double(source, site.url, '/prices?utm_source=x')
    expect(await source.refresh()).toMatchObject({ status: 'ready', page_count: 3 })
    const after = await source.documents()
    expect(Object.keys(after).sort()).toEqual(['/', '/parking', '/prices'])
    expect(after['/prices'].id).toBe(oldest)
    expect(Object.keys(await source.pages()).sort()).toEqual(['/', '/parking', '/prices'])
  })
})

describe('a page that redirects to one page more than the maximum', () => {
  /** Gives a source pages that no crawl has visited. */
  const fill = ({ id, agentId, organizationId }: Source, count: number) =>
    sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl)
      select ${organizationId}, ${agentId}, ${id}, 'https://x.example/' || n, 0
      from generate_series(1, ${count}) n`.execute(stand.db)
  const count = async (organizationId: string) => {
    const { rows } = await sql<{ count: number }>`select count(*)::int from source_pages
      where organization_id = ${organizationId}`.execute(stand.db)
    return rows[0]!.count
  }

  test('is left out of a source of one page, with a reason', async () => {
    const site = await website({})
    let looks = 0
    site.onRequest = (path) => {
      if (path === '/offer') looks++
      site.pages['/offer'] = { status: 302, headers: { location: `/offer/${looks}` } }
      site.pages[`/offer/${looks}`] = page(`Offer ${looks}`, `${prices} This is offer ${'x'.repeat(looks)}.`)
      return Promise.resolve()
    }
    const source = await sourceOf(stand, `${site.url}/offer`, { kind: 'page' })
    for (let time = 0; time < 12; time++) await source.refresh()
    expect(await count(source.organizationId)).toBe(10)
    const { data } = (await source.call('GET', `${source.source}/pages?limit=1`)).body
    expect(data).toMatchObject([
      { left_out: expect.stringMatching(/^It leads to .* which is more than the maximum of pages\.$/) },
    ])
  })

  test('is left out of an organization that has 5,000 pages', async () => {
    const site = await website({
      '/offer': { status: 302, headers: { location: '/offer/1' } },
      '/offer/1': page('Offer', prices),
    })
    const tenant = await stand.tenant()
    const full = await sourceOf(stand, 'https://x.example', {}, tenant)
    const source = await sourceOf(stand, `${site.url}/offer`, { kind: 'page' }, tenant)
    await fill(full, 4_999)
    await source.deliver()
    expect(await count(tenant.organizationId)).toBe(5_000)
    expect(await source.documents()).toEqual({})
  })
})
