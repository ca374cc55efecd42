import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

// `npm run test:faults -- [--kills 50] [--seed 7] [a file of test/faults]`
const { values, positionals } = parseArgs({
  options: { kills: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const files = positionals.length > 0 ? positionals : ['test/faults/']
const vitest = 'node_modules/vitest/vitest.mjs run --config test/vitest.config.ts --project faults'
const env = { ...process.env, FAULTS_KILLS: values.kills, FAULTS_SEED: values.seed }
process.exitCode = spawnSync(process.execPath, [...vitest.split(' '), ...files], { stdio: 'inherit', env }).status ?? 1
