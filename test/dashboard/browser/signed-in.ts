import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll } from 'vitest'
import { useGateway } from '../../support/stand/gateway.ts'
import type { Tenant, TestStand } from '../../support/stand/stand.ts'
import { useChromium, watched } from '../../support/tools/chromium.ts'
import { newBrowser, signInAsPerson } from '../support.ts'

/** A browser in front of the stand's gateway, whose pages may post files to the stand's bucket. */
export function useSignedIn(stand: TestStand) {
  const gateway = useGateway(stand)
  const chromium = useChromium()
  beforeAll(() => stand.emulator.allowOrigin(gateway.origin))
  const contexts: BrowserContext[] = []
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })

  async function newPage(options: BrowserContextOptions, origin: string) {
    const context = await chromium.newContext({ viewport: { width: 1280, height: 844 }, ...options })
    contexts.push(context)
    const page = await context.newPage()
    return { context, page, wrong: watched(page, origin), go: (path: string) => page.goto(gateway.origin + path) }
  }

  return {
    /** A page of a stranger, until the test ends, and the faults in it so far, requests to other hosts among them. */
    async visit(path: string, options: BrowserContextOptions = {}) {
      const opened = await newPage(options, gateway.origin)
      await opened.go(path)
      return opened
    },
    /** A page of somebody who has signed in, which may also send requests to the bucket. */
    async open({ apiKey }: Tenant, path: string, options: BrowserContextOptions = {}) {
      const opened = await newPage(options, '')
      const { origin } = gateway
      await opened.context.request.post(`${origin}/dashboard/sign-in`, { form: { key: apiKey }, headers: { origin } })
      await opened.go(path)
      return opened
    },
    /** Signs the page's browser in as a new owner of the tenant's organization. */
    async signInAsOwner(page: Page, { organizationId }: Tenant): Promise<void> {
      const { browser } = await signInAsPerson(newBrowser(stand), stand.db, organizationId)
      const [name, domain] = ['cuecard_session', new URL(gateway.origin).hostname]
      await page.context().addCookies([{ name, value: browser.jar.get(name)!, domain, path: '/dashboard' }])
    },
  }
}
