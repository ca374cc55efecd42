import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createEmptyDatabase } from '../support/empty-database.ts'

const directory = mkdtempSync(join(tmpdir(), 'cuecard-migrate-'))
afterAll(() => rmSync(directory, { recursive: true }))

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

  test('does not take an empty URL for the embedded database', async () => {
    const { code, stderr } = await run({ DATABASE_URL: '', DATA_DIR: join(directory, 'empty') })
    expect(stderr).toMatch(/^Migration failed: DATABASE_URL is empty/)
    expect(code).toBe(1)
    expect(existsSync(join(directory, 'empty'))).toBe(false)
  })

  test.each([
    ['--dry-run', 1],
    ['prod', 1],
    ['--help', 0],
  ])('migrates nothing with %s', async (argument, expected) => {
    const { code, stdout, stderr } = await run({ DATA_DIR: join(directory, 'none') }, argument)
    expect(code).toBe(expected)
    expect(expected === 0 ? stdout : stderr).toMatch(expected === 0 ? /^Usage: npm run migrate/ : /^Migration failed: /)
    expect(existsSync(join(directory, 'none'))).toBe(false)
  })
})

function run(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const main = join(import.meta.dirname, '../../infra/migrations/main.ts')
  return new Promise((resolve) =>
    execFile(process.execPath, [main, ...args], { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}
