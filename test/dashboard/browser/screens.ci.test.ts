import { sql } from 'kysely'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { webhookEvents } from '../../../shared/webhooks/events.ts'
import { storeQuestions } from '../../support/documents/asked-questions.ts'
import { storeKnown } from '../../support/documents/known-documents.ts'
import { makeWebhook } from '../../support/http/receiver.ts'
import { useGateway } from '../../support/stand/gateway.ts'
import type { Tenant } from '../../support/stand/stand.ts'
import { executablePath, useChromium, watched } from '../../support/tools/chromium.ts'
import { makeHeld, makeThings } from '../routes.ts'
import { openAll, shortcomings } from '../shortcomings.ts'
import { useDashboard } from '../support.ts'

const { stand } = useDashboard()

describe.runIf(executablePath)('in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const gateway = useGateway(stand)
  const chromium = useChromium()

  /** A page, and its faults: requests to other hosts, errors, violations of the policy. */
  async function open(options: BrowserContextOptions = {}) {
    const context = await chromium.newContext(options)
    const page = await context.newPage()
    return { page, wrong: watched(page, gateway.origin), context }
  }

  const go = (page: Page, path: string) => page.goto(`${gateway.origin}${path}`)

  async function signIn(page: Page, { apiKey }: Tenant) {
    await go(page, '/dashboard')
    await page.getByLabel('Access key').fill(apiKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
  }

  test.each([390, 1280])(
    'at a width of %i, every screen fits and is accessible, in light and in dark',
    { timeout: 400_000 },
    async (width) => {
      const tenant = await stand.tenant()
      const things = await makeThings(stand.db, tenant)
      const { keyId, agentId, documentId, goldenQuestionId, sourceId, webhookId } = things
      const row = `| ${'Price-per-week '.repeat(3)} | ${'Unbreakable'.repeat(4)} | ${'Wide'.repeat(12)} |`
      const content = `# Bikes of the bakery\n\n| Bike | Price | |\n|---|---|---|\n${`${row}\n`.repeat(9)}`
      const { body: table } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Bakery bikes', content })
      const [past, future] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
      await tenant.call('PATCH', `${tenant.knowledgeBase}/${table.id}`, { valid_until: future })
      await tenant.call('POST', tenant.knowledgeBase, { title: 'Offer', content: 'Half price.', valid_until: past })
      await storeKnown(stand, tenant)
      const hit = { revision: 1, chunk_index: 0, score: 0.5 }
      const hits = JSON.stringify([table.id, documentId].map((document_id) => ({ document_id, ...hit })))
      await storeQuestions(stand, tenant, { question: 'b'.repeat(120), call_id: 'c'.repeat(255), hits })
      const heldId = await makeHeld(stand.db, tenant, table.id)
      const error = `The connection failed (${'E'.repeat(90)})`
      await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, error = ${error}
      where organization_id = ${tenant.organizationId}`.execute(stand.db)
      const disabled = await makeWebhook(tenant, [...webhookEvents], `https://shop.example/${'events-'.repeat(40)}`)
      await tenant.call('PATCH', disabled.path, { status: 'disabled' })
      await sql`update documents set upload_until = now() - interval '61 seconds'
        where id = ${documentId}`.execute(stand.db)
      const { page, wrong } = await open({ viewport: { width, height: 844 } })
      await go(page, '/dashboard/sign-in')
      const widthOf = () => page.evaluate('document.documentElement.scrollWidth')
      expect(await widthOf()).toBe(width)
      expect(await shortcomings(page, width)).toEqual([])
      await signIn(page, tenant)
      for (const path of [
        ...['', `/agents/${agentId}/documents`, `/agents/${agentId}/ask`],
        `/agents/${agentId}/ask?q=is+the+bakery+open+${'a'.repeat(80)}`,
        `/agents/${agentId}/ask?q=price+of+bikes+unbreakable`,
        `/agents/${agentId}/documents?show=past`,
        ...['', '?show=all', '/clear'].map((part) => `/agents/${agentId}/questions${part}`),
        ...[
          `/agents/${agentId}/call?id=${'c'.repeat(255)}`,
          `/agents/${agentId}/documents/new`,
          `/agents/${agentId}/documents/closed`,
        ],
        ...['', '/new'].flatMap((part) => [
          `/agents/${agentId}/golden-questions${part}`,
          `/agents/${agentId}/sources${part}`,
        ]),
        ...['edit', 'delete'].map((part) => `/agents/${agentId}/golden-questions/${goldenQuestionId}/${part}`),
        ...['', '?show=left_out', '/edit', '/delete'].map((part) => `/agents/${agentId}/sources/${sourceId}${part}`),
        ...['', '/edit', '/history', '/history/1'].map((part) => `/agents/${agentId}/documents/${documentId}${part}`),
        ...['?passage=1', '/edit'].map((part) => `/agents/${agentId}/documents/${table.id}${part}`),
        ...'/calls /settings /settings/apps/new /settings/keys/new /agents/new'.split(' '),
        `/agents/${agentId}/edit`,
        `/agents/${agentId}/documents/${heldId}`,
        `/agents/${agentId}/trash`,
        `/settings/keys/${keyId}/revoke`,
        ...['new', webhookId, disabled.id].map((part) => `/settings/webhooks/${part}`),
      ]) {
        await go(page, `/dashboard${path}`)
        expect(await widthOf(), path).toBe(width)
        await page.evaluate(openAll)
        expect(await shortcomings(page, width), path).toEqual([])
      }
      await go(page, `/dashboard/settings/webhooks/${webhookId}`)
      await page.locator('summary', { hasText: 'New secret' }).click()
      await page.getByRole('button', { name: 'New secret' }).click()
      await page.locator('#secret').waitFor()
      expect(await shortcomings(page, width)).toEqual([])
      // The document's file never arrived, so the bucket has none to show.
      expect(wrong.filter((each) => !/prices\.pdf|ERR_FAILED/.test(each))).toEqual([])
      await page.context().close()
    },
  )

  test('a key is created, copied, and no longer shown', async () => {
    const tenant = await stand.tenant()
    const { page, wrong, context } = await open()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await signIn(page, tenant)
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('link', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('Vapi')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(copied).toBe(await page.locator('#key').innerText())
    await expect.poll(() => page.locator('#announcer').innerText()).toBe('Copied')
    await page.getByRole('link', { name: 'I’ve saved it' }).click()
    expect(await page.content()).not.toContain(copied)
    expect(wrong).toEqual([])
    await context.close()
  })

  test('without scripts a person signs in, restores a call and signs out', async () => {
    const tenant = await stand.tenant()
    await makeThings(stand.db, tenant)
    const { page, context } = await open({ javaScriptEnabled: false })
    await signIn(page, tenant)
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('link', { name: 'Deleted calls' }).click()
    await page.getByRole('button', { name: 'Restore the call with Agent' }).click()
    expect(await page.getByRole('status').innerText()).toBe('The call was restored.')
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await page.getByRole('status').innerText()).toBe('You’re signed out.')
    await context.close()
  })

  test('the keyboard alone is enough to sign in, and to skip to the content', async () => {
    const tenant = await stand.tenant()
    const { page, context } = await open()
    await go(page, '/dashboard/calls')
    // The browser gives the mail address the focus with its next frame. From there it moves past a button to the key.
    await page.locator(':focus').and(page.getByLabel('Mail address')).waitFor()
    for (let i = 0; i < 2; i++) await page.keyboard.press('Tab')
    await page.locator(':focus').and(page.getByLabel('Access key')).waitFor()
    await page.keyboard.type(tenant.apiKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Deleted calls', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await context.close()
  })

  test('a link on another site leads to the screen, not to the sign-in page', async () => {
    const tenant = await stand.tenant()
    const { page, context } = await open()
    await signIn(page, tenant)
    // Another name for the same host is another site.
    await page.goto(`${gateway.origin.replace('127.0.0.1', 'localhost')}/v1/docs`)
    await page.evaluate(`location.href = '${gateway.origin}/dashboard/settings'`)
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await context.close()
  })

  test('htmx shows an error in place, and runs no string as a script', async () => {
    const tenant = await stand.tenant()
    const { page, context } = await open()
    await signIn(page, tenant)
    await page.evaluate("htmx.ajax('GET', '/dashboard/nowhere', '#main')")
    await page.locator('#flash').getByText('This page doesn’t exist').waitFor()
    expect(await page.getByRole('heading', { name: 'Agents' }).isVisible()).toBe(true)

    await context.setOffline(true)
    await page.evaluate("htmx.ajax('GET', '/dashboard/calls', '#main')")
    await page.locator('#flash').getByText('Cuecard can’t be reached. Check your connection and try again.').waitFor()
    await context.setOffline(false)

    await expect(page.evaluate("document.body.innerHTML = '<b>x</b>'")).rejects.toThrow(/TrustedHTML/)
    await page.evaluate(
      "const button = document.createElement('button'); button.setAttribute('hx-on:click', 'window.ran = true'); " +
        "document.querySelector('main').append(button); htmx.process(button); button.click()",
    )
    expect(await page.evaluate('window.ran')).toBeUndefined()

    await context.clearCookies({ name: 'cuecard_session' })
    await page.evaluate("htmx.ajax('GET', '/dashboard/calls', '#main')")
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await context.close()
  })
})
