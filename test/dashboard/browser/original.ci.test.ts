import { describe, expect, test } from 'vitest'
import { fixture } from '../../files/fixture.ts'
import { useStand } from '../../support/stand/stand.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()

describe.runIf(executablePath)('the original in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const { open } = useSignedIn(stand)

  test.each([390, 1440])(
    'at a width of %i, a PDF’s pages are shown beside its text, and a click in either marks the passage in the other',
    async (width) => {
      const tenant = await stand.tenant()
      const list = `/dashboard/agents/${tenant.agentId}/documents`
      const { page, wrong } = await open(tenant, list, { viewport: { width, height: 844 } })
      const buffer = fixture('price-list.pdf')
      await page.setInputFiles('#upload input[type=file]', { name: 'Prices.pdf', mimeType: '', buffer })
      await page.locator('.documents > li').filter({ hasText: 'Prices' }).waitFor()
      await stand.deliver('extraction')
      await stand.deliver()
      const { data } = (await tenant.call('GET', tenant.knowledgeBase)).body
      await page.goto(new URL(`${list}/${data[0].id}`, page.url()).href)

      const area = page.locator('#original')
      await area.scrollIntoViewIfNeeded()
      await area.getByRole('img', { name: /^Page 1 of / }).waitFor()
      const inked = `(() => { const canvas = document.querySelector('.leaf canvas'); if (!canvas.width) return 0;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let dark = 0; for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] < 200) dark++; return dark })()`
      await expect.poll(() => page.evaluate(inked)).toBeGreaterThan(500)

      await page.locator('#passage-2').click()
      const status = (text: RegExp) => area.getByRole('status').filter({ hasText: text })
      await status(/^Part 2 is marked on page \d+\.$/).waitFor()
      expect(await page.locator('#passage-2').getAttribute('aria-current')).toBe('true')
      expect(await area.locator('.place').count()).toBeGreaterThan(3)
      expect(new URL(page.url()).search).toBe('')

      await page.locator('#passage-1').focus()
      await page.keyboard.press('Enter')
      await status(/^Part 1 is marked/).waitFor()
      const place = area.locator('.place').first()
      const at = (await place.boundingBox())!
      await page.locator('#passage-2').click()
      await status(/^Part 2 is marked/).waitFor()
      expect(at.width).toBeGreaterThan(0)
      const leaf = area.locator('.leaf').first()
      await leaf.click({ position: { x: 60, y: 40 } })
      await status(/^Part 1 is marked/).waitFor()

      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.reload()
        await area.scrollIntoViewIfNeeded()
        await expect.poll(() => page.evaluate(inked)).toBeGreaterThan(500)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        expect(await axeFindings(page)).toEqual([])
      }
      expect(wrong).toEqual([])
    },
  )
})
