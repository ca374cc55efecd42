import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { request } from '../../shared/outbound/request.ts'
import { useStand } from '../support/stand/stand.ts'
import { hours, inn, sourceOf } from './source-of.ts'
import { page, website } from './website.ts'

const stand = useStand()

/** A website, and another service on its machine that nobody may call. */
async function siteAndService() {
  const service = await website({ '/': page('Passwords', 'The password of the till is 4711, and nobody may know it.') })
  const { port } = new URL(service.url)
  const site = await website(inn())
  const others = [service.url, `http://localhost:${port}`, `http://[::1]:${port}`, `http://[::ffff:127.0.0.1]:${port}`]
  const own = [
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1',
    'http://2130706433',
    '//metadata.google.internal',
  ]
  return { site, service, places: [...own, ...others].map((place) => `${place}/`) }
}
const moved = (location: string) => ({ status: 302, headers: { location } })

async function contentsOf(organizationId: string): Promise<string> {
  const { rows } = await sql`select content from documents where organization_id = ${organizationId}`.execute(stand.db)
  return JSON.stringify(rows)
}

test('a page that redirects to a private host is left out, and the host gets no request', async () => {
  const { site, service, places } = await siteAndService()
  const paths = places.map((_, i) => `/away-${i}`)
  site.pages['/'] = page('Paws Inn', hours, ...paths)
  for (const [i, path] of paths.entries()) site.pages[path] = moved(places[i]!)
  const { deliver, get, pages, documents, organizationId } = await sourceOf(stand, site.url)
  await deliver()
  expect(await get()).toMatchObject({ status: 'ready', page_count: 1 })
  const listed = await pages()
  for (const path of paths)
    expect(listed[path], path).toMatchObject({ left_out: expect.stringContaining('redirects to') })
  expect(Object.keys(await documents())).toEqual(['/'])
  expect(service.asked).toEqual([])
  expect(await contentsOf(organizationId)).not.toContain('4711')
})

test('a website whose own address redirects to a private host ends in error, and nothing is stored', async () => {
  const { site, service, places } = await siteAndService()
  for (const [kind, path] of [
    ['page', '/'],
    ['sitemap', '/sitemap.xml'],
    ['site', '/'],
  ] as const)
    for (const place of places.slice(-3)) {
      site.pages[path] = moved(place)
      const { deliver, get, pages, documents } = await sourceOf(stand, site.url + path, { kind })
      await deliver()
      const { status, error_message, page_count } = await get()
      expect([status, page_count, await documents()], `${kind} ${place}`).toEqual(['error', 0, {}])
      expect(`${error_message} ${JSON.stringify(await pages())}`).toContain('redirects to')
    }
  expect(service.asked).toEqual([])
})

test('a robots.txt that redirects to a private host counts as missing, and a sitemap’s private addresses get no request', async () => {
  const { site, service, places } = await siteAndService()
  const listed = [...places, `${site.url}/prices`].map((place) => `<url><loc>${place}</loc></url>`)
  for (const place of places.slice(-3)) {
    site.pages['/robots.txt'] = moved(place)
    site.pages['/sitemap.xml'] =
      `<sitemapindex><sitemap><loc>${place}</loc></sitemap><sitemap><loc>${site.url}/2.xml</loc></sitemap></sitemapindex>`
    site.pages['/2.xml'] = `<urlset>${listed.join('')}</urlset>`
    const { deliver, get, documents } = await sourceOf(stand, `${site.url}/sitemap.xml`, { kind: 'sitemap' })
    await deliver()
    expect(await get(), place).toMatchObject({ status: 'ready', page_count: 1 })
    expect(Object.keys(await documents())).toEqual([`${site.url}/prices`])
  }
  expect(service.asked).toEqual([])
})

test('a name that resolves to a private host is accepted, and then refused by the crawl, with and without www.', async () => {
  const source = await sourceOf(stand, 'https://shop.example/', { kind: 'page' })
  const asked: string[] = []
  const resolved = (name: string) => {
    asked.push(name)
    return Promise.resolve(['93.184.215.14', '10.0.0.1'])
  }
  source.state.request = (address, options) => request(address, { ...options, resolve: resolved })
  await source.deliver()
  expect(await source.get()).toMatchObject({ status: 'error', page_count: 0 })
  expect(Object.values(await source.pages())).toMatchObject([
    { left_out: expect.stringContaining('leads to 10.0.0.1') },
  ])
  source.state.request = async (address, options) => {
    if (address.startsWith('https://www.')) return await request(address, { ...options, resolve: resolved })
    const headers = { location: address.replace('://', '://www.') }
    return { status: 301, headers, body: Buffer.alloc(0), url: address }
  }
  expect(await source.refresh()).toMatchObject({ status: 'error', page_count: 0 })
  expect(Object.values(await source.pages())).toMatchObject([
    { left_out: expect.stringContaining('leads to 10.0.0.1') },
  ])
  expect(asked).toContain('www.shop.example')
  expect(await source.documents()).toEqual({})
})
