import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { describe, expect, test } from 'vitest'
import { createEmptyDatabase } from '../support/empty-database.ts'

describe('npm run migrate', () => {
  test('says which database it migrates before it does', async () => {
    const database = await createEmptyDatabase()
    try {
      const { code, stdout } = await run({ DATABASE_URL: database.url })
      const { host, pathname, password } = new URL(database.url)
      expect(stdout).toMatch(/^Migrating .*\nApplied 0001/)
      expect(stdout).toContain(`Migrating ${pathname.slice(1)} at ${host}\n`)
      if (password) expect(stdout).not.toContain(`:${password}@`)
      expect(code).toBe(0)
    } finally {
      await database.drop()
    }
  })

  test.each<Record<string, string>>([{}, { DATABASE_URL: '' }])('needs the URL of a database', async (env) => {
    const { code, stderr } = await run(env)
    expect(stderr).toMatch(/^Migration failed: DATABASE_URL is not set/)
    expect(code).toBe(1)
  })

  test.each([
    ['--dry-run', 1],
    ['prod', 1],
    ['--help', 0],
  ])('migrates nothing with %s', async (argument, expected) => {
    const { code, stdout, stderr } = await run({}, argument)
    expect(code).toBe(expected)
    expect(expected === 0 ? stdout : stderr).toMatch(expected === 0 ? /^Usage: npm run migrate/ : /^Migration failed: /)
  })
})

test('npm start on the data of an older version ends with exit code 1, and says what to do', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-older-'))
  const older = await PGlite.create(join(directory, 'postgres'))
  await older.exec('create table organizations ()')
  await older.close()
  await writeFile(join(directory, 'postgres/ready'), '')
  const { code, stderr } = await start('infra/local/main.ts', { DATA_DIR: directory, PORT: '0' })
  await rm(directory, { recursive: true })
  expect(stderr.trim()).toBe(
    `Could not start Cuecard: the data in ${directory} is of an older version of Cuecard: move it away or delete it, then start again`,
  )
  expect(code).toBe(1)
})

const run = (env: Record<string, string>, ...args: string[]) => start('infra/migrations/main.ts', env, ...args)

function start(
  program: string,
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const main = join(import.meta.dirname, '../..', program)
  return new Promise((resolve) =>
    execFile(process.execPath, [main, ...args], { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}
