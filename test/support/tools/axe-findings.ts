import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Options {
  /** The rules to check, instead of all. */
  rules?: string[]
  /** The selector of the part to check, instead of the whole page. */
  within?: string
}

/** The faults that axe-core finds in the page. */
export async function axeFindings(page: Page, { rules, within = 'html' }: Options = {}): Promise<string[]> {
  await page.evaluate(axe.source)
  const experimental = { 'label-content-name-mismatch': { enabled: true } }
  const options = JSON.stringify({
    resultTypes: ['violations'],
    rules: rules ? {} : experimental,
    ...(rules && { runOnly: rules }),
  })
  return await page.evaluate(
    `axe.run('${within}', ${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
}
