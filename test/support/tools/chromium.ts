import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll } from 'vitest'

/** The path of a Chromium on this machine; undefined if there is none. */
export const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
)

/** The worker has one, which ends with it. */
let running: Promise<Browser> | undefined

/** The worker's browser for the tests of one block, whose pages close at its end. */
export function useChromium() {
  const contexts: BrowserContext[] = []
  afterAll(() => Promise.all(contexts.map((context) => context.close())))

  return {
    async newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
      running ??= chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
      const context = await (await running).newContext(options)
      contexts.push(context)
      return context
    },
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
