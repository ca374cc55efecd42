import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundle, type BundleName, entryPoints } from '../../../infra/aws/bundles/bundle.ts'

/** For a synth that is about something else: hardly any code, of which some may be given. */
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
