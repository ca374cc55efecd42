import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../infra/aws/bundles/bundle.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { executablePath, useChromium, watched } from '../support/chromium.ts'
import { useGateway } from '../support/gateway.ts'
import { useStand } from '../support/stand.ts'

const stand = useStand()
const briefly = 'public, max-age=300'
const reference = join(import.meta.dirname, '../../functions/reference')
const { paths } = JSON.parse(await readFile(join(reference, 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { operationId: string }>>
}
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => method !== 'head')
    .map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
)
const names = await readdir(join(reference, 'browser'))
const languages = { curl: 'curl', typescript: 'TypeScript', python: 'Python' }

const readPage = async () => String((await stand.http('GET', '/v1/docs')).body)
/** Where the page finds a file of its own version. */
async function addressOf(name: string): Promise<string> {
  const [version] = /(?<=docs\/page)-[0-9a-f]{12}(?=\.css")/.exec(await readPage()) ?? []
  return `/v1/docs/${name.replace('.', `${version}.`)}`
}

describe.each(['openapi.json', 'docs', ...names])('%s', (name) => {
  const isFile = names.includes(name)
  const path = async () => (isFile ? await addressOf(name) : `/v1/${name}`)

  test('needs no key, and 304 answers whoever has it', async () => {
    const { status, headers } = await stand.http('GET', await path())
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe(isFile ? 'public, max-age=31536000, immutable' : briefly)
    const again = await stand.http('GET', await path(), undefined, { 'if-none-match': `"x", W/${headers.etag}` })
    expect(again).toMatchObject({ status: 304, body: undefined, headers: { etag: headers.etag } })
    expect(await stand.http('GET', await path(), undefined, { 'if-none-match': '"x"' })).toMatchObject({ status: 200 })
  })

  test('is compressed for whoever takes gzip, under an entity tag of its own', async () => {
    const plain = await stand.http('GET', await path())
    const zipped = await stand.http('GET', await path(), undefined, { 'accept-encoding': 'gzip, br' })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(zipped.headers.etag).not.toBe(plain.headers.etag)
    expect(zipped.body).toEqual(plain.body)
  })
})

test.each(['page.js', 'page-0123456789ab.js'])(
  'of another version than it has it returns its own %s, to be kept briefly',
  async (name) => {
    const { status, headers } = await stand.http('GET', `/v1/docs/${name}`)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe(briefly)
  },
)

test('a module imports the others of its own version', async () => {
  const { body } = await stand.http('GET', await addressOf('page.js'))
  const imported = [...String(body).matchAll(/ from '\.\/([^']+)'/g)].map(([, name]) => `/v1/docs/${name}`)
  const addresses = await Promise.all(names.map(addressOf))
  expect(imported).toContain(await addressOf('values.js'))
  expect(imported.filter((address) => !addresses.includes(address))).toEqual([])
})

test.each(['page.ts', '__proto__', 'constructor', '..%2fapp.ts', 'page-.js'])('there is no file %s', async (name) => {
  const answer = await stand.http('GET', `/v1/docs/${name}`)
  expect(answer).toMatchObject({ status: 404, body: { code: 'route_not_found' } })
})

test('the deployed bundle has with it all that the page loads', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-'))
  await bundle('reference', directory)
  const { handler } = await import(join(directory, 'handler.mjs'))
  for (const url of ['/v1/openapi.json', '/v1/docs', ...(await Promise.all(names.map(addressOf)))]) {
    const event = toEvent({ method: 'GET', url }, ['$default'])!
    const response = await invoke(handler, event, { functionName: 'reference', timeoutSeconds: 29 })
    expect(response, url).toMatchObject({ statusCode: 200 })
    if (url === '/v1/docs') expect((response as { body: string }).body).toContain('id="quickstart"')
  }
  await rm(directory, { recursive: true })
})

