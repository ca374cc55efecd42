// How many changes of the source the tests notice: `npm run test:mutations -- [a file to mutate]`, with Stryker.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { copyWithPackages } from '../support/foreign-code.ts'

const root = join(import.meta.dirname, '../..')
const directory = join(root, '.local/mutations')
copyWithPackages(import.meta.dirname, directory, console.error)
const stryker = join(directory, 'node_modules/@stryker-mutator/core/bin/stryker.js')
const files = process.argv.slice(2)
const { status } = spawnSync(
  process.execPath,
  [stryker, 'run', 'test/mutations/stryker.config.json', ...(files.length > 0 ? ['--mutate', files.join()] : [])],
  { cwd: root, stdio: 'inherit' },
)
process.exitCode = status ?? 1
