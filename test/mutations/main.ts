// Counts the changes to the source that the tests notice, with Stryker: `npm run test:mutations -- [a file to mutate]`
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { withForeignPackages } from '../foreign/packages.ts'

const root = join(import.meta.dirname, '../..')
const stryker = join(
  withForeignPackages(import.meta.dirname, 'mutations'),
  '../node_modules/@stryker-mutator/core/bin/stryker.js',
)
const files = process.argv.slice(2)
const { status } = spawnSync(
  process.execPath,
  [stryker, 'run', 'test/mutations/stryker.config.json', ...(files.length > 0 ? ['--mutate', files.join()] : [])],
  { cwd: root, stdio: 'inherit' },
)
process.exitCode = status ?? 1
