import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FetchOptions, fetchPage } from '../../../functions/crawler/site/page.ts'
import type { OutboundRequest } from '../../../shared/outbound/request.ts'
import { maxMicrosecondsPerByte, microsecondsPerByte } from '../../support/time/processor-time.ts'
import { type Page, requestTo, Site } from '../sites/site.ts'
import { type Sites, sites } from '../sites/sites.ts'
import { instantClient } from './instant-client.ts'

let web: Sites
beforeAll(async () => {
  web = await sites()
})
afterAll(() => web.stop())

const fetched = (site: Site, path: string, options?: FetchOptions) =>
  fetchPage(instantClient(), site.url + path, options)
const siteOf = (pages: Record<string, Page>) => Object.assign(new Site(pages), { url: 'http://127.0.0.1:1' })
const one = async (page: Page) =>
  await fetchPage(instantClient(requestTo(siteOf({ '/': page }))), 'http://127.0.0.1:1/')

describe('a page', () => {
  test('has the text of an HTML file, without what surrounds it, and its links', async () => {
    const { url } = web.shop
    expect(await fetched(web.shop, '/products/2')).toMatchObject({
      kind: 'page',
      address: `${url}/products/2`,
      title: 'Lantern',
      text: 'Free delivery over £40\n\n# Lantern\n\n£24.50\n\nIn stock. Lantern leaves us the same day.',
      links: ['/', '/about', '/contact', '/cart', '/policies/refund', '/policies/terms'].map((path) => url + path),
    })
  })

  test('of every kind of website keeps the facts that callers ask for', async () => {
    const said = async (site: Site, path: string) => ({ text: '', ...(await fetched(site, path)) }).text
    expect(await said(web.blogShop, '/product/olive-tree/')).toContain('£12.00')
    expect(await said(web.blogShop, '/')).toContain('020 7946 0712')
    expect(await said(web.restaurant, '/menu')).toContain('| Carbonara | £12.00 |')
    expect(await said(web.restaurant, '/hours')).not.toContain('cookies')
    expect(await said(web.office, '/leistungen')).toContain('Ultraschall: 45 €')
    expect(await said(web.builder, '/prices')).toContain('Puncture £12')
  })

  test.each([
    [
      '<title>Prices | Paws Inn</title><meta property="og:site_name" content="Paws Inn"><h1>What it costs</h1>',
      'Prices',
    ],
    ['<title>index – Hundepension</title><h1>Willkommen</h1>', 'Hundepension'],
    ['<title>Home | Paws Inn – dogs</title><h1>Welcome</h1><meta name="application-name" content="Paws Inn">', 'dogs'],
    ['<title>Home</title><h1>Boarding for dogs</h1>', 'Boarding for dogs'],
    [
      '<title>Opening hours: the whole year - Paws Inn</title><h1>Opening hours: the whole year</h1>',
      'Opening hours: the whole year',
    ],
    ['<title>Cats – and their humans</title><h1>About cats</h1>', 'Cats – and their humans'],
  ])('is named by its title, without the name of its website: %s', async (head, title) => {
    const page = await one(`${head}<p>A night costs £20 for a dog, with a walk in the morning and in the evening.</p>`)
    expect(page).toMatchObject({ title })
  })

  test('has the address of its canonical link, unless that names another page', async () => {
    const { url } = web.shop
    expect(await fetched(web.shop, '/products/2?variant=2')).toMatchObject({ address: `${url}/products/2` })
    const allows = (address: string) => address !== `${url}/products/2`
    expect(await fetched(web.shop, '/products/2?variant=2', { allows })).toMatchObject({
      address: `${url}/products/2?variant=2`,
    })
    web.builder.set('/wrong', '<link rel="canonical" href="/"><h1>Rentals</h1><p>A bike for a day: £20.</p>')
    expect(await fetched(web.builder, '/wrong')).toMatchObject({ address: `${web.builder.url}/wrong` })
  })

  test('that has not changed since the last crawl is unchanged', async () => {
    const first = await fetched(web.office, '/')
    if (first.kind !== 'page') throw new Error(first.kind)
    expect(await fetched(web.office, '/', first)).toEqual({ kind: 'unchanged' })
    expect(await fetched(web.office, '/impressum', first)).toMatchObject({ kind: 'page' })
  })

  test('is decoded by header, by its declaration, by its byte order mark, or by detection', async () => {
    for (const path of ['/header', '/meta', '/none', '/mark', '/wrong', '/unknown', '/plain'])
      expect(await fetched(web.charsets, path), path).toMatchObject({
        text: expect.stringMatching(/Café Müller\n\nTörtchen für 3 €, täglich ab 8 Uhr\.$/),
      })
  })

  test('has links to pages of its host, except those that are nofollow, change a cart, or are pictures', async () => {
    const page = await one(
      `<base href="/shop/"><h1>Links</h1><a href="a#top">A</a><a href="/a?utm_source=x&b=1">B</a><a href="a">A</a>
      <a rel="external nofollow" href="/n">N</a><a href="?add-to-cart=5">Add</a><a href="/p.JPG">P</a><a href="mailto:a@b.c">M</a>
      <a href="https://other.example/">O</a><a href="javascript:void 0">J</a><a href="http://[">B</a><map><area href="/m"></map>`,
    )
    expect('links' in page && page.links?.map((link) => link.slice(18))).toEqual(['/shop/a', '/a?b=1', '/m'])
    expect(await one('<meta name="robots" content="nofollow"><h1>Closed door</h1><a href="/a">A</a>')).toMatchObject({
      kind: 'page',
      links: [],
    })
  })
})

