import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Site } from '../sites/site.ts'
import { type Sites, sites } from '../sites/sites.ts'
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
