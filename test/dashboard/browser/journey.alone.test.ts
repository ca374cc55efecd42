import { describe, expect, test } from 'vitest'
import { fixture } from '../../files/fixture.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath, useChromium, watched } from '../../support/tools/chromium.ts'
import { makeTrashedCall } from '../routes.ts'
import { useCrawlingStand } from './crawling-stand.ts'

/** The label of each kind of file in the list of documents. */
const labels = {
  pdf: 'PDF',
  docx: 'Word document',
  xlsx: 'Spreadsheet',
  pptx: 'Presentation',
  csv: 'CSV table',
  html: 'Web page',
  md: 'Markdown',
  txt: 'Text file',
}
const kinds = Object.keys(labels) as (keyof typeof labels)[]

describe.runIf(executablePath)('a shop owner in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const opened = useCrawlingStand()
  const chromium = useChromium()

  test('signs in, uploads a file of each kind, finds a cell, edits, deletes, restores a call, and is signed out when the key is revoked', async () => {
    const { stand, demo } = opened
    const { origin } = stand
    const page = await (await chromium.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
    const wrong = watched(page)
    const faults = () => axeFindings(page)
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await page.goto(`${origin}/dashboard`)
    expect(await faults()).toEqual([])
    await page.getByLabel('Access key').fill(demo.apiKey)
    await button('Sign in').click()
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
    expect(await faults()).toEqual([])

    await link('Front desk').click()
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    expect(await faults()).toEqual([])
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: '', buffer })
    const files = kinds.map((kind) => file(`Prices as ${kind}.${kind}`, fixture(`price-list.${kind}`)))
    const broken = file('Broken.docx', files[1]!.buffer.subarray(0, 3_000))
    await page.setInputFiles('#upload input[type=file]', [...files, broken])
    const rows = page.locator('.documents > li')
    // The files have the same text, so each may be a new version of the first one read.
    const settled = rows.filter({ hasText: /Ready|Keep both/ })
    await settled.nth(kinds.length - 1).waitFor()
    expect(await faults()).toEqual([])
    const asked = rows.getByRole('button', { name: 'Keep both' })
    for (let left = await asked.count(); left > 0; left--) {
      await asked.first().click()
      await page.locator('#flash').getByText('is kept, and will answer callers').waitFor()
      await page.goto(page.url())
    }
    const ready = rows.filter({ hasText: 'Ready' })
    await ready.nth(kinds.length - 1).waitFor()
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
    await link('Settings').click()
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
