import { describe, expect, test } from 'vitest'
import { fetchPage } from '../../../functions/crawler/site/page.ts'
import { type Page, requestTo, Site } from '../sites/site.ts'
import { instantClient } from './instant-client.ts'

const url = 'http://127.0.0.1:1'
const fetched = (pages: Record<string, Page>, path = '/') =>
  fetchPage(instantClient(requestTo(Object.assign(new Site(pages), { url }))), url + path)
const one = (page: Page) => fetched({ '/': page })
const textOf = async (body: string) => ({ text: '', ...(await one(`<h1>Rooms</h1>${body}`)) }).text

describe('what a reader sees is read, wherever the page keeps it', () => {
  const ld = (data: object) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`
  const hours = {
    '@type': 'OpeningHoursSpecification',
    dayOfWeek: ['https://schema.org/Saturday', 'Sunday'],
    opens: '09:30:00',
    closes: '19:15',
  }
  test.each([
    [ld({ openingHoursSpecification: [hours] }), 'Saturday, Sunday: 09:30 to 19:15'],
    [ld({ '@graph': [{ openingHours: ['Mo-Fr 08:00-16:30'] }] }), 'Opening hours: Mo-Fr 08:00-16:30'],
    [ld({ telephone: '+49 555 20 30 77' }), 'Telephone: +49 555 20 30 77'],
    [ld({ name: 'Rowing boat', offers: { price: '13.50', priceCurrency: 'EUR' } }), 'Rowing boat: 13.50 EUR'],
    [ld({ makesOffer: [{ name: 'Canoe', lowPrice: 9, highPrice: 20, priceCurrency: 'EUR' }] }), 'Canoe: 9 to 20 EUR'],
    [
      '<p><a href="/cdn-cgi/l/email-protection" data-cfemail="422c2d2f02276c2632">[email protected]</a></p>',
      'nom@e.dp',
    ],
    ['<p><ruby>営業<rp>(</rp><rt>えいぎょう</rt><rp>)</rp></ruby>時間</p>', '営業時間'],
    [
      '<x-p><template shadowrootmode="open"><p>17 euros</p><slot></slot></template><p>Dogs 3</p></x-p>',
      '17 euros\n\nDogs 3',
    ],
    ['<x-p><template shadowrootmode="closed"><slot name="a">none</slot> left</template></x-p>', 'none left'],
    ['<table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td><i aria-label="yes"></i></td></tr></table>', '| x | yes |'],
    ['<table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td><img alt="no"></td></tr></table>', '| x | no |'],
    [
      '<table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td><svg><title>yes</title></svg></td></tr></table>',
      '| x | yes |',
    ],
    ['<p><img alt="Open Tuesday to Sunday, 10 am to 4:30 pm"></p>', 'Open Tuesday to Sunday, 10 am to 4:30 pm'],
    [
      '<div>Mug <meta itemprop="price" content="18.40"><meta itemprop="priceCurrency" content="EUR"></div>',
      'Mug 18.40 EUR',
    ],
    ['<label>Minimum <input readonly value="4 pieces"></label>', 'Minimum 4 pieces'],
    ['<textarea readonly>Classes enter free.</textarea>', 'Classes enter free.'],
    ['<noscript><p>Tours start at 11:20.</p></noscript>', 'Tours start at 11:20.'],
    ['<main><h1>Lift</h1><dialog><p>The lift is north.</p></dialog></main>', 'The lift is north.'],
    ['<iframe srcdoc="&lt;p&gt;Lockers cost one euro.&lt;/p&gt;"></iframe>', 'Lockers cost one euro.'],
    ['<p>The chil\u200bdren\u2060s pool, \u202btel.\u202c 555\u20117712</p>', 'The childrens pool, tel. 555-7712'],
  ])('%s', async (body, text) => {
    expect(await textOf(body)).toContain(text)
  })

  test.each([
    ['<p>Tandem <del>€49</del> <ins>€39</ins></p>', 'Tandem €39'],
    ['<p>Cargo bike <s>€65</s> €52</p>', 'Cargo bike €52'],
    ['<p>Seat <span style="color:red; text-decoration: line-through red">€9</span> €6</p>', 'Seat €6'],
    ['<ul><li>Helmet <strike>€5</strike> €3</li></ul>', '- Helmet €3'],
    [
      `<p>Call 0555 / 203077 for a boat at 13,50 €.</p>${ld({ telephone: '0555 203077', price: '13.50' })}`,
      'Call 0555 / 203077 for a boat at 13,50 €.',
    ],
    ['<p>Mug €18.40 <meta itemprop="price" content="18.40"></p>', 'Mug €18.40'],
    [
      `<p>${'Hi. '.repeat(60)}</p><noscript>Please enable JavaScript.</noscript><input value="Your name"><textarea>Ask us</textarea>`,
      'Hi. '.repeat(60).trim(),
    ],
    ['<p>Hi</p><template><p>Nobody sees this.</p></template><script type="application/ld+json">{oops</script>', 'Hi'],
  ])('and nothing else: %s', async (body, text) => {
    expect(await textOf(body)).toBe(`# Rooms\n\n${text}`)
  })

  test('children of an element stand in one slot only, so that nested ones don’t multiply', async () => {
    const twoSlots = '<x-p><template shadowrootmode="open"><slot></slot><slot></slot></template>'
    expect(await textOf(`${twoSlots.repeat(20)}<p>17 euros</p>${'</x-p>'.repeat(20)}`)).toBe('# Rooms\n\n17 euros')
  })

  test('links of a proxy that hides addresses of mail are no pages', async () => {
    const page = await one('<h1>A</h1><a href="/cdn-cgi/l/email-protection#5a">x</a><a href="/b">b</a>')
    expect(page).toMatchObject({ links: [`${url}/b`] })
  })
})

