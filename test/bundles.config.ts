import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import config from './vitest.config.ts'

// What goes through the front door, and nothing past it into the sources of the functions.
const include = readdirSync(import.meta.dirname).filter((file) => {
  if (!file.endsWith('.test.ts')) return false
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  return text.includes(`from './stand.ts'`) && !/from '(\.\.\/functions\/|\.\/worker\.ts)/.test(text)
})

export default mergeConfig(
  { ...config, test: { ...config.test, include: [] } },
  defineConfig({
    test: {
      include,
      globalSetup: ['./database-image.ts', './bundles-setup.ts'],
      // Node.js itself loads the bundles, as on Lambda: nothing transforms them or helps them to a package.
      server: { deps: { external: [/\/handler\.mjs$/] } },
    },
  }),
)
