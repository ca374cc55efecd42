import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startGateway } from '../../../infra/local/gateway/gateway.ts'
import { executablePath } from '../../support/chromium.ts'
import type { Tenant, TestStand } from '../../support/stand.ts'

/** A browser in front of the stand's gateway, whose pages may post files to the stand's bucket. */
export function useChromium(stand: TestStand) {
  let browser: Browser
  let gateway: Awaited<ReturnType<typeof startGateway>>
  const contexts: BrowserContext[] = []

  beforeAll(async () => {
    gateway = await startGateway({ port: 0, routes: stand.functions.routes })
    stand.emulator.allowOrigin(gateway.origin)
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    for (const context of contexts) await context.close()
    await browser?.close()
    await gateway?.close()
  })

  return {
    /** A page of somebody who has signed in, and what went wrong in it: the policy's violations too. */
    async open({ apiKey }: Tenant, path: string): Promise<{ page: Page; wrong: string[] }> {
      const context = await browser.newContext({ viewport: { width: 1280, height: 844 } })
      contexts.push(context)
      const page = await context.newPage()
      const wrong: string[] = []
      page.on('pageerror', (error) => wrong.push(error.message))
      page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()))
      const { origin } = gateway
      await context.request.post(`${origin}/dashboard/sign-in`, { form: { key: apiKey }, headers: { origin } })
      await page.goto(origin + path)
      return { page, wrong }
    },
  }
}
