import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrate } from '../infra/migrations/migrate.ts'
import { useStand } from './stand.ts'

const stand = useStand()
const url = () => process.env.DATABASE_URL!

test('a database at the newest schema is left alone, by two runs at once as well', async () => {
  expect(await Promise.all([migrate(url()), migrate(url())])).toEqual([[], []])
})

test('npm run migrate speaks to Neon with its driver: a session over its WebSocket, whatever TCP would say', async () => {
  const main = join(import.meta.dirname, '../infra/migrations/main.ts')
  const neon = new URL(url())
  neon.host = 'ep-cool-darkness-123456.eu-central-1.aws.neon.tech'
  const env = { ...process.env, DATABASE_URL: neon.href }
  const { stdout } = await promisify(execFile)(process.execPath, [main], { env })
  expect(stdout).toBe('The schema is up to date\n')
})

test('code that is older than the schema leaves the newer migrations alone, as a rollback needs', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999_newer', 'now')`.execute(stand.db)
  expect(await migrate(url())).toEqual([])
  const { rows } = await sql<{ name: string }>`select name from kysely_migration where name = '9999_newer'`.execute(
    stand.db,
  )
  expect(rows).toEqual([{ name: '9999_newer' }])
})
