import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../infra/aws/bundles/bundle.ts'
import { addNativePackage } from '../../infra/aws/bundles/native-packages.ts'

const root = join(import.meta.dirname, '../..')
const packages = 'node_modules/@firecrawl'
const aarch64 = 0xb7

let directory: string
let program: ChildProcess | undefined
beforeAll(async () => {
  directory = join(realpathSync(mkdtempSync(join(tmpdir(), 'cuecard-native-'))), 'extraction')
  await bundle('extraction', directory)
})
afterAll(() => {
  program?.kill()
  rmSync(join(directory, '..'), { recursive: true })
})

test('the bundle has the native code of Lambda’s platform, and of no other', () => {
  expect(readdirSync(join(directory, packages)).sort()).toEqual(['anydoc', 'anydoc-linux-arm64-gnu'])
  const code = readFileSync(join(directory, packages, 'anydoc-linux-arm64-gnu/anydoc.linux-arm64-gnu.node'))
  expect(code.subarray(1, 4).toString()).toBe('ELF')
  expect(code.readUInt16LE(18)).toBe(aarch64)
})

test('the program beside the handler reads files of every format, with access to its own folder only', async () => {
  const local = readdirSync(join(root, packages)).filter((name) => name.startsWith('anydoc-'))
  for (const name of local) cpSync(join(root, packages, name), join(directory, packages, name), { recursive: true })
  program = fork(join(directory, 'reader.mjs'), {
    env: {},
    serialization: 'advanced',
    execArgv: ['--no-warnings', '--permission', '--allow-addons', `--allow-fs-read=${directory}`],
  })
  expect(await once(program, 'message')).toMatchObject(['ready', undefined])
  const read = async (fileName: string) => {
    program!.send({ file: readFileSync(join(root, 'test/files/fixtures', fileName)), fileName })
    return await once(program!, 'message')
  }
  for (const extension of ['pdf', 'docx', 'pptx', 'xlsx', 'html', 'csv'])
    expect(await read(`price-list.${extension}`)).toMatchObject([
      { text: expect.stringContaining('Full service') },
      undefined,
    ])
  expect(await read('menu.photo.jpg')).toMatchObject([{ pagesRead: 0, pages: 1 }, undefined])
  expect(await once(program, 'message')).toMatchObject([{ text: expect.stringContaining('€17.90') }, undefined])
})

test('a package that has no code for a platform stops the build', async () => {
  const nowhere = { os: 'sunos', cpu: 'arm64', libc: 'glibc' }
  await expect(addNativePackage(directory, '@firecrawl/anydoc', nowhere)).rejects.toThrow(
    "npm has installed no code of '@firecrawl/anydoc' for sunos arm64 glibc",
  )
})
