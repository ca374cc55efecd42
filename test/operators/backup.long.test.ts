import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBackup, listBackups, listRemovals, restoreBackup } from '../../infra/backup/backup.ts'
import { drill } from '../../infra/backup/drill/drill.ts'
import { requirePostgresPrograms } from '../../infra/backup/postgres.ts'
import { openStore } from '../../infra/backup/store.ts'
import { openDatabase } from '../../infra/local/database/database.ts'
import { createScratchDatabase } from '../../infra/local/database/scratch-database.ts'
import { migrate } from '../../infra/migrations/migrate.ts'
import { withClient } from '../../infra/postgres-client.ts'

const server = process.env.DATABASE_URL
const hasPrograms = await requirePostgresPrograms(server ?? '').then(
  () => server !== undefined,
  () => false,
)
const closers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-backup-'))
  closers.push(() => rm(directory, { recursive: true }))
  return directory
}

async function scratch(): Promise<string> {
  const { url, drop } = await createScratchDatabase(server!)
  closers.push(drop)
  return url
}

describe.runIf(hasPrograms)('a backup (needs DATABASE_URL, and pg_dump on the path or in PG_BIN)', () => {
  let source: string
  let identity: string
  let recipient: string

  beforeAll(async () => {
    source = await scratch()
    const database = await openDatabase({ url: source })
    await migrate(database.pool)
    await database.pool.query(`insert into organizations (id, name) values (gen_random_uuid(), 'Private Ltd')`)
    await database.close()
    identity = await generateX25519Identity()
    recipient = await identityToRecipient(identity)
  })

  test('is restored with every row, grant and policy, an erasure is replayed, and the same questions have the same answers', async () => {
    const lines: string[] = []
    await drill(server!, (line) => lines.push(line))
    expect(lines).toEqual(
      expect.arrayContaining([
        'erased again: 1',
        'rows, grants and policies equal those of the source',
        '3 searches have the same answers, with the same key',
      ]),
    )
  }, 400_000)

  test('can be read by its owner only, reveals none of its contents, and lists every erasure of every backup', async () => {
    const directory = await temporaryDirectory()
    const store = openStore(directory)
    const erase = (id: string) =>
      withClient(source, (client) =>
        client.query(`insert into erasures (id, kind, organization_id) values ($1, 'organization', $1)`, [id]),
      )
    const ids = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
    await erase(ids[0]!)
    const { name } = await createBackup(store, source, recipient)
    await withClient(source, (client) => client.query('delete from erasures'))
    await erase(ids[1]!)
    await createBackup(store, source, recipient)
    expect((await listBackups(store))[0]).toBe(name)
    expect((await listRemovals(store)).flatMap(({ erasures }) => erasures.map(({ id }) => id))).toEqual(ids)
    for (const file of await readdir(directory)) {
      expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600)
      expect(await readFile(join(directory, file), 'latin1')).not.toContain('Private')
    }
  })

  test('that was changed, or is opened with another key, is not restored', async () => {
    const directory = await temporaryDirectory()
    const store = openStore(directory)
    const { name } = await createBackup(store, source, recipient)
    const url = await scratch()
    const tables = `select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`
    await expect(restoreBackup({ store, identity: await generateX25519Identity() }, url)).rejects.toThrow(
      /identity|no match/i,
    )
    const file = join(directory, `${name}.dump.age`)
    const bytes = await readFile(file)
    bytes[bytes.length - 1]! ^= 1
    await writeFile(file, bytes)
    await expect(restoreBackup({ store, identity }, url)).rejects.toThrow()
    await withClient(url, async (client) => expect((await client.query(tables)).rowCount).toBe(0))
  })

  test('is not restored over a database that has tables', async () => {
    const store = openStore(await temporaryDirectory())
    await createBackup(store, source, recipient)
    await expect(restoreBackup({ store, identity }, source)).rejects.toThrow(/the database is not empty/)
  })

  test('is not stored when pg_dump fails', async () => {
    const bin = await temporaryDirectory()
    for (const program of ['pg_dump', 'pg_restore']) {
      const script = '#!/bin/sh\nif [ "$1" = --version ]; then echo 99; exit; fi\necho PGDMP; echo torn >&2; exit 3\n'
      await writeFile(join(bin, program), script)
      await chmod(join(bin, program), 0o700)
    }
    const directory = await temporaryDirectory()
    const backup = createBackup(openStore(directory), source, recipient, { ...process.env, PG_BIN: bin })
    await expect(backup).rejects.toThrow(/pg_dump ended with 3: torn/)
    expect(await readdir(directory)).toEqual([])
  })
})

test('npm run restore-drill without a server says what to start', () => {
  const main = join(import.meta.dirname, '../../infra/backup/main.ts')
  const drilled = (env: object) =>
    spawnSync(process.execPath, [main, 'drill'], { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } }).stderr
  expect(drilled({})).toMatch(/^error: DATABASE_URL is not set: start a PostgreSQL server with pgvector.*\n$/)
  expect(drilled({ DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' })).toMatch(
    /^error: no server answers.*: start a .*\n$/,
  )
})

test('backups in a directory that is missing are an error, not an empty list', async () => {
  await expect(listBackups(openStore('/nowhere'))).rejects.toThrow('no such directory: /nowhere')
})
