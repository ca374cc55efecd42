import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOnServer, thoroughOnly } from '../support/effort.ts'
import { mutations } from './all.ts'

/**
 * Takes each safeguard of the pipeline out in turn, in a copy of the source, and shows which test turns red. Fails when one
 * can be taken out unnoticed, or when its text is no longer found. `npm run test:mutations -- [a pattern of names]`
 */
const root = join(import.meta.dirname, '../..')
const copy = mkdtempSync(join(tmpdir(), 'cuecard-mutations-'))
const wanted = new RegExp(process.argv[2] ?? '')
let failures = 0

for (const folder of ['functions', 'shared', 'infra', 'test', 'package.json', 'package-lock.json', 'tsconfig.json'])
  cpSync(join(root, folder), join(copy, folder), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

for (const { safeguard, file, find, replace, tests, needsServer } of mutations.filter((each) =>
  wanted.test(each.safeguard),
)) {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(find).length !== 2) {
    failures++
    console.log(`✗ ${safeguard}: its text is not found once in ${file}`)
    continue
  }
  if (needsServer && !isOnServer) {
    console.log(`– ${safeguard}: seen on the server of DATABASE_URL alone`)
    continue
  }
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  let caught: string | undefined
  // Named tests first; the random histories where those see nothing.
  for (const test of tests) {
    const [red] = run(test)
    if (red) caught ??= `${test.replace('test/', '')}: ${red}`
    if (caught) break
  }
  writeFileSync(path, source)
  if (!caught) failures++
  console.log(caught ? `✓ ${safeguard}\n    ${caught}` : `✗ ${safeguard}: can be taken out unnoticed`)
}
rmSync(copy, { recursive: true })
console.log(failures === 0 ? 'every safeguard is watched' : `${failures} are not`)
process.exitCode = failures === 0 ? 0 : 1

/** The tests of the file that turn red. */
function run(test: string): string[] {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vitest.config.ts',
      test,
      '--reporter',
      'json',
      '--outputFile',
      report,
      '--testTimeout',
      '30000',
      '--bail',
      '1',
    ],
    {
      cwd: copy,
      env: {
        ...process.env,
        SIMULATION_HISTORIES: process.env.SIMULATION_HISTORIES ?? '150',
        ...(thoroughOnly.some((file) => test.endsWith(file)) && { TEST_THOROUGH: '1' }),
      },
      stdio: 'ignore',
    },
  )
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { message: string; assertionResults: { status: string; title: string }[] }[]
  }
  return testResults.flatMap(({ message, assertionResults }) => {
    const red = assertionResults.filter((each) => each.status === 'failed').map((each) => each.title)
    return red.length === 0 && message ? [message.split('\n')[0]!] : red
  })
}
