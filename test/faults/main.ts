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
  [vitest, 'run', '--config', 'test/vitest.config.ts', '--project', 'faults', ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, FAULTS_KILLS: values.kills, FAULTS_SEED: values.seed },
  },
)
process.exitCode = status ?? 1
