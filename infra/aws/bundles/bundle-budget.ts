import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BundleName, bundleAll } from './bundle.ts'

const api = 420_000

/** Bytes of code, minified: a cold start has to fetch and parse it. */
const budgets: Record<BundleName, number> = {
  documents: api,
  chunks: api,
  search: 485_000,
  platforms: 490_000,
  // MCP's library brings Zod and Ajv.
  mcp: 1_000_000,
  organization: api,
  agents: api,
  dashboard: 620_000,
  reference: api,
  sweeper: api,
  embedding: api,
  canary: 100_000,
  extraction: 3_000_000,
  migrate: 150_000,
}

const stopwatch =
  'const start = performance.now(); await import(process.argv[1]); console.log(performance.now() - start)'

const environment = {
  QUEUE_URL: 'http://127.0.0.1/queue',
  EXTRACTION_QUEUE_URL: 'http://127.0.0.1/queue',
  FILES_BUCKET: 'files',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
}

/** Milliseconds in which a new process imports a bundle, without the SDK: the best of three. */
async function importTime(directory: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 3; i++) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', stopwatch, join(directory, 'handler.mjs')],
      { env: environment },
    )
    times.push(Number(stdout))
  }
  return Math.min(...times)
}

const directory = await mkdtemp(join(tmpdir(), 'cuecard-bundles-'))
const bundles = await bundleAll(directory)

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`.padStart(12)
console.log(
  ['code', 'at start', 'budget', 'data', 'import'].reduce(
    (line, head) => line + head.padStart(12),
    'Lambda'.padEnd(14),
  ),
)
const names = Object.keys(budgets) as BundleName[]
for (const name of names) {
  const { bytes, startBytes, dataBytes } = bundles[name]
  const milliseconds = `${Math.round(await importTime(bundles[name].directory))} ms`.padStart(12)
  const verdict = bytes > budgets[name] ? '  over budget' : ''
  console.log(
    name.padEnd(14) + [bytes, startBytes, budgets[name], dataBytes].map(kilobytes).join('') + milliseconds + verdict,
  )
}
await rm(directory, { recursive: true })
if (names.some((name) => bundles[name].bytes > budgets[name])) process.exitCode = 1