const text = '<h1>Archery</h1><p>A trial lesson costs 23 euros.</p>'
test.each<[string, Record<string, string>, 'page' | 'left_out']>([
  ['<meta name="robots" content="index, max-image-preview:none, max-snippet:-1">', {}, 'page'],
  ['', { 'x-robots-tag': 'otherbot: noindex, nofollow' }, 'page'],
  ['', { 'x-robots-tag': 'unavailable_after: 25 Jun 2030 15:00:00 PST, max-video-preview: 0' }, 'page'],
  ['', { 'x-robots-tag': 'otherbot: noindex, cuecard: noindex' }, 'left_out'],
  ['<meta name="robots" content="NONE">', {}, 'left_out'],
  ['<meta name="googlebot" content="noindex">', {}, 'page'],
  ['<meta name="robots" content="max-snippet:0,noindex">', {}, 'left_out'],
])('rules for crawlers are read one by one: %s %o', async (head, headers, kind) => {
  expect(await one({ headers, body: head + text })).toMatchObject({ kind })
})

describe('a page of a business is no notice', () => {
  test.each([
    '<title>Wartung</title><h1>Wartung</h1><p>Die Wartung Ihrer Gasheizung kostet 129 Euro.</p>',
    '<title>Maintenance</title><h1>Maintenance</h1><p>We look after boilers of every make. Ask for a date.</p>',
    '<title>Security check</title><h1>Security check</h1><p>We inspect the locks of your home and tell you what to change.</p>',
    '<h1>Are you over 18? Then taste with us</h1><p>The tasting starts at 19:30 and costs 42 euros.</p>',
    '<h1>Pool</h1><p>The site is under construction until 4 June. Use the pool at the lake.</p>',
    '<h1>Orders</h1><p>If a product is not available, we order it for you.</p>',
    '<h1>Scheduled maintenance</h1><p>We service lifts on weekdays, 8 am to 4 pm.</p>',
    '<h1>Lieferung</h1><p>Falls ein Artikel nicht gefunden wird, bestellen wir ihn.</p>',
  ])('%s', async (page) => {
    expect(await one(page)).toMatchObject({ kind: 'page' })
  })

  test.each([
    '<title>Maintenance</title><h1>Maintenance</h1><p>Our website is being updated.</p>',
    '<title>Wartung</title><h1>Wartung</h1><p>Wir sind bald zurück. Die Seite ist nicht erreichbar.</p>',
    '<h1>Security check</h1><p>Please wait while we check your browser.</p>',
    '<h1>Are you over 18?</h1><p>Yes</p><p>No</p>',
    '<h1>Coming soon</h1><p>Stay tuned.</p>',
    '<h1>This website is under construction</h1>',
  ])('but a notice is left out: %s', async (page) => {
    expect(await one(page)).toMatchObject({ kind: 'left_out' })
  })
})

describe('a page that sends its readers on', () => {
  const refresh = (to: string, seconds = '0') =>
    `<title>Welcome</title><meta http-equiv="refresh" content="${seconds}; url=${to}">`
  test('has no document, and its target is read', async () => {
    expect(await fetched({ '/': refresh('/prices'), '/prices': text })).toMatchObject({
      kind: 'page',
      address: `${url}/prices`,
    })
    expect(await fetched({ '/': `${refresh('/prices', '60')}${text}`, '/prices': 'x' })).toMatchObject({
      address: `${url}/`,
    })
    expect(await fetched({ '/': refresh('/a'), '/a': refresh('/') })).toMatchObject({ kind: 'left_out' })
  })

  test('with a session in the address is one page, whatever the session', async () => {
    let sessions = 0
    const pages: Record<string, Page> = {
      '/session': () => ({ status: 302, headers: { location: `/session?sid=${sessions++}` } }),
      '/old': { status: 301, headers: { location: '/new?from=old' } },
      '/new?from=old': text,
    }
    for (const session of [0, 1, 2, 3]) pages[`/session?sid=${session}`] = text
    for (let look = 0; look < 2; look++)
      expect(await fetched(pages, '/session')).toMatchObject({ kind: 'page', address: `${url}/session` })
    expect(await fetched(pages, '/old')).toMatchObject({ address: `${url}/new?from=old` })
  })
})
