import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BundleName, bundleAll } from './bundle.ts'

const api = 430_000
/** Lambdas that ask golden questions have search, too. */
const guarded = 500_000

/** Bytes of code, minified: a cold start has to fetch and parse it. */
const budgets: Record<BundleName, number> = {
  /** It takes files, too. */
  documents: 520_000,
  chunks: guarded,
  search: 500_000,
  platforms: 505_000,
  mcp: 830_000,
  organization: api,
  /** It deletes sources, which asks golden questions. */
  agents: 510_000,
  questions: 485_000,
  /** It has the screens of webhooks and of websites, with the check of their addresses. */
  dashboard: 835_000,
  reference: api,
  sweeper: api,
  delivery: api,
  embedding: guarded,
  crawler: 790_000,
  canary: 100_000,
  extraction: 3_000_000,
  /** It makes and checks logins over the same driver as they are used with. */
  migrate: 460_000,
}

const directory = await mkdtemp(join(tmpdir(), 'cuecard-bundles-'))
const bundles = await bundleAll(directory)
for (const [name, budget] of Object.entries(budgets)) {
  const { bytes } = bundles[name as BundleName]
  const isOver = bytes > budget
  console.log(`${name.padEnd(14)}${bytes} bytes of ${budget}${isOver ? ': over budget' : ''}`)
  if (isOver) process.exitCode = 1
}
await rm(directory, { recursive: true })
