import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const unreachable = 'postgres://owner:secret@127.0.0.1:1/kb'

test.each<[string, string[], string, RegExp]>([
  [unreachable, [], 'Migrating kb at 127.0.0.1:1\n', /^Migration failed: (?!.*secret)/],
  ['', [], '', /^Migration failed: DATABASE_URL is not set/],
  [unreachable, ['--dry-run'], '', /^Migration failed: Unknown option/],
])(
  'npm run migrate prints the database that it migrates first, and an error in one line (%s %s)',
  (url, args, stdout, stderr) => {
    const main = join(import.meta.dirname, '../../infra/migrations/main.ts')
    const env = { PATH: process.env.PATH, DATABASE_URL: url }
    const run = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env })
    expect(run).toMatchObject({ status: 1, stdout, stderr: expect.stringMatching(stderr) })
  },
)
