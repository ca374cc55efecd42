import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

// `npm run test:faults -- [--kills 50] [--seed 7] [a file of test/faults]`
const { values, positionals } = parseArgs({
  options: { kills: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const root = join(import.meta.dirname, '../..')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const files = positionals.length > 0 ? positionals : ['test/faults/']
const { status } = spawnSync(
  process.execPath,
  // One file after the other: a stand under kills wants the processors for itself.
  [vitest, 'run', '--config', 'test/vitest.config.ts', '--no-file-parallelism', ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_FAULTS: '1', FAULTS_KILLS: values.kills, FAULTS_SEED: values.seed },
  },
)
process.exitCode = status ?? 1