describe('a page is left out, with a reason, if it is', () => {
  test.each<[string, () => [Site, string], RegExp]>([
    ['a PDF by its name', () => [web.restaurant, '/files/menu.pdf'], /PDF: upload it as a file/],
    ['a picture, whatever the header says', () => [web.restaurant, '/photo'], /picture/],
    ['without text before scripts run', () => [web.builder, '/app'], /nearly no text/],
    ['marked noindex', () => [web.blogShop, '/tag/gift'], /noindex/],
    ['marked noindex by its header', () => [web.blogShop, '/tag/new'], /noindex/],
    ['a redirect to another site', () => [web.blogShop, '/contact'], /another site: http:\/\/127\.0\.0\.2:9/],
    ['a redirect to a metadata service', () => [web.loops, '/far'], /another site/],
    ['a missing page that answers 200', () => [web.lying, '/old'], /not found/],
    ['a cookie wall', () => [web.cookieWall, '/'], /cookies/],
    ['nested too deeply', () => [web.huge, '/deep'], /too complex/],
  ])('%s', async (_, page, reason) => {
    expect(await fetched(...page())).toMatchObject({ kind: 'left_out', reason: expect.stringMatching(reason) })
  })

  test.each<[string, Parameters<typeof one>[0], RegExp]>([
    ['a PDF by its bytes', { body: '%PDF-1.7 …' }, /PDF/],
    ['a Word document', { body: Buffer.from('504b0304', 'hex') }, /upload it as a file/],
    ['JSON', { headers: { 'content-type': 'application/json' }, body: '{"a":1}' }, /application\/json/],
    ['a login', '<h1>Welcome</h1><form><input type="password"></form>', /log in/],
    ['forbidden', { status: 403 }, /403/],
    ['maintenance', '<title>Scheduled maintenance</title><p>Please come again.</p>', /maintenance/],
    ['a parked domain', '<h1>flowers.example</h1><p>This domain is for sale!</p>', /web host/],
    ['a check for bots', '<title>Just a moment...</title><p>Checking your browser</p>', /programs/],
    ['empty', '<title></title><body></body>', /nearly no text/],
    ['a body of zeros', { body: Buffer.alloc(4_000) }, /no text/],
    ['too large for a response', `<p>Prices: ${'"'.repeat(1_600_000)} and more</p>`, /too large/],
  ])('%s', async (_, page, reason) => {
    expect(await one(page)).toMatchObject({ kind: 'left_out', reason: expect.stringMatching(reason) })
  })

  test.each([
    '<h1>Boiler maintenance</h1><p>We look after your boiler for £9 a month.</p>',
    '<title>Cookie recipes</title><h1>Our cookies</h1><p>We bake cookies with butter.</p>',
    '<title>Pro 404</title><h1>Drill 404</h1><p>£99, back in stock.</p>',
    '<h1>Closed</h1><p>We’re on holiday until 15 August.</p>',
    '<title>Log in problems</title><h1>Help</h1><p>Call us if you forgot your password.</p>',
    '<h1>Can’t find what you want?</h1><p>Items that are not listed can be ordered.</p>',
  ])('not a short page with similar words: %s', async (page) => {
    expect(await one(page)).toMatchObject({ kind: 'page' })
  })

  test('marked noindex, but its links are followed', async () => {
    expect(await fetched(web.blogShop, '/tag/gift')).toMatchObject({ links: [`${web.blogShop.url}/product/fern/`] })
  })
})

