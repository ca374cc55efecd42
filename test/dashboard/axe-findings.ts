import { source } from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe-core finds fault with in the page. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(source)
  return await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
}
