import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Site } from '../sites/site.ts'
import { halved, type Sites, sites } from '../sites/sites.ts'
import { crawl, type Document } from './crawl.ts'
import { instantClient } from './instant-client.ts'

let web: Sites
beforeAll(async () => {
  web = await sites()
})
afterAll(() => web.stop())

/** Crawls of one site, over HTTP, each on the next day. */
function crawlsOf(site: Site) {
  const documents = new Map<string, Document>()
  let day = 0
  return {
    documents,
    paths: () => [...documents.keys()].map((address) => address.slice(site.url.length)).sort(),
    next: () => crawl(instantClient(), `${site.url}/`, documents, new Date(Date.UTC(2026, 2, ++day, 9))),
  }
}

test('each kind of website gives its pages, and none that robots.txt or the page forbids', async () => {
  const found = async (site: Site) => {
    const { next, paths } = crawlsOf(site)
    await next()
    return paths()
  }
  const products = ['/products/1', '/products/2', '/products/3', '/products/4', '/products/5', '/products/6']
  expect(await found(web.shop)).toEqual(['/', '/about', '/contact', ...products])
  expect(web.shop.requests.filter((path) => /cart|policies/.test(path))).toEqual([])
  const plants = ['fern', 'ivy', 'monstera', 'olive-tree'].map((name) => `/product/${name}/`)
  expect(await found(web.blogShop)).toEqual(['/', '/about/', ...plants])
  expect(await found(web.restaurant)).toEqual(['/', '/hours', '/menu'])
  expect(await found(web.office)).toEqual(['/', '/impressum', '/leistungen', '/sprechzeiten'])
  expect(await found(web.builder)).toEqual(['/', '/prices'])
  expect(await found(web.lying)).toEqual(['/', '/fudge'])
  expect(await found(web.loops)).toEqual(['/'])
  expect(await found(web.forbidden)).toEqual(['/'])
  expect(await found(web.cookieWall)).toEqual([])
})

test('a second crawl of the same pages changes nothing, and reads none of them again', async () => {
  const { next } = crawlsOf(web.office)
  await next()
  web.office.requests.length = 0
  expect(await next()).toMatchObject({ create: [], update: [], delete: [], markGone: [] })
  expect(web.office.requests).toHaveLength(5)
})

test('a site that drops half of its pages keeps their documents; one that drops a page loses it a day later', async () => {
  const { documents, next } = crawlsOf(web.halving)
  await next()
  web.halving.fault = halved
  for (let day = 0; day < 5; day++) expect((await next()).refused).toContain('6 of 13 pages')
  expect(documents.size).toBe(13)
  web.halving.fault = undefined
  web.halving.remove('/room/7')
  expect(await next()).toMatchObject({ delete: [], markGone: [`${web.halving.url}/room/7`] })
  expect(await next()).toMatchObject({ delete: [`${web.halving.url}/room/7`] })
  expect(documents.size).toBe(12)
})

test('a page with a token, a count and quotations makes no revision; its price does', async () => {
  const { next } = crawlsOf(web.noisy)
  await next()
  for (let day = 0; day < 10; day++) expect((await next()).update).toEqual([])
  const old = web.noisy.pages.get('/')
  if (typeof old !== 'function') throw new Error('The page does not change')
  web.noisy.set('/', (...asked) => (old(...asked) as string).replace('£8.50', '£8.90'))
  expect((await next()).update).toEqual([`${web.noisy.url}/`])
})

test('a page that fails keeps its text', async () => {
  const { documents, next } = crawlsOf(web.flaky)
  for (let day = 0; day < 12; day++) await next()
  expect(documents.get(`${web.flaky.url}/tyres`)?.text).toContain('£49')
})
