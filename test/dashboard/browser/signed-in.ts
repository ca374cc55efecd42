import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll } from 'vitest'
import { useGateway } from '../../support/stand/gateway.ts'
import type { Tenant, TestStand } from '../../support/stand/stand.ts'
import { useChromium, watched } from '../../support/tools/chromium.ts'

/** A browser in front of the stand's gateway, whose pages may post files to the stand's bucket. */
export function useSignedIn(stand: TestStand) {
  const gateway = useGateway(stand)
  const chromium = useChromium()
  beforeAll(() => stand.emulator.allowOrigin(gateway.origin))

  return {
    /** A page of somebody who has signed in, and what went wrong in it. */
    async open(
      { apiKey }: Tenant,
      path: string,
      options: BrowserContextOptions = {},
    ): Promise<{ page: Page; wrong: string[] }> {
      const context = await chromium.newContext({ viewport: { width: 1280, height: 844 }, ...options })
      const page = await context.newPage()
      const wrong = watched(page)
      const { origin } = gateway
      await context.request.post(`${origin}/dashboard/sign-in`, { form: { key: apiKey }, headers: { origin } })
      await page.goto(origin + path)
      return { page, wrong }
    },
  }
}
