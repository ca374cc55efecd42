import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configOf } from './vitest.config.ts'

/** Intercepts the driver of the sources, but each bundle has its own. */
const ofSources = join('database', 'plans.ci.test.ts')

// Selects tests that only use the front door, and import no source of the functions.
const isForBundles = (file: string) => {
  if (file === ofSources) return false
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  const opensStand = /from '((\.+\/)+support\/stand\/stand|\.\/support)\.ts'/.test(text)
  return opensStand && !/from '[./]*\/(functions\/|support\/stand\/worker\.ts)/.test(text)
}

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })

export default configOf({
  except: files.filter((file) => file.endsWith('.test.ts') && !isForBundles(file)),
  globalSetup: ['./support/stand/bundles-setup.ts'],
})
