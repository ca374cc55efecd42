import type { Random } from '../../simulation/random.ts'
import { type Answer, Site } from '../sites/site.ts'

const url = 'https://shop.example'
const minPages = 8
const html = (title: string, body: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`

/** A website that its owner edits, and that breaks as real ones do. */
export class SimulatedSite {
  readonly site = new Site({})
  /** The existing pages, each with the version of its text. */
  readonly pages = new Map<string, number>()
  readonly #random: Random
  readonly #unlinked = new Set<string>()
  readonly #moved = new Map<string, string>()
  /** The number of pages removed or moved since all pages last answered. */
  #removed = 0
  #next = 0
  #faultUntil = 0

  constructor(random: Random) {
    this.#random = random
    this.site.url = url
    this.pages.set('/', 1)
    for (let count = random.below(14) + minPages; count > 0; count--) this.#add()
    this.#publish()
  }

  #add(): string {
    const path = `/page-${++this.#next}`
    this.pages.set(path, 1)
    return path
  }

  /** Imitates the owner's work between two crawls. */
  work(): void {
    const random = this.#random
    const path = random.pick([...this.pages.keys()].slice(1))
    if (random.chance(0.3)) this.pages.set(path, this.pages.get(path)! + 1)
    if (random.chance(0.1)) this.#add()
    if (random.chance(0.05)) this.#unlinked.add(path)
    const mayRemove = this.pages.size > minPages && this.#removed + 1 <= this.pages.size / 4
    if (mayRemove && random.chance(0.2)) {
      this.#removed++
      this.pages.delete(path)
      if (random.chance(0.3)) this.#moved.set(path, this.#add())
    }
    this.#publish()
  }

  /** A crawl without a fault has noticed the removals, so the owner may remove more. */
  settle(): void {
    this.#removed = 0
  }

  get hasFault(): boolean {
    return this.site.fault !== undefined
  }

  /** Breaks the site at an hour. Faults of the whole site last up to ten days, those of pages less than a day. */
  breakDown(hour: number): void {
    const random = this.#random
    if (hour < this.#faultUntil) return
    this.site.fault = undefined
    if (!random.chance(0.4)) return
    const isPartial = random.chance(0.4)
    this.#faultUntil = hour + (isPartial ? random.below(23) + 0.5 : random.below(240))
    const kind = isPartial ? partial(random) : whole(random, [...this.pages.keys()])
    this.site.fault = (path) => kind(path)
  }

  /** Ends all faults, and links every page. */
  heal(): void {
    this.site.fault = undefined
    this.#unlinked.clear()
    this.#publish()
  }

  /** The text of a page, to which some pages add a count or token that differs at each request. */
  textOf(path: string): string {
    return `Page ${path} costs £${this.pages.get(path)! + 3}.20 since version ${this.pages.get(path)}.`
  }

  #publish(): void {
    const { pages } = this.site
    pages.clear()
    let requests = 0
    const links = [...this.pages.keys()]
      .filter((path) => !this.#unlinked.has(path))
      .map((path) => `<a href="${path}">More</a>`)
    for (const path of this.pages.keys()) {
      const more = path === '/' ? links.join(' ') : '<a href="/">Home</a>'
      const text = `<p>${this.textOf(path)}</p><p>We have been making what we sell by hand since 1962, and send it anywhere in the country.</p><p>${more}</p>`
      const isNoisy = path.endsWith('3')
      pages.set(path, () => html(`Title of ${path}`, isNoisy ? `${text}<p>Visitor ${++requests}</p>` : text))
    }
    for (const [from, to] of this.#moved)
      if (!pages.has(from)) pages.set(from, { status: 301, headers: { location: to } })
  }
}

type Fault = (path: string) => string | Answer | undefined
const isRobots = (path: string) => path === '/robots.txt'
const besides =
  (fault: Fault, ...not: string[]): Fault =>
  (path) =>
    isRobots(path) || not.includes(path) ? undefined : fault(path)

function whole(random: Random, paths: string[]): Fault {
  const share = random.next() * 0.4 + 0.5
  const dropped = new Set(paths.slice(1).filter((_, at) => at < paths.length * share))
  const notice = html('We are getting better', '<p>Please come back later.</p>')
  const redirect = (status: number, location: string) => (path: string) =>
    path === location ? undefined : { status, headers: { location } }
  const faults: Fault[] = [
    ...[500, 404, 403, 410].map((status) => besides(() => ({ status }))),
    () => ({ isSilent: true }),
    besides(() => ({ status: 503, headers: { 'retry-after': '3600' } })),
    besides((path) => (dropped.has(path) ? { status: 404 } : undefined)),
    besides((path) => (dropped.has(path) ? notice : undefined)),
    besides(() => notice),
    besides(() => notice, '/'),
    besides(() => html('Page not found', '<p>Sorry.</p>'), '/'),
    besides((path) => html('Nothing here', `<p>We have no ${path}.</p>`), '/'),
    besides(() => html('shop.example', '<p>This domain is for sale. <a href="/buy">Buy it</a></p>')),
    besides(() =>
      html('Flights and hotels', '<p>Compare offers. <a href="/flights">Flights</a> <a href="/hotels">Hotels</a></p>'),
    ),
    besides(() => '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>'),
    besides(() => html('Your privacy', '<h2>We use cookies</h2><button>Accept</button>')),
    besides(() => html('Welcome', '<form><input type="password"></form>')),
    ...[301, 302].flatMap((status) => [
      besides(redirect(status, '/'), '/'),
      besides(redirect(status, '/soon')),
      besides(redirect(status, 'https://other.example/')),
    ]),
    (path) => (isRobots(path) ? 'User-agent: *\nDisallow: /' : undefined),
    (path) => (isRobots(path) ? { status: 500 } : undefined),
    (path) =>
      path === '/' ? html('Welcome', '<p>What we make costs £9, and the links are in a script now.</p>') : undefined,
    besides(() => (random.chance(0.4) ? { status: 502 } : undefined)),
  ]
  return random.pick(faults)
}

/** A fault of at most a quarter of the pages. */
function partial(random: Random): Fault {
  const isHit = (path: string) => path !== '/' && Number(path.slice(6)) % 4 === digit
  const digit = random.below(4)
  const faults: Fault[] = [
    ...[
      ...[404, 410, 500, 403].map((status) => ({ status })),
      html('Page not found', '<p>Sorry.</p>'),
      html('Oops', '<p>Something went wrong.</p>'),
      { status: 302, headers: { location: '/' } },
      { isSilent: true },
    ].map((answer) => (path: string) => (isHit(path) ? answer : undefined)),
    besides(() => (random.chance(0.03) ? { status: 404 } : undefined)),
    besides(() => (random.chance(0.2) ? { status: 500 } : undefined)),
  ]
  return random.pick(faults)
}
