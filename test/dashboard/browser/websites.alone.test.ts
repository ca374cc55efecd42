import { describe, expect, test } from 'vitest'
import { ofEditedPage } from '../../../functions/dashboard/documents/edits.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath, useChromium, watched } from '../../support/tools/chromium.ts'
import { useCrawlingStand } from './crawling-stand.ts'

describe.runIf(executablePath)('a website in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const opened = useCrawlingStand()
  const chromium = useChromium()

  test('is added, becomes documents while the page updates, is crawled again, and is deleted', async () => {
    const { stand, demo, sites } = opened
    const site = sites.restaurant
    const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    const wrong = watched(page)
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await page.goto(`${stand.origin}/dashboard/agents/${demo.agentId}/sources`)
    await page.getByLabel('Access key').fill(demo.apiKey)
    await button('Sign in').click()
    await page.getByRole('heading', { name: 'No websites yet' }).waitFor()
    expect(await axeFindings(page)).toEqual([])

    await link('Add website').click()
    expect(await axeFindings(page)).toEqual([])
    await page.getByLabel('Address', { exact: true }).fill(site.url)
    await button('Add website').click()
    await page.getByText('Up to date').waitFor({ timeout: 60_000 })
    expect(await axeFindings(page)).toEqual([])
    const rows = page.locator('#source .rows > li')
    await rows.filter({ hasText: '/files/menu.pdf' }).getByText('It is a PDF: upload it as a file.').waitFor()

    const title = 'Opening hours'
    const hours = `<h1>${title}</h1><p>Tuesday to Friday, 17:00 to 23:00.</p>`
    site.set('/hours', `<title>${title}</title><main>${hours}</main>`)
    await button('Look now').click()
    await page.getByText('In the last look: 1 page changed.').waitFor({ timeout: 60_000 })
    await rows.filter({ hasText: 'Changed' }).getByRole('link', { name: 'Opening hours' }).click()
    await page.getByText('17:00 to 23:00').waitFor()
    await page.getByText(ofEditedPage).waitFor()
    expect(await axeFindings(page)).toEqual([])

    await link(new URL(site.url).host).click()
    await link('Delete').click()
    expect(await axeFindings(page)).toEqual([])
    await button('Delete website').click()
    await page.getByRole('heading', { name: 'No websites yet' }).waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })
})
