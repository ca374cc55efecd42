import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

/** The path of a Chromium on this machine; undefined if there is none. */
export const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
)

/** A browser for the tests of one block; its pages close with it. */
export function useChromium() {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())

  return {
    newContext: (options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> =>
      browser.newContext(options),
  }
}

/** Collects the page's errors, violations of the policy, and requests to other origins than this one, if given. */
export function watched(page: Page, origin = ''): string[] {
  const wrong: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) wrong.push(request.url())
  })
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()))
  return wrong
}