describe('redirects', () => {
  test('are followed within the host, and say whether they are permanent', async () => {
    expect(await fetched(web.blogShop, '/about')).toMatchObject({
      address: `${web.blogShop.url}/about/`,
      isMoved: true,
    })
    expect(await fetched(web.loops, '/n5')).toMatchObject({
      kind: 'page',
      address: `${web.loops.url}/n9`,
      isMoved: false,
    })
  })

  test('end after five, in a circle, and outside what the source and robots.txt allow', async () => {
    expect(await fetched(web.loops, '/n1')).toMatchObject({ kind: 'failed', reason: 'It redirects more than 5 times.' })
    for (const path of ['/a', '/c'])
      expect(await fetched(web.loops, path)).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('circle'),
      })
    expect(await fetched(web.blogShop, '/about', { allows: () => false })).toMatchObject({ kind: 'left_out' })
  })

  test('lead to the name with or without www., and keep https', async () => {
    const asked: string[] = []
    const request = (address: string) => {
      asked.push(address)
      const isLast = address === 'https://www.lina.example/menu'
      const headers = isLast ? {} : { location: 'http://www.lina.example/menu' }
      const body = Buffer.from('<h1>Menu</h1><a href="http://lina.example/a">A</a>')
      return Promise.resolve({ status: isLast ? 200 : 301, headers, body, url: address })
    }
    const page = await fetchPage(instantClient(request), 'https://lina.example/menu')
    expect(page).toMatchObject({ address: 'https://www.lina.example/menu', links: ['https://lina.example/a'] })
    expect(asked).toEqual(['https://lina.example/menu', 'https://www.lina.example/menu'])
  })
})

describe('a failure', () => {
  test('counts only if it lasts: a missing or broken page is requested twice', async () => {
    let requests = 0
    const site = siteOf({ '/': () => (++requests % 2 ? { status: requests % 4 === 1 ? 404 : 502 } : '<h1>Shop</h1>') })
    for (let time = 0; time < 2; time++)
      expect(await fetchPage(instantClient(requestTo(site)), `${site.url}/`)).toMatchObject({ kind: 'page' })
    expect(await fetched(web.shop, '/nothing')).toEqual({ kind: 'gone' })
    expect(web.shop.requests.filter((path) => path === '/nothing')).toHaveLength(2)
  })

  test('says that there was a time-out, a server’s error, a page of over 5 MiB or a refused address', async () => {
    expect(await one({ isSilent: true })).toEqual({ kind: 'failed', reason: 'No answer within 10 seconds.' })
    expect(await one({ status: 500 })).toEqual({ kind: 'failed', reason: 'It answers with the status 500.' })
    expect(await fetched(web.huge, '/all')).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('5242880'),
    })
    expect(await fetchPage(instantClient(), 'https://169.254.169.254/')).toMatchObject({
      kind: 'left_out',
      reason: 'Its address leads to 169.254.169.254, which is not a public address.',
    })
  })
})

describe('the crawler', () => {
  test('sends a host one request at a time, a second apart, among all crawls of a process', async () => {
    let [open, most] = [0, 0]
    const headers: OutboundRequest['headers'][] = []
    const client = instantClient(async (address, options) => {
      most = Math.max(most, ++open)
      headers.push(options.headers)
      await new Promise(setImmediate)
      open--
      return { status: 200, headers: {}, body: Buffer.from('<h1>Page</h1>'), url: address }
    })
    const hosts = ['https://a.example/1', 'https://www.a.example/2', 'https://a.example/3']
    await Promise.all(hosts.map((address) => fetchPage(client, address)))
    expect([most, client.pauses]).toEqual([1, [1_000, 1_000]])
    expect(headers[0]).toMatchObject({ 'user-agent': 'Cuecard/1 (+https://cuecard.example/crawler)' })
    expect(Object.keys(headers[0]!)).not.toContain('cookie')
  })

  test('waits for Retry-After up to a minute, and leaves the host alone if it is longer', async () => {
    const site = siteOf({
      '/': { status: 429, headers: { 'retry-after': '20' } },
      '/long': { status: 503, headers: { 'retry-after': '600' } },
    })
    const client = instantClient(requestTo(site))
    expect(await fetchPage(client, `${site.url}/`)).toMatchObject({ kind: 'failed' })
    expect(client.pauses).toEqual([21_000])
    expect(await fetchPage(client, `${site.url}/long`)).toEqual({
      kind: 'failed',
      reason: 'The site asks for no requests in the next 11 minutes.',
    })
    expect(site.requests).toEqual(['/', '/', '/long'])
  })
})

test.each([' ', '\t ', '\n ', 'a ', '\u00a0', '\r', '|', '<', '&', '#'])(
  'a text of “%s” is read quickly',
  async (unit) => {
    const text = `Prices${unit.repeat(1_000_000 / unit.length)}.`
    for (const type of ['text/plain', 'text/html'])
      expect(
        await microsecondsPerByte(text, () => one({ headers: { 'content-type': type }, body: text })),
      ).toBeLessThan(maxMicrosecondsPerByte)
  },
)

test('a page of more tags than can be read in seconds is left out', async () => {
  const started = performance.now()
  for (const tag of ['<div>', '<font><p>', '<b>', '<table><a>', '<p>5 €</p>', '<select><option>€5'])
    expect(await one(tag.repeat(70_000))).toMatchObject({
      kind: 'left_out',
      reason: expect.stringContaining('too complex'),
    })
  expect(performance.now() - started).toBeLessThan(5_000)
})
