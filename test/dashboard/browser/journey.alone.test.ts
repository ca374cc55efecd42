import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Demo, seedDemo } from '../../../infra/local/demo.ts'
import { startStand } from '../../../infra/local/stand.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath, useChromium, watched } from '../../support/tools/chromium.ts'
import { makeTrashedCall } from '../routes.ts'

const fixtures = join(import.meta.dirname, '../../files/fixtures')
/** The label of each kind of file in the list of documents. */
const labels = {
  ...{ pdf: 'PDF', docx: 'Word document', xlsx: 'Spreadsheet', pptx: 'Presentation' },
  ...{ csv: 'CSV table', html: 'Web page', md: 'Markdown', txt: 'Text file' },
}
const kinds = Object.keys(labels) as (keyof typeof labels)[]

/** The whole system, as `npm start` runs it: the bucket's events, both queues and their Lambdas work by themselves. */
describe.runIf(executablePath)('a shop owner in a browser (needs chromium, or CHROMIUM with its path)', () => {
  let dataDir: string
  let stand: Awaited<ReturnType<typeof startStand>>
  let demo: Demo
  let page: Page
  let wrong: string[]

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'cuecard-journey-'))
    stand = await startStand({ dataDir, port: 0 })
    demo = await seedDemo(stand.db, dataDir)
  })
  afterAll(async () => {
    await stand?.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  const chromium = useChromium()
  beforeAll(async () => {
    const context = await chromium.newContext({ viewport: { width: 1280, height: 900 } })
    page = await context.newPage()
    wrong = watched(page)
  })

  const faults = () => axeFindings(page)
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('signs in, uploads a file of each kind, finds a cell, edits, deletes, restores a call, and is signed out when the key is revoked', async () => {
    const { origin } = stand
    await page.goto(`${origin}/dashboard`)
    expect(await faults()).toEqual([])
    await page.getByLabel('Access key').fill(demo.apiKey)
    await button('Sign in').click()
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
    expect(await faults()).toEqual([])

    await link('Front desk').click()
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    expect(await faults()).toEqual([])
    const files = await Promise.all(
      kinds.map(async (kind) => ({
        name: `Prices as ${kind}.${kind}`,
        mimeType: '',
        buffer: await readFile(join(fixtures, `price-list.${kind}`)),
      })),
    )
    // Its end is missing.
    const broken = { name: 'Broken.docx', mimeType: '', buffer: files[1]!.buffer.subarray(0, 3_000) }
    await page.setInputFiles('#upload input[type=file]', [...files, broken])
    const rows = page.locator('.documents > li')
    // They have the same text, so all but the first one read may be its new version.
    const settled = rows.filter({
      hasText: /Ready|Keep both/,
    })
    await settled.nth(kinds.length - 1).waitFor()
    expect(await faults()).toEqual([])
    const asked = rows.getByRole('button', { name: 'Keep both' })
    for (let left = await asked.count(); left > 0; left--) {
      await asked.first().click()
      await page.locator('#flash').getByText('is kept, and will answer callers').waitFor()
      await page.goto(page.url())
    }
    await rows
      .filter({ hasText: 'Ready' })
      .nth(kinds.length - 1)
      .waitFor()
    const failed = rows.filter({ hasText: 'Failed' })
    await failed.filter({ hasText: 'Broken' }).waitFor()
    expect(await faults()).toEqual([])

    const linkTo = (kind: keyof typeof labels) =>
      rows.filter({ hasText: labels[kind], hasNotText: 'Broken' }).getByRole('link').first()
    for (const kind of kinds) {
      await linkTo(kind).click()
      await page.locator('main').getByText('FC-102').first().waitFor()
      await page.goBack()
    }
    await link('Ask').click()
    await page.getByLabel('What a caller would say').fill('what does the e-bike cost for a week')
    await button('Ask').click()
    await page.locator('.answer').filter({ hasText: '190' }).waitFor()
    expect(await faults()).toEqual([])

    await link('Documents').click()
    await failed.getByRole('link', { name: /^Replace the file/ }).waitFor()
    await linkTo('md').click()
    expect(await faults()).toEqual([])
    await link('Edit').click()
    await link('Correct its text').click()
    expect(await faults()).toEqual([])
    await button('Edit as plain text').click()
    await page.getByLabel('Text', { exact: true }).fill('A tandem costs 300 euros for a week.')
    await button('Save').click()
    await page.getByText('Ready').first().waitFor()
    await link('Front desk').click()
    await link('Ask').click()
    await page.getByLabel('What a caller would say').fill('what does a tandem cost')
    await button('Ask').click()
    await page.locator('.answer').filter({ hasText: '300 euros' }).waitFor()

    await link('Documents').click()
    await rows.getByRole('button', { name: 'Delete “Broken”' }).click()
    await rows.filter({ hasText: 'Broken' }).waitFor({ state: 'detached' })

    await makeTrashedCall(stand.db, demo)
    await link('Deleted calls').click()
    expect(await faults()).toEqual([])
    await button('Restore the call with Front desk').click()
    await page.locator('#flash').getByText('The call was restored.').waitFor()

    await link('Settings').click()
    expect(await faults()).toEqual([])
    await link('Revoke demo').click()
    expect(await faults()).toEqual([])
    await button('Revoke key').click()
    await page.getByLabel('Access key').waitFor()
    await page.goto(`${origin}/dashboard/agents/${demo.agentId}/documents`)
    expect(new URL(page.url()).pathname).toBe('/dashboard/sign-in')
    expect(wrong).toEqual([])
  })
})
