import { source } from 'axe-core'
import type { Page } from 'playwright-core'

/** The faults that axe-core finds in the page. @param rules its rules to check, instead of all */
export async function axeFindings(page: Page, ...rules: string[]): Promise<string[]> {
  await page.evaluate(source)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) })
  return await page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
}
