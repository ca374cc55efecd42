import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Demo, seedDemo } from '../../../infra/local/demo.ts'
import { startStand } from '../../../infra/local/stand.ts'
import { type Sites, sites } from '../../sources/sites/sites.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath, useChromium, watched } from '../../support/tools/chromium.ts'

const ways = [
  ['with a keyboard, 1,280 pixels wide', { viewport: { width: 1280, height: 900 } }],
  ['by touch, 390 pixels wide', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const satisfies [string, BrowserContextOptions][]

const menu = (diavola: string) => ({
  name: 'menu.md',
  mimeType: '',
  buffer: Buffer.from(`# Pizza

| Pizza | Small | Large |
| --- | --- | --- |
| Margherita | £8.20 | £12.20 |
| Diavola | £9.20 | ${diavola} |
| Quattro formaggi | £9.80 | £14.80 |

All pizzas are baked in a wood oven and can be taken away. We deliver within three miles, from 17:00 to 22:00.
`),
})

describe.runIf(executablePath)('a shop owner (needs chromium, or CHROMIUM with its path)', () => {
  /** The whole system, as `npm start` runs it, and websites on loopback that its crawler may read. */
  const opened = {} as { stand: Awaited<ReturnType<typeof startStand>>; demo: Demo; sites: Sites }
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    process.env.ALLOW_LOOPBACK = 'true'
    const dataDir = await mkdtemp(join(tmpdir(), 'cuecard-crawling-'))
    closers.push(() => rm(dataDir, { recursive: true, force: true }))
    opened.sites = await sites()
    closers.push(opened.sites.stop)
    opened.stand = await startStand({ dataDir, port: 0 })
    closers.push(opened.stand.close)
    opened.demo = await seedDemo(opened.stand.db, dataDir)
    await opened.stand.db.updateTable('organizations').set({ log_questions: true }).execute()
  })
  afterAll(async () => {
    for (const close of closers.reverse()) await close()
    delete process.env.ALLOW_LOOPBACK
  })
  const chromium = useChromium()

  test.each(ways)('does twelve tasks, %s', async (_, options) => {
    const { stand, demo, sites } = opened
    const context = await chromium.newContext(options)
    const page = await context.newPage()
    const wrong = watched(page)
    const { tap, type, counted } = hands(page, 'hasTouch' in options)
    const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true }).first()
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first()
    const tab = (name: string) => page.locator('nav.tabs').getByRole('link', { name })
    const flash = page.locator('#flash')
    const ready = page.locator('.state.good', { hasText: 'Ready' }).first()
    const ask = async (question: string) => {
      await tap(tab('Ask'))
      await type(page.getByLabel('What a caller would say'), question)
      await tap(button('Ask'))
    }

    await page.goto(`${stand.origin}/dashboard`)
    await page.getByLabel('Access key').fill(demo.apiKey)
    await button('Sign in').click()
    await counted('a new agent', 2, async () => {
      await tap(link('New agent'))
      await type(page.getByLabel('Name'), 'Pizzeria')
      await tap(button('Add agent'))
      await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    })
    const documents = page.url()
    const agentId = /agents\/([^/]+)/.exec(documents)![1]!

    await counted('the first file and its first answer', 2, async () => {
      await page.setInputFiles('#upload input[type=file]', menu('£41.20'))
      await ready.waitFor()
      await ask('how much is a large diavola')
      await page.locator('.answer').getByText('£41.20').waitFor()
    })
    await counted('a wrong price', 2, async () => {
      const correct = /^Correct it/
      await tap(button(correct).or(link(correct)).first())
      await type(page.getByLabel('Large, row 2'), '£14.20')
      await tap(button('Save'))
      await page.locator('.answer').getByText('£14.20').waitFor()
    })

    const callId = `call ${agentId}`
    for (const query of ['how much is a large diavola', 'where can I park my car'])
      await fetch(`${stand.origin}/v1/agents/${agentId}/knowledge-base/search`, {
        method: 'POST',
        headers: { 'x-api-key': demo.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ query, call_id: callId }),
      })
    await page.goto(documents)
    await counted('a colleague shown what was asked', 3, async () => {
      await tap(tab('Questions'))
      await tap(link('All'))
      await tap(link('“how much is a large diavola”'))
      await page.getByText('£14.20').first().waitFor()
    })
    await counted('a check from a call', 3, async () => {
      const asked = page.locator('.rows > li').filter({ hasText: 'large diavola' })
      await tap(asked.getByRole('button', { name: 'More' }))
      await tap(asked.getByRole('link', { name: 'Ask again' }))
      await tap(button('Right, keep it'))
      await flash.getByText('It passes').waitFor()
    })
    await counted('an unanswered question', 3, async () => {
      await tap(tab('Questions'))
      await tap(link(/^Add an answer: “where can I park my car/))
      await type(page.getByLabel('Text', { exact: true }), 'Guests park free of charge behind the house.')
      await tap(button('Save text'))
      await flash.getByText('Its question leaves this list').waitFor()
    })
    await page.goto(documents)
    await counted('the days of a holiday', 3, async () => {
      await tap(link('Write text'))
      await type(page.getByLabel('Title'), 'Christmas')
      await type(page.getByLabel('Text', { exact: true }), 'At Christmas we are closed.')
      await tap(page.getByText('Serve it for a limited time'))
      await type(page.getByLabel('First day'), '2026-12-24')
      await type(page.getByLabel('Last day'), '2026-12-26')
      await tap(button('Save text'))
      await flash.getByText('was saved').waitFor()
    })

    await page.goto(documents)
    await counted('a new menu, of which a check expects the old price', 4, async () => {
      await tap(link('Menu').or(link('Pizza')).first())
      await tap(link('Replace file'))
      await page.setInputFiles('#upload input[type=file]', menu('£14.60'))
      await tap(button(/^Replace “/))
      await page.getByText('A check expects £14.20. The new file says £14.60.').waitFor()
      await tap(button('Update the check and serve it'))
      await flash.getByText('gets the new text').waitFor()
    })
    await ready.waitFor()
    await page.goto(documents)
    await counted('a deleted document', 2, async () => {
      const row = page.locator('#documents .rows > li').filter({ hasText: 'Christmas' })
      await tap(row.getByRole('button', { name: /^Delete/ }))
      await tap(flash.getByRole('button', { name: 'Undo' }))
      await row.waitFor()
    })

    await counted('a website', 3, async () => {
      await tap(tab('Websites'))
      await tap(link('Add website'))
      await type(page.getByLabel('Address', { exact: true }), sites.restaurant.url)
      await tap(button('Add website'))
      await page.getByText('Up to date').waitFor({ timeout: 60_000 })
    })
    await counted('a page of it corrected', 3, async () => {
      await tap(page.locator('#source .rows > li').getByRole('link', { name: 'Opening hours' }))
      await tap(link('Edit'))
      await type(page.getByLabel('Text', { exact: true }), 'Tuesday to Sunday, 12:00 to 23:00.')
      await tap(button('Save'))
      await flash.getByText('no longer changes with its website').waitFor()
    })
    await page.goto(documents)
    await counted('that page followed again', 3, async () => {
      await tap(tab('Websites'))
      await tap(page.locator('.rows').getByRole('link').first())
      await tap(button('Follow the website again'))
      await flash.getByText('is followed again').waitFor()
    })
    expect(await axeFindings(page)).toEqual([])
    // The page that asks what a check expects.
    expect(wrong).toEqual([expect.stringContaining('status of 409')])
    await context.close()
  })
})

/** Imitates a hand, and counts its taps. A keyboard reaches only focusable elements. */
function hands(page: Page, isTouch: boolean) {
  let count = 0
  const reach = async (target: Locator) => {
    if (isTouch) return await target.tap()
    await target.focus()
    expect(await target.evaluate((element) => element.matches(':focus'))).toBe(true)
  }
  return {
    async tap(target: Locator) {
      count++
      await reach(target)
      if (!isTouch) await page.keyboard.press('Enter')
    },
    async type(target: Locator, text: string) {
      await reach(target)
      await target.fill(text)
    },
    /** @param taps their number from the page that shows the problem, without typing and choosing */
    async counted(task: string, taps: number, act: () => Promise<void>) {
      count = 0
      await act()
      expect(count, task).toBe(taps)
    },
  }
}
