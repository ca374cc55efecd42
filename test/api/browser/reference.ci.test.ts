import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useGateway } from '../../support/stand/gateway.ts'
import { useStand } from '../../support/stand/stand.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath, useChromium, watched } from '../../support/tools/chromium.ts'
import { isThorough } from '../../support/tools/effort.ts'

const stand = useStand()
const openapi = join(import.meta.dirname, '../../../functions/reference/openapi.json')
const { paths } = JSON.parse(readFileSync(openapi, 'utf8')) as {
  paths: Record<string, Record<string, { operationId: string }>>
}
const operations = Object.values(paths).flatMap(({ head: _, ...methods }) => Object.values(methods))
/** Runs in the browser: the operations that the page does not show. */
const hidden = `${JSON.stringify(operations.map(({ operationId }) => operationId))}
  .filter((id) => !document.querySelector('section#' + id)?.checkVisibility())`
/** Each takes half a minute. */
const barredAt = isThorough ? [390, 1280] : [390]
const languages = ['curl', 'TypeScript', 'Python']

describe.runIf(executablePath)('the reference in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const gateway = useGateway(stand)
  const chromium = useChromium()
  /** All tests share it, because a reader's values end with the tab. */
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
          expect(await page.evaluate(hidden)).toEqual([])
          expect(await widthOf(page)).toBe(width)
        }
      expect(wrong).toEqual([])
      await page.close()
    },
  )

  test.each(barredAt)('is accessible at a width of %i, in light and in dark', { timeout: 240_000 }, async (width) => {
    const { page } = await open(width)
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`)
    const panel = page.locator('#getOpenApi form.call')
    expect((await send(panel, 200)).length).toBeGreaterThan(100_000)
    expect(await axeFindings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await axeFindings(page, { rules: ['color-contrast'] })).toEqual([])
    if (width === 390) {
      await page.getByRole('button', { name: 'Menu' }).click()
      expect(await axeFindings(page, { within: '#contents' })).toEqual([])
    }
    await page.getByRole('button', { name: 'Set key and agent' }).click()
    expect(await axeFindings(page, { within: '#values' })).toEqual([])
    await page.close()
  })

  test('leads a reader through the quickstart to an answer', async () => {
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
    for (const title of languages) {
      await panel.getByRole('button', { name: title }).click()
      const sample = await panel.locator(`pre[data-language=${title.toLowerCase()}]`).innerText()
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

  test('keeps key and agent through a reload but not in another tab, and forgets them on request', async () => {
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

  test('can be used with only the keyboard', async () => {
    const { page } = await open(390)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')

    const menu = page.getByRole('button', { name: 'Menu' })
    await menu.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.hash')).toBe('#quickstart')
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.id')).toBe('menu')
    expect(await page.locator('#contents').isVisible()).toBe(false)

    await menu.press('Enter')
    await page.getByRole('link', { name: 'Prepare a search POST' }).press('Enter')
    expect(new URL(page.url()).hash).toBe('#prefetchSearch')
    expect(await page.locator('#contents').isVisible()).toBe(false)
    await page.close()
  })

  test('can be read without scripts', async () => {
    const context = await chromium.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(`${gateway.origin}/v1/docs`)
    expect(await page.locator('noscript p').isVisible()).toBe(true)
    expect(await page.getByRole('button').filter({ visible: true }).allInnerTexts()).toEqual(['Menu'])
    await page.getByRole('button', { name: 'Menu' }).click()
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Create a document POST' }).isVisible()).toBe(
      true,
    )
    await context.close()
  })
})
