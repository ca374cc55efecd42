import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../../functions/crawler/site/client.ts'
import { fetchPage } from '../../../functions/crawler/site/page.ts'
import { robotsOf } from '../../../functions/crawler/site/robots.ts'
import { begunReading, readNext, type SitemapFile } from '../../../functions/crawler/site/sitemap.ts'
import type { SitemapReading } from '../../../shared/database/website-tables.ts'
import { maxMicrosecondsPerByte, microsecondsPerByte } from '../../support/time/processor-time.ts'
import { type Page, requestTo, Site } from '../sites/site.ts'
import { sites } from '../sites/sites.ts'
import { instantClient } from './instant-client.ts'

const url = 'https://shop.example'

function own(pages: Record<string, Page>) {
  const site = new Site(pages)
  site.url = url
  return instantClient(requestTo(site))
}

const robots = (page: Page) => robotsOf(own({ '/robots.txt': page }), `${url}/a/b?c`)
const sitemap = (pages: Record<string, Page>) => readAll(own(pages), `${url}/sitemap.xml`)

/** Reads all files of a sitemap, as a crawl does. */
async function readAll(client: Client, address: string) {
  const robots = await robotsOf(client, address)
  const addresses = new Set<string>()
  for (let reading: SitemapReading | null = begunReading(address); reading; ) {
    const file: SitemapFile = await readNext(client, JSON.parse(JSON.stringify(reading)), robots)
    if ('reason' in file) return { kind: 'failed', reason: file.reason } as const
    for (const each of file.addresses) addresses.add(each)
    reading = file.reading
  }
  return { kind: 'sitemap', addresses: [...addresses] } as const
}

test('robots.txt gives the paths that Cuecard may request, its pause and the sitemaps', async () => {
  const client = own({
    '/robots.txt':
      '\ufeffUser-agent: *\nDisallow: /\n\nUser-agent: cuecard\nDisallow: /a*/private\nAllow: /a/private/not\nCrawl-delay: 7\nSitemap: /map.xml\nSitemap: https://shop.example/two.xml',
  })
  const { allows, ...rest } = await robotsOf(client, `${url}/x`)
  expect(rest).toEqual({ sitemaps: [`${url}/map.xml`, `${url}/two.xml`] })
  const allowed = ['/', '/a/private', '/abc/private/x', '/a/private/not'].map((path) => allows(url + path))
  expect(allowed).toEqual([true, false, false, true])
  expect(allows('https://www.shop.example/a/private')).toBe(false)
  await fetchPage(client, `${url}/1`)
  expect(client.pauses.slice(-1)).toEqual([7_000])
})

test('Crawl-delay is obeyed up to half a minute, and never shortens the pause', async () => {
  for (const [delay, pause] of [
    ['3600', 30_000],
    ['0', 1_000],
  ] as const) {
    const client = own({ '/robots.txt': `User-agent: *\nCrawl-delay: ${delay}` })
    await robotsOf(client, url)
    await fetchPage(client, `${url}/1`)
    expect(client.pauses.at(-1)).toBe(pause)
  }
})

