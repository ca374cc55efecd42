import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BundleName, bundleAll } from './bundle.ts'

const api = 400_000

/** The most a bundle may weigh, in bytes, minified: what a cold start has to fetch and parse. */
const budgets: Record<BundleName, number> = {
  documents: api,
  chunks: api,
  search: api,
  organization: api,
  reference: api,
  sweeper: api,
  embedding: 1_500_000,
  migrate: 600_000,
}

const directory = await mkdtemp(join(tmpdir(), 'cuecard-bundles-'))
const bundles = await bundleAll(directory)
await rm(directory, { recursive: true })

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`.padStart(12)
console.log(`${'Lambda'.padEnd(14)}${'bundle'.padStart(12)}${'at start'.padStart(12)}${'budget'.padStart(12)}`)
const names = Object.keys(budgets) as BundleName[]
for (const name of names) {
  const { bytes, startBytes } = bundles[name]
  const verdict = bytes > budgets[name] ? '  over its budget' : ''
  console.log(name.padEnd(14) + kilobytes(bytes) + kilobytes(startBytes) + kilobytes(budgets[name]) + verdict)
}
if (names.some((name) => bundles[name].bytes > budgets[name])) process.exitCode = 1