describe('the page', () => {
  test('loads only its own files, and may send to this host alone', async () => {
    const { headers } = await stand.http('GET', '/v1/docs')
    const loaded = [...(await readPage()).matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(
      ([, url]) => url,
    )
    const addresses = await Promise.all(names.map(addressOf))
    expect(loaded.map((url) => (url === 'data:,' ? url : `/v1/${url}`)).toSorted()).toEqual(
      ['data:,', ...addresses].toSorted(),
    )
    expect(headers['content-security-policy']).toContain(`connect-src 'self'`)
    expect(headers['content-security-policy']).not.toContain('unsafe')
  })

  test('has every operation, with its errors and samples, without a script', async () => {
    const page = await readPage()
    for (const { operationId, method, path } of operations) {
      const section = page.slice(page.indexOf(`id="${operationId}"`)).split('</section>')[0]!
      for (const language of Object.keys(languages)) expect(section).toContain(`<pre data-language="${language}">`)
      expect(section, operationId).toContain(`<b class="method ${method}">`)
      if (path.includes('{agentId}')) expect(section).toContain('<code>missing_permission</code>')
    }
  })

  test('links to places that it has', async () => {
    const page = await readPage()
    const places = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
    expect(places.length).toBeGreaterThan(operations.length)
    expect(places.filter((id) => !page.includes(` id="${id}"`))).toEqual([])
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual([...new Set(ids)])
  })

  test('asks in its guides for operations that exist', async () => {
    const asked = callsOf((await readPage()).split('id="conventions"')[0]!)
    expect(asked.length).toBeGreaterThan(2)
    for (const { method, path } of asked) {
      const templates = operations.filter((operation) => operation.method === method).map((operation) => operation.path)
      expect(templates).toContain(path.replace('$AGENT_ID', '{agentId}').replace('$DOCUMENT_ID', '{documentId}'))
    }
  })
})

function callsOf(html: string): { method: string; path: string }[] {
  return [...html.matchAll(/data-call="([^"]+)"/g)].map(([, call]) => JSON.parse(call!.replaceAll('&quot;', '"')))
}

describe.runIf(executablePath)('the page in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const gateway = useGateway(stand)
  const chromium = useChromium()
  /** Shared: what a reader enters ends with the tab. */
  let context: BrowserContext
  beforeAll(async () => {
    context = await chromium.newContext()
  })

  /** The page at a width, and what went wrong in it. */
  async function open(width: number) {
    const page = await context.newPage()
    await page.setViewportSize({ width, height: 844 })
    const wrong = watched(page, gateway.origin)
    await page.goto(`${gateway.origin}/v1/docs`)
    await page.locator('button[data-language=curl][aria-pressed=true]').first().waitFor()
    return { page, wrong }
  }

  async function enterValues(page: Page, { apiKey, agentId }: { apiKey: string; agentId: string }) {
    await page.getByRole('button', { name: 'Set key and agent' }).click()
    await page.getByLabel('API key').fill(apiKey)
    await page.getByLabel('Agent id').fill(agentId)
    await page.getByRole('button', { name: 'Done' }).click()
  }

  async function send(panel: ReturnType<Page['locator']>, status: number) {
    await panel.getByRole('button', { name: 'Send' }).click()
    await panel
      .locator('.answer .status')
      .filter({ hasText: `${status}` })
      .waitFor()
    return await panel.locator('.answer').innerText()
  }

  const widthOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth')

  test.each([390, 1280])(
    'shows every operation at a width of %i in light and dark, and loads nothing from elsewhere',
    async (width) => {
      const { page, wrong } = await open(width)
      for (const colorScheme of ['light', 'dark'] as const)
        for (const isOpen of [false, true]) {
          await page.emulateMedia({ colorScheme })
          await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = ${isOpen}`)
          for (const { operationId } of operations)
            expect(await page.locator(`section#${operationId}`).isVisible(), operationId).toBe(true)
          expect(await widthOf(page)).toBe(width)
        }
      expect(wrong).toEqual([])
      await page.close()
    },
  )

  test('keeps its errors folded, and an operation shorter than three screens', async () => {
    const { page } = await open(1280)
    expect(await page.locator('.errors').filter({ visible: true }).count()).toBe(0)
    for (const { operationId } of operations)
      expect((await page.locator(`section#${operationId}`).boundingBox())!.height, operationId).toBeLessThan(3 * 844)
    await page.close()
  })

  test('leads through the quickstart to an answer', async () => {
    const tenant = await stand.tenant()
    const { page, wrong } = await open(390)
    await enterValues(page, tenant)
    const [create, read, search] = await page.locator('#quickstart form.call').all()
    await send(create!, 201)
    await stand.deliver()
    expect(await send(read!, 200)).toContain('"completed"')
    expect(await send(search!, 200)).toContain('4711')
    expect(await widthOf(page)).toBe(390)
    expect(wrong).toEqual([])
    await page.close()
  })

  test('shows in every language a request with the reader’s key, agent and changes, and sends it', async () => {
    const tenant = await stand.tenant()
    const { page, wrong } = await open(1280)
    await enterValues(page, tenant)
    const panel = page.locator('#createDocument form.call')
    await panel.getByText('Change the request').click()
    await panel.getByLabel('Idempotency-Key').fill('once')
    await panel.getByLabel('Body').fill('{"title": "Holidays"}')
    for (const [language, title] of Object.entries(languages)) {
      await panel.getByRole('button', { name: title }).click()
      const sample = await panel.locator(`pre[data-language=${language}]`).innerText()
      for (const part of [gateway.origin, tenant.apiKey, tenant.agentId, 'once', 'Holidays'])
        expect(sample).toContain(part)
    }
    await send(panel, 201)
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toMatchObject([{ title: 'Holidays' }])
    expect(wrong).toEqual([])
    await page.close()
  })

  test('shows the problem of a request that fails', async () => {
    const { page } = await open(1280)
    await enterValues(page, { ...(await stand.tenant()), apiKey: 'cue_unknown' })
    expect(await send(page.locator('#listDocuments form.call'), 401)).toContain('invalid_api_key')
    await page.close()
  })

  test('deletes only after a confirmation', async () => {
    const tenant = await stand.tenant()
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Stays' })
    const { page } = await open(1280)
    await enterValues(page, tenant)
    const panel = page.locator('#deleteDocument form.call')
    await panel.getByText('Change the request').click()
    await panel.getByLabel('DOCUMENT_ID').fill(body.id)
    page.once('dialog', (dialog) => dialog.dismiss())
    await panel.getByRole('button', { name: 'Send' }).click()
    expect((await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).status).toBe(200)
    page.once('dialog', (dialog) => dialog.accept())
    await send(panel, 204)
    expect((await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).status).toBe(404)
    await page.close()
  })

  test('asks for the key when a request that needs one is sent without', async () => {
    const { page } = await open(390)
    await page.locator('#listDocuments form.call').getByRole('button', { name: 'Send' }).click()
    await page.getByRole('dialog', { name: 'Your key and agent' }).waitFor()
    await page.close()
  })

  test('keeps key and agent through a reload, not in another tab, and forgets them when told', async () => {
    const tenant = await stand.tenant()
    const { page } = await open(390)
    const sample = (of: Page) => of.locator('#listDocuments pre[data-language=curl]').innerText()
    await enterValues(page, tenant)
    await page.reload()
    expect(await sample(page)).toContain(tenant.apiKey)
    expect(await sample(page)).toContain(tenant.agentId)
    expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0)

    const other = await open(390)
    expect(await sample(other.page)).not.toContain(tenant.apiKey)

    await page.getByRole('button', { name: 'Forget' }).click()
    expect(await sample(page)).toContain('$API_KEY')
    await page.reload()
    expect(await sample(page)).toContain('$AGENT_ID')
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(tenant.apiKey)
    await page.close()
    await other.page.close()
  })

  test('is used with the keyboard alone', async () => {
    const { page } = await open(390)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')

    await page.keyboard.press('/')
    await page.keyboard.type('missing embeddings')
    await page.getByRole('dialog').getByRole('link', { name: 'Update a document' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('dialog[open]').count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('prefetch')
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#prefetchSearch')

    await page.getByRole('button', { name: 'Menu' }).press('Enter')
    expect(await page.evaluate('document.activeElement.hash')).toBe('#quickstart')
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.id')).toBe('menu')
    expect(await page.locator('#contents').isVisible()).toBe(false)
    await page.close()
  })

  test('can be read without scripts', async () => {
    const context = await chromium.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(`${gateway.origin}/v1/docs`)
    expect(await page.locator('noscript p').isVisible()).toBe(true)
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Create a document' }).isVisible()).toBe(true)
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0)
    await context.close()
  })
})