test('without a robots.txt everything is allowed; if it fails, nothing', async () => {
  const statuses = (...of: number[]) => of.map((status) => ({ status }))
  const away = { status: 301, headers: { location: 'https://other.example/' } }
  for (const page of [...statuses(404, 403, 410), '<!doctype html><h1>Welcome</h1>', away])
    expect((await robots(page)).allows(`${url}/a`)).toBe(true)
  for (const page of [...statuses(500, 503, 429), { isSilent: true }, 'a'.repeat(6 * 1024 * 1024)]) {
    const { allows, failed } = await robots(page)
    expect([allows(`${url}/a`), failed]).toEqual([
      false,
      expect.stringMatching(/^robots\.txt of https:\/\/shop\.example can't be read/),
    ])
  }
})

test('a name that doesn’t exist is said to, before any robots.txt', async () => {
  // Names below .onion have no address (RFC 7686), which needs no name server.
  const { failed } = await robotsOf(instantClient(), 'https://shop.onion/')
  expect(failed).toBe('The name shop.onion doesn’t exist. Check the address for typing errors.')
})

test('a rule that begins within 500 KiB counts whole, and none after it', async () => {
  const { allows } = await robots(
    `User-agent: *\n#${'x'.repeat(500 * 1024 - 40)}\nDisallow: /private-things\nDisallow: /`,
  )
  expect(['/private-things', '/private', '/'].map((path) => allows(url + path))).toEqual([false, true, true])
})

test('all groups for Cuecard count together, and those for any crawler only if there is none', async () => {
  const text =
    'User-agent: *\nDisallow: /all\n\nUser-agent: other\nUSER-AGENT: Cuecard/1.0 # ours\nDisallow: /own\n\nuser-agent: cuecard\n'
  const { allows, sitemaps } = await robots(`${text}Sitemap: ${url}/map.xml\ndisallow : /b\nAllow: /b\nDisallow:\n`)
  expect(['/all', '/own', '/b', '/c'].map((path) => allows(url + path))).toEqual([true, false, true, true])
  expect(sitemaps).toEqual([`${url}/map.xml`])
  expect((await robots('User-agent: *\nDisallow: /\n\nUser-agent: cuecard')).allows(url)).toBe(true)
})

test('the longest rule decides; * stands for any characters, and $ for the end', async () => {
  const rules = [
    'Disallow: /*.pdf$',
    'Allow: /*/open',
    'Disallow: /x/*/y*z$',
    'Disallow: /caf%c3%a9',
    'Disallow: /%7Eme',
    'Disallow: /a$b',
  ]
  const { allows } = await robots(['User-agent: *', ...rules].join('\n'))
  const forbidden = ['/a.pdf', '/b/a.pdf?x=.pdf', '/x/1/y/z', '/x/1/2/yz', '/café', '/~me/1', '/a$b']
  const allowed = ['/a.pdf?x', '/a.pdfs', '/b/open.pdf', '/x/y/z', '/x/1/yzz1', '/a']
  expect(forbidden.filter((path) => allows(url + path))).toEqual([])
  expect(allowed.filter((path) => !allows(url + path))).toEqual([])
})

describe('a robots.txt of 500 KiB is read and compared with 100 addresses quickly if it consists', () => {
  const half = 250 * 1024
  const lines = (line: (i: number) => string, bytes: number) => {
    let text = ''
    for (let i = 0; text.length < bytes; i++) text += `${line(i)}\n`
    return text
  }
  const texts = {
    'of names, then rules': lines((i) => `User-agent: bot${i}`, half) + lines((i) => `Disallow: /${i}`, half),
    'of one name again and again, then rules':
      lines(() => 'User-agent: *', half) + lines((i) => `Disallow: /${i}`, half),
    'of short rules': `User-agent: *\n${lines((i) => `Allow: *${i}`, 2 * half)}`,
    'of stars': `User-agent: *\nDisallow: /${'*a'.repeat(half)}`,
    'of rules of stars': `User-agent: *\n${lines(() => `Disallow: /${'*a'.repeat(100)}`, 2 * half)}`,
    'of addresses of sitemaps': lines(() => 'Sitemap: /a', 2 * half),
  }

  test.each(Object.entries(texts))('%s', async (_, text) => {
    const spent = await microsecondsPerByte(text, async () => {
      const { allows } = await robots(text)
      for (let i = 0; i < 100; i++) allows(`${url}/${'a'.repeat(200)}/${i}`)
    })
    expect(spent).toBeLessThan(maxMicrosecondsPerByte)
  })
})

test('a sitemap index gives the 2,000 addresses of its files, of which one is zipped', async () => {
  const { listing, stop } = await sites()
  const found = await readAll(instantClient(), `${listing.url}/sitemap.xml`)
  await stop()
  if (found.kind !== 'sitemap') throw new Error(found.reason)
  expect(found.addresses).toHaveLength(2_000)
  expect(found.addresses.at(-1)).toBe(`${listing.url}/article/1999`)
})

test('a sitemap gives canonical addresses of its host, each once, and none of pictures', async () => {
  const body = `<?xml version="1.0"?><s:urlset xmlns:s="x"><s:url><s:loc> ${url}/a?utm_source=m&amp;b=1#c
    </s:loc><image:image><image:loc>${url}/i.jpg</image:loc></image:image></s:url><url><loc><![CDATA[${url}/d&e]]></loc></url>
    <url><loc>${url}/d&#38;e</loc></url><url><loc>http://www.shop.example/w</loc></url><url><loc>https://other.example/</loc></url><url><loc>no</loc></url></s:urlset>`
  expect(await sitemap({ '/sitemap.xml': body })).toEqual({
    kind: 'sitemap',
    addresses: [`${url}/a?b=1`, `${url}/d&e`, 'https://www.shop.example/w'],
  })
  expect(await sitemap({ '/sitemap.xml': `${url}/a\r\n${url}/b\r\n` })).toMatchObject({
    addresses: [`${url}/a`, `${url}/b`],
  })
})

test('an index that lists itself ends, and a file that fails is left out', async () => {
  const entry = (path: string) => `<sitemap><loc>${url}${path}</loc></sitemap>`
  const index = (...paths: string[]) => `<sitemapindex>${paths.map(entry).join('')}</sitemapindex>`
  const pages: Record<string, Page> = {
    '/sitemap.xml': index('/sitemap.xml', '/gone.xml', '/i2.xml', '/ok.xml'),
    '/i2.xml': index('/i3.xml'),
    '/i3.xml': index('/i4.xml'),
    '/i4.xml': `<urlset><url><loc>${url}/too-deep</loc></url></urlset>`,
    '/ok.xml': `<urlset><url><loc>${url}/ok</loc></url></urlset>`,
  }
  expect(await sitemap(pages)).toEqual({ kind: 'sitemap', addresses: [`${url}/ok`] })
})

test('a file that robots.txt forbids is not requested', async () => {
  const pages: Record<string, Page> = {
    '/robots.txt': 'User-agent: *\nDisallow: /private',
    '/sitemap.xml': `<sitemapindex><sitemap><loc>${url}/private/1.xml</loc></sitemap><sitemap><loc>${url}/2.xml</loc></sitemap></sitemapindex>`,
    '/private/1.xml': `<urlset><url><loc>${url}/one</loc></url></urlset>`,
    '/2.xml': `<urlset><url><loc>${url}/two</loc></url></urlset>`,
  }
  expect(await sitemap(pages)).toEqual({ kind: 'sitemap', addresses: [`${url}/two`] })
  const moved = { status: 301, headers: { location: '/private/1.xml' } }
  expect(await sitemap({ ...pages, '/sitemap.xml': moved })).toMatchObject({ kind: 'failed' })
  expect(await sitemap({ ...pages, '/robots.txt': 'User-agent: *\nDisallow: /sitemap' })).toEqual({
    kind: 'failed',
    reason: 'The website’s robots.txt does not allow to read the sitemap.',
  })
})

test('a hostile sitemap costs neither memory nor time', async () => {
  const started = process.threadCpuUsage()
  const entities = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${'<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'.repeat(9)}]><urlset><url><loc>${url}/&b;</loc></url></urlset>`
  expect(await sitemap({ '/sitemap.xml': entities })).toEqual({ kind: 'sitemap', addresses: [`${url}/&b;`] })
  for (const body of [
    '<a>'.repeat(1_000_000),
    '<loc>'.repeat(1_000_000),
    `<loc>${' '.repeat(5_000_000)}`,
    '<loc><![CDATA['.repeat(100_000),
    `<urlset>${'<loc>&'.repeat(200_000)}`,
    '',
    '<urlset/>',
  ])
    expect(await sitemap({ '/sitemap.xml': body })).toMatchObject({ kind: 'failed' })
  const bomb = gzipSync(Buffer.alloc(51 * 1024 * 1024))
  expect(await sitemap({ '/sitemap.xml': { body: bomb } })).toMatchObject({ reason: expect.stringContaining('50 MiB') })
  const many = Array.from({ length: 50_100 }, (_, at) => `<loc>${url}/${at}</loc>`).join('')
  const { addresses } = { addresses: [], ...(await sitemap({ '/sitemap.xml': `<urlset>${many}` })) }
  expect(addresses).toHaveLength(50_000)
  const { user, system } = process.threadCpuUsage(started)
  expect((user + system) / 1_000).toBeLessThan(5_000)
})

test.each<[string, Page]>([
  [
    'an RSS feed',
    `<rss><channel><link>${url}/</link><item><title>Golf</title><link>${url}/golf</link></item></channel></rss>`,
  ],
  [
    'an Atom feed',
    `<feed><link rel="self" href="${url}/feed"/><entry><link rel="edit" href="${url}/e"/><link href="${url}/golf"/></entry></feed>`,
  ],
  ['in UTF-16', { body: Buffer.from(`\ufeff<urlset><url><loc>${url}/golf</loc></url></urlset>`, 'utf16le') }],
])('a sitemap may be %s', async (_, page) => {
  expect(await sitemap({ '/sitemap.xml': page })).toEqual({ kind: 'sitemap', addresses: [`${url}/golf`] })
})
