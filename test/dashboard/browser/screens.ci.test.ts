import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { storeQuestions } from '../../support/documents/asked-questions.ts'
import { storeKnown } from '../../support/documents/known-documents.ts'
import { useStand } from '../../support/stand/stand.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { makeHeld, makeThings, screensOf } from '../routes.ts'
import { openAll, shortcomings } from '../shortcomings.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()

describe.runIf(executablePath)('in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const { open, signInAsOwner, visit } = useSignedIn(stand)

  test.each([390, 1280])(
    'at a width of %i, every screen fits and is accessible, in light and in dark',
    { timeout: 400_000 },
    async (width) => {
      const tenant = await stand.tenant()
      const ids = await makeThings(stand.db, tenant)
      const { agentId, documentId, sourceId } = ids
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
      const { body: empty } = await tenant.call('POST', '/v1/agents', { name: 'Empty' })
      await sql`update documents set upload_until = now() - interval '61 seconds'
        where id = ${documentId}`.execute(stand.db)
      const { page, wrong, go } = await visit('/dashboard/sign-in', { viewport: { width, height: 844 } })
      const widthOf = () => page.evaluate('document.documentElement.scrollWidth')
      expect(await widthOf()).toBe(width)
      expect(await shortcomings(page, width)).toEqual([])
      await page.getByLabel('Access key').fill(tenant.apiKey)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Agents' }).waitFor()
      await signInAsOwner(page, tenant)
      const home = `/dashboard/agents/${agentId}`
      for (const path of [
        ...screensOf(ids),
        ...[`is+the+bakery+open+${'a'.repeat(80)}`, 'price+of+bikes+unbreakable'].map((q) => `${home}/ask?q=${q}`),
        ...['documents?show=past', 'questions?show=all', `call?id=${'c'.repeat(255)}`].map((part) => `${home}/${part}`),
        ...['?passage=1', '/edit'].map((part) => `${home}/documents/${table.id}${part}`),
        `${home}/documents/${heldId}`,
        `${home}/sources/${sourceId}?show=left_out`,
        ...['documents', 'ask', 'questions', 'golden-questions', 'sources', 'trash'].map(
          (tab) => `/dashboard/agents/${empty.id}/${tab}`,
        ),
      ]) {
        expect((await go(path))!.status(), path).toBe(200)
        expect(await widthOf(), path).toBe(width)
        await page.evaluate(openAll)
        expect(await shortcomings(page, width), path).toEqual([])
      }
      // The document's file never arrived, so the bucket has none to show.
      expect(wrong.filter((each) => !/prices\.pdf|ERR_FAILED|status of 404/.test(each))).toEqual([])
    },
  )

  test('a new key is copied', async () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const { page, wrong } = await open(await stand.tenant(), '/dashboard/settings/keys/new', { permissions })
    await page.getByLabel('Name').fill('Vapi')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(copied).toBe(await page.locator('#key').innerText())
    await expect.poll(() => page.locator('#announcer').innerText()).toBe('Copied')
    expect(wrong).toEqual([])
  })

  test('the keyboard alone is enough to sign in, and to skip to the content', async () => {
    const tenant = await stand.tenant()
    const { page } = await visit('/dashboard/settings')
    // The browser gives the mail address the focus with its next frame. From there it moves past a button to the key.
    await page.locator(':focus').and(page.getByLabel('Mail address')).waitFor()
    for (let i = 0; i < 2; i++) await page.keyboard.press('Tab')
    await page.locator(':focus').and(page.getByLabel('Access key')).waitFor()
    await page.keyboard.type(tenant.apiKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
  })

  test('a link on another site leads to the screen, not to the sign-in page', async () => {
    const { page } = await open(await stand.tenant(), '/dashboard')
    const { origin } = new URL(page.url())
    // Another name for the same host is another site.
    await page.goto(`${origin.replace('127.0.0.1', 'localhost')}/v1/docs`)
    await page.evaluate(`location.href = '${origin}/dashboard/settings'`)
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  })

  test('htmx shows an error in place, and runs no string as a script', async () => {
    const { page, context } = await open(await stand.tenant(), '/dashboard')
    await page.evaluate("htmx.ajax('GET', '/dashboard/nowhere', '#main')")
    await page.locator('#flash').getByText('This page doesn’t exist').waitFor()
    expect(await page.getByRole('heading', { name: 'Agents' }).isVisible()).toBe(true)

    await expect(page.evaluate("document.body.innerHTML = '<b>x</b>'")).rejects.toThrow(/TrustedHTML/)
    await page.evaluate(
      "const button = document.createElement('button'); button.setAttribute('hx-on:click', 'window.ran = true'); " +
        "document.querySelector('main').append(button); htmx.process(button); button.click()",
    )
    expect(await page.evaluate('window.ran')).toBeUndefined()

    await context.clearCookies({ name: 'cuecard_session' })
    await page.evaluate("htmx.ajax('GET', '/dashboard/settings', '#main')")
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('an agent’s time zone is the one that the browser proposes', async () => {
    const tenant = await stand.tenant()
    const agent = `/dashboard/agents/${tenant.agentId}`
    const { page, wrong } = await open(tenant, `${agent}/edit`, { timezoneId: 'America/Toronto' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('#flash').getByText('“Agent” was saved.').waitFor()

    await page.goto(new URL('/dashboard/agents/new', page.url()).href)
    await page.getByLabel('Name').fill('Night desk')
    await page.getByRole('button', { name: 'Add agent' }).click()
    await page.locator('#flash').getByText('“Night desk” was added.').waitFor()
    const { data } = (await tenant.call('GET', '/v1/agents')).body
    expect(data).toMatchObject([{ time_zone: 'America/Toronto' }, { time_zone: 'America/Toronto' }])
    expect(wrong).toEqual([])
  })
})
