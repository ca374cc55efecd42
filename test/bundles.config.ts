import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** Reads what the sources' driver sends, where a bundle has a driver of its own. */
const ofSources = join('database', 'plans.test.ts')

// What goes through the front door, and nothing past it into the sources of the functions.
const include = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) => {
  if (!file.endsWith('.test.ts') || file === ofSources) return false
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  const opensStand = /from '((\.+\/)+support\/stand|\.\/support)\.ts'/.test(text)
  return opensStand && !/from '[./]*\/(functions\/(?!dashboard\/words)|support\/worker\.ts)/.test(text)
})

export default mergeConfig(
  { ...config, test: { ...config.test, include: [] } },
  defineConfig({
    test: {
      include,
      globalSetup: ['./support/run-directory.ts', './support/database-image.ts', './support/bundles-setup.ts'],
      // Node.js itself loads the bundles, as on Lambda: nothing transforms them or helps them to a package.
      server: { deps: { external: [/\/handler\.mjs$/] } },
    },
  }),
)
