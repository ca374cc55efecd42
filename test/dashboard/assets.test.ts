import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { useDashboard } from './support.ts'

const { browser, signedIn } = useDashboard()

async function addresses(): Promise<string[]> {
  const { html } = await browser().get('/dashboard/sign-in')
  return [...new Set([...html.matchAll(/"(\/dashboard\/assets\/[^"]+)"/g)].map(([, address]) => address!))]
}

test('files are cached for a year under an address that changes with them', async () => {
  const found = await addresses()
  const names = found.map((address) => address.replace(/.*\/|-[0-9a-f]{12}/g, '')).toSorted()
  expect(names).toEqual(['dashboard.css', 'dashboard.js', 'htmx.js', 'icon.svg'])
  for (const address of found) {
    const { status, headers } = await browser().get(address)
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect(headers['x-content-type-options']).toBe('nosniff')
    const again = await browser().get(address, { 'if-none-match': headers.etag! })
    expect([again.status, again.html]).toEqual([304, ''])
  }
  const { html } = await browser().get(
    found.find((address) => address.includes('/dashboard-') && address.endsWith('.js'))!,
  )
  const [, imported] = /from ['"]\.\/([^'"]+)['"]/.exec(html)!
  expect(found, 'a module imports another by its address').toContain(`/dashboard/assets/${imported}`)
})

test('a page from before a deployment gets the current files, which are cached briefly', async () => {
  for (const name of ['dashboard.css', 'dashboard-0123456789ab.css', 'htmx-0123456789ab.js']) {
    const { status, headers } = await browser().get(`/dashboard/assets/${name}`)
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=300'])
  }
})

test.each(['nothing.js', '__proto__', '..%2fapp.ts', '%2e%2e/app.ts', 'vendored.ts', 'dashboard-.css'])(
  'there is no file %s',
  async (name) => {
    expect((await browser().get(`/dashboard/assets/${name}`)).status).toBeGreaterThanOrEqual(300)
  },
)

test('the first page and its files transfer less than 60 kB', async () => {
  const { browser: mine } = await signedIn()
  const gzip = { 'accept-encoding': 'gzip' }
  const pages = await Promise.all(['/dashboard', ...(await addresses())].map((path) => mine.get(path, gzip)))
  for (const { headers } of pages) expect(headers['content-encoding']).toBe('gzip')
  const bytes = pages.reduce((sum, { html }) => sum + gzipSync(html).length, 0)
  expect(bytes).toBeLessThan(60_000)
})
