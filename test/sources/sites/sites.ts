import { gzipSync } from 'node:zlib'
import { blogShopPage, builderPage, officePage, restaurantPage, shopPage } from './makes.ts'
import { type Page, Site } from './site.ts'

const html = (title: string, body: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>${body}`
const prices = ['Rope, 10 m', 'Lantern', 'Oilskin coat', 'Anchor, 5 kg', 'Deck shoes', 'Brass bell']

function shop(): Site {
  const links = prices.map((name, at): [string, string] => [`/products/${at + 1}`, name])
  const pages: Record<string, Page> = {
    '/robots.txt': {
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /cart\nDisallow: /policies\nSitemap: {{url}}/sitemap.xml',
    },
    '/': shopPage({ title: 'Everything for the boat', body: '<p>We sell to sailors since 1962.</p>', links }, '/'),
    '/about': shopPage(
      { title: 'About us', body: '<p>Harbour Street 4, Whitby. Open Monday to Saturday, 9:00 to 17:30.</p>' },
      '/about',
    ),
    '/contact': shopPage({ title: 'Contact', body: '<p>Call 01947 555 0143, or come by.</p>' }, '/contact'),
    '/sitemap.xml': sitemapOf(['/', '/about', '/contact', ...links.map(([path]) => path)]),
  }
  for (const [at, name] of prices.entries()) {
    const path = `/products/${at + 1}`
    pages[path] = shopPage(
      {
        title: name,
        body: `<p class="price">£${(at + 1) * 12}.50</p><p>In stock. ${name} leaves us the same day.</p>`,
      },
      path,
    )
    pages[`${path}?variant=2`] = pages[path]
  }
  return new Site(pages)
}

function blogShop(): Site {
  const plants = ['Fern', 'Ivy', 'Monstera', 'Olive tree']
  const links = plants.map((name): [string, string] => [`/product/${name.toLowerCase().replace(' ', '-')}/`, name])
  return new Site({
    '/': blogShopPage({ title: 'Plants', body: '<p>Plants for rooms with little light.</p>', links }),
    ...Object.fromEntries(
      links.map(([path, name], at) => [
        path,
        blogShopPage({
          title: name,
          body: `<p class="price"><bdi>£${at + 9}.00</bdi></p><p>${name}, in a pot of 12 cm.</p>`,
        }),
      ]),
    ),
    '/about': { status: 301, headers: { location: '/about/' } },
    '/about/': blogShopPage({ title: 'About us', body: '<p>Two sisters and a greenhouse in Hackney.</p>' }),
    '/contact': { status: 302, headers: { location: 'http://127.0.0.2:9/contact' } },
    '/tag/gift': `<meta name="robots" content="noindex, follow">${html('Gifts', '<a href="/product/fern/">Fern</a>')}`,
    '/tag/new': { headers: { 'x-robots-tag': 'noindex' }, body: html('New', '<p>New plants</p>') },
  })
}

function restaurant(): Site {
  return new Site({
    '/': restaurantPage({
      title: 'Trattoria Lina',
      body: '<p>Pizza and pasta by the canal.</p><p><a href="/files/menu.pdf">Menu as PDF</a> <a href="/photo">Our terrace</a></p>',
    }),
    '/menu': restaurantPage({
      title: 'Menu',
      body: '<table><tr><th>Dish</th><th>Price</th></tr><tr><td>Margherita</td><td>£9.50</td></tr><tr><td>Carbonara</td><td>£12.00</td></tr></table>',
    }),
    '/hours': restaurantPage({
      title: 'Opening hours',
      body: '<p>Tuesday to Sunday, 12:00 to 22:00.</p><p>Closed on 24 December 2026.</p>',
    }),
    '/photo': { headers: { 'content-type': 'text/html' }, body: Buffer.from('89504e470d0a1a0a0000000d', 'hex') },
  })
}

function office(): Site {
  return new Site({
    '/': officePage({
      title: 'Willkommen',
      body: '<p>Hausarztpraxis in der Altstadt.</p>',
      links: [['/leistungen', 'Leistungen']],
    }),
    '/sprechzeiten': officePage({ title: 'Sprechzeiten', body: '<p>Montag bis Freitag 8 bis 12 Uhr.</p>' }),
    '/leistungen': officePage({ title: 'Leistungen', body: '<ul><li>Impfung</li><li>Ultraschall: 45 €</li></ul>' }),
    '/impressum': officePage({ title: 'Impressum', body: '<p>Marktplatz 3, 97070 Würzburg, Tel. 0931 5550</p>' }),
  })
}

function builder(): Site {
  return new Site({
    '/': builderPage({
      title: 'Bike repairs',
      body: '<p>We mend bikes while you wait.</p>',
      links: [
        ['/prices', 'Prices'],
        ['/app', 'Book'],
      ],
    }),
    '/prices': builderPage({ title: 'Prices', body: '<p>Puncture £12<br>Service £65</p>' }),
    '/app':
      '<!doctype html><title>Book</title><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/a.js"></script>',
  })
}

/** Answers everything with 200. */
function lying(): Site {
  const site = new Site({
    '/': html('Sweets', '<p>Fudge and toffee, made here.</p><a href="/fudge">Fudge</a> <a href="/old">Old</a>'),
    '/fudge': html('Fudge', '<p>Fudge costs £4 for 200 g.</p>'),
  })
  const missing = html('Page not found', '<p>Sorry, we looked everywhere.</p>')
  site.fault = (path) => (site.pages.has(path) || path === '/robots.txt' ? undefined : missing)
  return site
}

const loops = () =>
  new Site({
    '/': html('Loops', ['a', 'c', 'n1', 'far'].map((path) => `<a href="/${path}">${path}</a>`).join('')),
    '/a': { status: 302, headers: { location: '/b' } },
    '/b': { status: 302, headers: { location: '/a' } },
    '/c': { status: 301, headers: { location: '/c' } },
    ...Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`/n${at}`, { status: 302, headers: { location: `/n${at + 1}` } }]),
    ),
    '/n9': html('End', '<p>The end of the chain.</p>'),
    '/far': { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data' } },
  })

/** An index of two sitemaps, one of them zipped, with 1,000 pages each. */
function listing(): Site {
  const paths = Array.from({ length: 2_000 }, (_, at) => `/article/${at}`)
  const site = new Site({
    '/sitemap.xml': {
      headers: { 'content-type': 'application/xml' },
      body: `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>{{url}}/one.xml</loc></sitemap><sitemap><loc>{{url}}/two.xml.gz</loc></sitemap></sitemapindex>`,
    },
    '/one.xml': sitemapOf(paths.slice(0, 1_000)),
  })
  site.set('/two.xml.gz', () => ({
    headers: { 'content-type': 'application/gzip' },
    body: gzipSync((sitemapOf(paths.slice(1_000)).body as string).replaceAll('{{url}}', site.url)),
  }))
  for (const path of paths)
    site.set(path, () =>
      html(`Article ${path.slice(9)}`, `<p>Article number ${path.slice(9)} costs £${path.length}.</p>`),
    )
  return site
}

const words = '<title>Café</title><h1>Café Müller</h1><p>Törtchen für 3 €, täglich ab 8 Uhr.</p>'
const western = Buffer.from(words.replaceAll('€', '\x80'), 'latin1')

/** The same text in several encodings, declared by header, by the page, by a mark, wrongly or not at all. */
const charsets = () =>
  new Site({
    '/header': { headers: { 'content-type': 'text/html; charset=windows-1252' }, body: western },
    '/meta': {
      headers: { 'content-type': 'text/html' },
      body: Buffer.concat([Buffer.from('<meta charset="windows-1252">'), western]),
    },
    '/none': { headers: { 'content-type': 'text/html' }, body: western },
    '/mark': { headers: { 'content-type': 'text/html' }, body: Buffer.from(`\ufeff${words}`, 'utf16le') },
    '/wrong': { headers: { 'content-type': 'text/html; charset=iso-8859-1' }, body: Buffer.from(words) },
    '/unknown': { headers: { 'content-type': 'text/html; charset=x-nonsense' }, body: western },
    '/plain': {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'Café Müller\n\nTörtchen für 3 €, täglich ab 8 Uhr.',
    },
  })

const forbidden = () =>
  new Site({
    '/robots.txt': {
      headers: { 'content-type': 'text/plain' },
      body: '\ufeffUser-agent: Cuecard\nDisallow: /private/\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /',
    },
    '/': html('Club', '<p>Members only, mostly.</p><a href="/private/list">List</a>'),
    '/private/list': html('List', '<p>Names and numbers.</p>'),
  })

const huge = () =>
  new Site({
    '/': html('Archive', '<p>All of it on one page.</p><a href="/all">All</a>'),
    '/all': html('All', '<p>entry</p>'.repeat(500_000)),
    '/deep': `<h1>Deep</h1>${'<div>'.repeat(50_000)}x`,
  })

/** Shows its pages only to visitors who accept a cookie. */
function cookieWall(): Site {
  const site = new Site({ '/': html('Spa', '<p>Massages from £40.</p>') })
  site.fault = (path) =>
    path === '/robots.txt'
      ? undefined
      : html('Spa', '<h2>We use cookies</h2><p>Accept or leave.</p><button>Accept all</button>')
  return site
}

function sitemapOf(paths: string[]) {
  const urls = paths.map((path) => `<url><loc>{{url}}${path}</loc><lastmod>2026-01-01</lastmod></url>`)
  const body = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`
  return { headers: { 'content-type': 'application/xml' }, body }
}

const makers = {
  shop,
  blogShop,
  restaurant,
  office,
  builder,
  lying,
  loops,
  listing,
  charsets,
  forbidden,
  huge,
  cookieWall,
}

export type Sites = Record<keyof typeof makers, Site> & { stop(): Promise<void> }

/** Starts all websites on loopback, each on a port of its own; `url` is their address, without a slash at the end. */
export async function sites(): Promise<Sites> {
  const made = Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make()]))
  const stops = await Promise.all(Object.values(made).map((site) => site.start()))
  const stop = async () => void (await Promise.all(stops.map((each) => each())))
  return { ...(made as Record<keyof typeof makers, Site>), stop }
}
