import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const directory = await mkdtemp(join(tmpdir(), 'cuecard-installed-'))
afterAll(() => rm(directory, { recursive: true }))

test('the packages that npm start installs weigh at most 450 MB', async () => {
  for (const file of ['package.json', 'package-lock.json', 'infra/run.mjs'])
    await cp(join(root, file), join(directory, file))
  await promisify(execFile)(process.execPath, ['infra/run.mjs', '--omit=dev'], { cwd: directory })
  const entries = await readdir(join(directory, 'node_modules'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(450e6)
}, 300_000)
