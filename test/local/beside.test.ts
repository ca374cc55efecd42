import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { readSettings } from '../../infra/local/settings.ts'

const root = join(import.meta.dirname, '../..')
const home = await mkdtemp(join(tmpdir(), 'cuecard-beside-'))
afterAll(() => rm(home, { recursive: true }))

/** An npm that fails beside another, as the real one does, and leaves parts of a package for the start to remove. */
const npm = `#!/usr/bin/env node
const { appendFileSync, mkdirSync, rmdirSync, writeFileSync } = require('node:fs')
mkdirSync('npm-is-running')
appendFileSync('npm.log', 'installed\\n')
setTimeout(() => {
  mkdirSync('node_modules/tesseract.js-core/types', { recursive: true })
  writeFileSync('node_modules/.package-lock.json', '{}')
  rmdirSync('npm-is-running')
}, 300)
`

async function checkout(name: string) {
  const cwd = join(home, name)
  await mkdir(join(cwd, 'infra'), { recursive: true })
  await mkdir(join(cwd, 'bin'))
  await cp(join(root, 'infra/run.mjs'), join(cwd, 'infra/run.mjs'))
  await writeFile(join(cwd, 'package-lock.json'), '{}')
  await writeFile(join(cwd, 'bin/npm'), npm)
  await chmod(join(cwd, 'bin/npm'), 0o755)
  const env = { ...process.env, PATH: join(cwd, 'bin') + delimiter + process.env.PATH }
  const start = (...command: string[]) =>
    promisify(execFile)(process.execPath, ['infra/run.mjs', '--omit=dev', ...command], { cwd, env })
  return { cwd, start }
}

test('several first starts at a time install the packages once, and each goes on to its command', async () => {
  const { cwd, start } = await checkout('several')
  const command = ['node', '-p', '"started"']
  const started = await Promise.all([start(...command), start(...command), start(...command)])
  expect(started.map(({ stdout }) => stdout)).toEqual(['started\n', 'started\n', 'started\n'])
  expect(await readFile(join(cwd, 'npm.log'), 'utf8')).toBe('installed\n')
  expect(await readdir(join(cwd, '.local'))).toEqual([])
})

test('a start goes on after another that was killed while it installed', async () => {
  const { cwd, start } = await checkout('killed')
  await mkdir(join(cwd, '.local'))
  const { pid } = await new Promise<{ pid: number | undefined }>((ended) => {
    const child = execFile(process.execPath, ['-e', ''], () => ended(child as { pid: number | undefined }))
  })
  await writeFile(join(cwd, '.local/installing'), `${pid}`)
  await start()
  expect(await readFile(join(cwd, 'npm.log'), 'utf8')).toBe('installed\n')
})

test('a start that is refused makes no directory, because it could not remove one that another uses', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const seen: (string | null)[] = []
  const watcher = watch(home, (_, name) => seen.push(name))
  await expect(readSettings([], { DATA_DIR: join(home, 'refused', 'data'), PORT: `${port}` })).rejects.toThrow(
    'is in use',
  )
  await readSettings([], { DATA_DIR: join(home, 'accepted'), PORT: '0' })
  await expect.poll(() => seen).toContain('accepted')
  expect(seen).not.toContain('refused')
  watcher.close()
  server.close()
})
