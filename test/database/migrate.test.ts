import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrate } from '../../infra/migrations/migrate.ts'
import { useStand } from '../support/stand.ts'

const stand = useStand()

test('a database at the newest schema is left alone, by two runs at once as well', async () => {
  expect(await Promise.all([migrate(stand.pool), migrate(stand.pool)])).toEqual([[], []])
})

test('code that is older than the schema leaves the newer migrations alone, as a rollback needs', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999_newer', 'now')`.execute(stand.db)
  expect(await migrate(stand.pool)).toEqual([])
  const { rows } = await sql<{ name: string }>`select name from kysely_migration where name = '9999_newer'`.execute(
    stand.db,
  )
  expect(rows).toEqual([{ name: '9999_newer' }])
})
