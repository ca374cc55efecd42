import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BundleName, bundleAll } from './bundle.ts'

const api = 395_000
/** Lambdas that ask golden questions also contain search, which ranks and reads tables, and 29 kB of Chinese characters. */
const guarded = 630_000

/** The maximum bytes of minified code, which a cold start has to fetch and parse. */
const budgets: Record<BundleName, number> = {
  /** It takes files, too. */
  documents: 657_000,
  chunks: guarded,
  search: 615_000,
  snapshot: api,
  platforms: 620_000,
  mcp: 961_000,
  connect: api,
  organization: api,
  /** It deletes sources, which asks golden questions. */
  agents: 656_000,
  questions: 624_000,
  /** It has the screens of websites, with the check of their addresses, and signs people in at a provider. */
  dashboard: 935_000,
  /** It renders pages of Markdown. */
  reference: 435_000,
  /** It has the public holidays of 200 countries and the rules of calendars: 1.5 MB, which an instance loads when it first checks an agent. */
  sweeper: 1_935_000,
  delivery: api,
  embedding: guarded,
  crawler: 930_000,
  canary: 50_000,
  extraction: 2_735_000,
  /** It makes and checks logins over the same driver as they are used with. */
  migrate: 450_000,
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
