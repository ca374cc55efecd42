import type { Page } from 'playwright-core'
import { axeFindings } from '../support/tools/axe-findings.ts'

/** Runs in the browser, hence as text: shows what the page's summaries hide, and the last of its menus. */
export const openAll = `for (const details of document.querySelectorAll('details')) details.open = true
for (const button of document.querySelectorAll('[popovertarget]')) button.click()`

/** The parts of the page that are cut off at its width, have low contrast or are inaccessible, in light and in dark. */
export async function shortcomings(page: Page, width: number): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    // Transitions would show colours between the two.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const actual = await page.evaluate('document.documentElement.scrollWidth')
    if (actual !== width) found.push(`${colorScheme}: ${actual} pixels wide`)
    // Only colours differ between the schemes.
    found.push(...(await axeFindings(page, colorScheme === 'dark' ? { rules: ['color-contrast'] } : {})))
  }
  return found
}
