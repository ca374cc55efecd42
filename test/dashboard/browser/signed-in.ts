import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll } from 'vitest'
import { useGateway } from '../../support/stand/gateway.ts'
import type { Tenant, TestStand } from '../../support/stand/stand.ts'
import { useChromium, watched } from '../../support/tools/chromium.ts'

/** A browser in front of the stand's gateway, whose pages may post files to the stand's bucket. */
export function useSignedIn(stand: TestStand) {
  const gateway = useGateway(stand)
  const chromium = useChromium()
  beforeAll(() => stand.emulator.allowOrigin(gateway.origin))
  const contexts: BrowserContext[] = []
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })

  return {
    /** A page of somebody who has signed in, until the test ends, and the faults in it so far. */
    async open(
      { apiKey }: Tenant,
      path: string,
      options: BrowserContextOptions = {},
    ): Promise<{ page: Page; wrong: string[] }> {
      const context = await chromium.newContext({ viewport: { width: 1280, height: 844 }, ...options })
      contexts.push(context)
      const page = await context.newPage()
      const wrong = watched(page)
      const { origin } = gateway
      await context.request.post(`${origin}/dashboard/sign-in`, { form: { key: apiKey }, headers: { origin } })
      await page.goto(origin + path)
      return { page, wrong }
    },
  }
}
