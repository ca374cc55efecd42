import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundle, type BundleName, entryPoints } from '../../../infra/aws/bundles/bundle.ts'

/** Makes bundles with hardly any code, for a synth that tests something else. */
export function emptyBundles(
  directory: string,
  code: Partial<Record<BundleName, string>> = {},
): Record<BundleName, Bundle> {
  const names = Object.keys(entryPoints) as BundleName[]
  const entries = names.map((name) => {
    const bundle: Bundle = { directory: join(directory, name), bytes: 0 }
    mkdirSync(bundle.directory, { recursive: true })
    writeFileSync(join(bundle.directory, 'handler.mjs'), code[name] ?? 'export {}')
    return [name, bundle] as const
  })
  return Object.fromEntries(entries) as Record<BundleName, Bundle>
}
