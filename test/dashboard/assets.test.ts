import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundle } from '../../infra/aws/bundles/bundle.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { lambdas } from '../../infra/wiring.ts'
import { useDashboard } from './support.ts'

const { browser, signedIn } = useDashboard()

async function addresses(): Promise<string[]> {
  const { html } = await browser().get('/dashboard/sign-in')
  return [...new Set([...html.matchAll(/"(\/dashboard\/assets\/[^"]+)"/g)].map(([, address]) => address!))]
}

test('files are kept for good under an address that changes with them', async () => {
  const found = await addresses()
  expect(found.map((address) => address.replace(/.*\/|-[0-9a-f]{12}/g, '')).toSorted()).toEqual([
    'dashboard.css',
    'dashboard.js',
    'htmx.js',
    'icon.svg',
  ])
  for (const address of found) {
    const { status, headers } = await browser().get(address)
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect(headers['x-content-type-options']).toBe('nosniff')
    const again = await browser().get(address, { 'if-none-match': headers.etag! })
    expect([again.status, again.html]).toEqual([304, ''])
  }
})

test('a module imports the others by their addresses', async () => {
  const script = (await addresses()).find(
    (address) => address.includes('dashboard.js') || /dashboard-\w+\.js/.test(address),
  )!
  const { html } = await browser().get(script)
  const [, imported] = /from ['"]\.\/([^'"]+)['"]/.exec(html)!
  expect(await addresses()).toContain(`/dashboard/assets/${imported}`)
})

test('a page from before a deployment gets today’s files, to be kept briefly', async () => {
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

test('the first page and all that it loads have less than 60 kB on their way', async () => {
  const { browser: mine } = await signedIn()
  const gzip = { 'accept-encoding': 'gzip' }
  const pages = await Promise.all(['/dashboard', ...(await addresses())].map((path) => mine.get(path, gzip)))
  for (const { headers } of pages) expect(headers['content-encoding']).toBe('gzip')
  const bytes = pages.reduce((sum, { html }) => sum + gzipSync(html).length, 0)
  expect(bytes).toBeLessThan(60_000)
})

test('the deployed bundle has with it all that its pages load, under the same addresses', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-'))
  await bundle('dashboard', directory)
  const { handler } = await import(join(directory, 'handler.mjs'))
  for (const url of ['/dashboard/sign-in', ...(await addresses())]) {
    const response = await invoke(handler, toEvent({ method: 'GET', url }, lambdas.dashboard.routes)!, {
      functionName: 'dashboard',
      timeoutSeconds: 29,
    })
    expect(response, url).toMatchObject({ statusCode: 200 })
    if (url !== '/dashboard/sign-in')
      expect(response, url).toMatchObject({ headers: { 'cache-control': expect.stringContaining('immutable') } })
  }
  await rm(directory, { recursive: true })
})

test('every file of a screen is a module or a style of ours, or comes from a package', async () => {
  const folder = join(import.meta.dirname, '../../functions/dashboard/assets')
  for (const name of await readdir(folder)) expect(name).toMatch(/^[\w-]+\.(js|css|svg)$/)
})
