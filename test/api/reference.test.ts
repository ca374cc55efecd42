import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../infra/aws/bundles/bundle.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { documentedRoutes } from '../../infra/openapi/apps.ts'
import { useStand } from '../support/stand.ts'

const stand = useStand()
const files = [
  '/v1/openapi.json',
  '/v1/docs',
  '/v1/docs/page.js',
  '/v1/docs/page.css',
  '/v1/docs/swagger-ui.css',
  '/v1/docs/swagger-ui-bundle.js',
]

describe.each(files)('%s', (path) => {
  test('needs no key, and 304 answers whoever has it', async () => {
    const { status, headers } = await stand.http('GET', path)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=300')
    const again = await stand.http('GET', path, undefined, { 'if-none-match': `"x", W/${headers.etag}` })
    expect(again).toMatchObject({ status: 304, body: undefined, headers: { etag: headers.etag } })
    expect(await stand.http('GET', path, undefined, { 'if-none-match': '"x"' })).toMatchObject({ status: 200 })
  })

  test('is compressed for whoever takes gzip, under an entity tag of its own', async () => {
    const plain = await stand.http('GET', path)
    const zipped = await stand.http('GET', path, undefined, { 'accept-encoding': 'gzip, br' })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(zipped.headers.etag).not.toBe(plain.headers.etag)
    expect(zipped.body).toEqual(plain.body)
  })
})

test('the deployed bundle has with it all that the page loads', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-'))
  await bundle('reference', directory)
  const { handler } = await import(join(directory, 'handler.mjs'))
  for (const url of files) {
    const event = toEvent({ method: 'GET', url }, ['$default'])!
    expect(await invoke(handler, event, { functionName: 'reference', timeoutSeconds: 29 }), url).toMatchObject({
      statusCode: 200,
    })
  }
  await rm(directory, { recursive: true })
})

test('the page names no other host', async () => {
  const { body, headers } = await stand.http('GET', '/v1/docs')
  expect(body).not.toMatch(/(src|href)="(https?:)?\/\//)
  expect(headers['content-security-policy']).toContain(`connect-src 'self'`)
})

const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
)

describe.runIf(executablePath)('the page in a browser (needs chromium, or CHROMIUM with its path)', () => {
  let browser: Browser
  let gateway: Awaited<ReturnType<typeof startGateway>>
  beforeAll(async () => {
    gateway = await startGateway({ port: 0, routes: stand.functions.routes })
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  /** The page at a width, what it asked other hosts for, and what went wrong in it. */
  async function open(width: number) {
    const page = await browser.newPage({ viewport: { width, height: 844 } })
    const outside: string[] = []
    const errors: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(gateway.origin) && !request.url().startsWith('data:')) outside.push(request.url())
    })
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.goto(`${gateway.origin}/v1/docs`)
    await page.locator('#operations-Search-search').waitFor()
    return { page, outside, errors }
  }

  async function authorize(page: Page, key: string) {
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('.auth-container input').first().fill(key)
    await page.locator('.auth-btn-wrapper button[type=submit]').first().click()
    await page.locator('.btn-done').first().click()
  }

  test.each([390, 1280])('shows every operation at a width of %i and loads nothing from elsewhere', async (width) => {
    const { page, outside, errors } = await open(width)
    expect(await page.locator('.opblock').count()).toBe(documentedRoutes().length)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    for (const operation of ['Documents-listDocuments', 'Chunks-createChunks']) {
      await page.locator(`#operations-${operation} .opblock-summary-control`).click()
      await page.locator(`#operations-${operation} .responses-inner`).waitFor()
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect({ outside, errors }).toEqual({ outside: [], errors: [] })
    await page.close()
  })

  test('sends a call with the reader’s key', async () => {
    const tenant = await stand.tenant()
    const { page, outside, errors } = await open(390)
    await authorize(page, tenant.apiKey)
    const operation = page.locator('#operations-Documents-createDocument')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('tr[data-param-name=agentId] input').fill(tenant.agentId)
    await operation.getByRole('button', { name: 'Execute' }).click()
    await operation.locator('.live-responses-table .response-col_status').filter({ hasText: '201' }).waitFor()
    const { body } = await tenant.call('GET', tenant.knowledgeBase)
    expect(body.data).toMatchObject([{ title: 'Opening hours' }])
    expect({ outside, errors }).toEqual({ outside: [], errors: [] })
    await page.close()
  })
})
