import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { buildApp } from 'fauxqs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { output } from '../../infra/backup/child.ts'
import { contentsOf, differences } from '../../infra/backup/contents.ts'
import { createBackup } from '../../infra/backup/create.ts'
import { drill } from '../../infra/backup/drill/drill.ts'
import { backupsIn, dumpOf, manifestOf } from '../../infra/backup/manifest.ts'
import { postgresTools } from '../../infra/backup/postgres-tools.ts'
import { restoreBackup } from '../../infra/backup/restore.ts'
import { openStore, type Store } from '../../infra/backup/store.ts'
import { openDatabase } from '../../infra/local/database/database.ts'
import { createScratchDatabase } from '../../infra/local/database/scratch-database.ts'
import { migrate } from '../../infra/migrations/migrate.ts'
import { withClient } from '../../infra/postgres-client.ts'
import { newId } from '../../shared/ids.ts'

const server = process.env.DATABASE_URL
const hasTools = server !== undefined && (await hasToolsFor(server))
const closers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

async function hasToolsFor(url: string): Promise<boolean> {
  const version = await withClient(url, async (client) => {
    const { rows } = await client.query(`select current_setting('server_version_num')::int as version`)
    return rows[0].version
  })
  return await postgresTools(version, process.env).then(
    () => true,
    () => false,
  )
}

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

describe.runIf(hasTools)(
  'a backup (needs DATABASE_URL, and pg_dump of the server’s version on the path or in PG_BIN)',
  () => {
    let source: string
    let identity: string
    let recipient: string

    beforeAll(async () => {
      source = await scratch()
      const database = await openDatabase({ url: source })
      await migrate(database.pool)
      await database.pool.query(
        `insert into organizations (id, name) select gen_random_uuid(), 'Private ' || i from generate_series(1, 500) i`,
      )
      await database.close()
      identity = await generateX25519Identity()
      recipient = await identityToRecipient(identity)
    })

    async function backedUp(): Promise<{ store: Store; directory: string; name: string }> {
      const directory = await temporaryDirectory()
      const store = openStore(directory)
      const { name } = await createBackup({ url: source, recipient, store })
      return { store, directory, name }
    }

    test('is restored with every row, grant and policy, an erasure is replayed, and the same question has the same answer', async () => {
      const lines: string[] = []
      await drill(server!, (line) => lines.push(line))
      expect(lines).toEqual(
        expect.arrayContaining([
          'the schema is in step with this release',
          'erased again: 1',
          'rows, grants and policies are those of the source, where the customer was erased after the backup',
          '3 searches are answered alike, under the same key',
        ]),
      )
    })

    test('is listed once it is complete, can be read by its owner alone, and shows nothing of what is in it', async () => {
      const { store, directory, name } = await backedUp()
      expect(await backupsIn(store)).toEqual([name])
      for (const file of await store.list()) expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600)
      for (const file of await store.list())
        expect(await readFile(join(directory, file), 'latin1')).not.toContain('Private')
      await rm(join(directory, manifestOf(name)))
      expect(await backupsIn(store)).toEqual([])
      await expect(restoreBackup({ store, identity, url: await scratch() })).rejects.toThrow(
        'there is no complete backup',
      )
    })

    test('makes the roles that its grants name where they are missing', async () => {
      const role = `cuecard_${newId().slice(-12)}`
      await withClient(source, (client) =>
        client.query(`create role ${role}; grant select on organizations to ${role}`),
      )
      const { store } = await backedUp()
      await withClient(source, (client) => client.query(`drop owned by ${role}; drop role ${role}`))
      const url = await scratch()
      await restoreBackup({ store, identity, url })
      await withClient(url, async (client) => {
        const { rows } = await client.query(`select has_table_privilege($1, 'organizations', 'select') as may`, [role])
        expect(rows).toEqual([{ may: true }])
        await client.query(`drop owned by ${role}; drop role ${role}`)
      })
    })

    test('that was changed, or is opened with another key, is not restored', async () => {
      const { store, directory, name } = await backedUp()
      const other = await generateX25519Identity()
      await expect(restoreBackup({ store, identity: other, url: await scratch() })).rejects.toThrow(
        /identity|no match/i,
      )
      const file = join(directory, dumpOf(name))
      const bytes = await readFile(file)
      bytes[bytes.length - 1]! ^= 1
      await writeFile(file, bytes)
      const url = await scratch()
      await expect(restoreBackup({ store, identity, url })).rejects.toThrow()
      await withClient(url, async (client) => expect(await contentsOf(client)).toEqual({}))
    })

    test('whose rows are not those of its manifest is reported, table by table', async () => {
      const { store, directory, name } = await backedUp()
      const manifest = JSON.parse(await readFile(join(directory, manifestOf(name)), 'utf8'))
      manifest.tables.organizations.sum = '0'
      await writeFile(join(directory, manifestOf(name)), JSON.stringify(manifest))
      await expect(restoreBackup({ store, identity, url: await scratch() })).rejects.toThrow(
        'the rows are not those of the backup in organizations',
      )
    })

    test('is not restored over a database that has tables', async () => {
      const { store } = await backedUp()
      await expect(restoreBackup({ store, identity, url: source })).rejects.toThrow(/the database is not empty/)
    })

    test('that fails half-way is none', async () => {
      const bin = await temporaryDirectory()
      const script = (words: string) => `#!/bin/sh\nif [ "$1" = --version ]; then echo 99; exit; fi\n${words}\n`
      for (const tool of ['pg_dump', 'pg_restore'])
        await writeFile(join(bin, tool), script('echo PGDMP; echo torn >&2; exit 3'))
      for (const tool of ['pg_dump', 'pg_restore']) await chmod(join(bin, tool), 0o700)
      const store = openStore(await temporaryDirectory())
      const env = { ...process.env, PG_BIN: bin }
      await expect(createBackup({ url: source, recipient, store, env })).rejects.toThrow(/pg_dump ended with 3: torn/)
      expect(await backupsIn(store)).toEqual([])
    })

    test('tells any change of any table, and not the order of rows', async () => {
      await withClient(source, async (client) => {
        const before = await contentsOf(client)
        await client.query('begin')
        await client.query(
          `update organizations set name = 'Changed' where id = (select min(id::text)::uuid from organizations)`,
        )
        expect(differences(before, await contentsOf(client))).toEqual(['organizations'])
        await client.query('rollback; begin')
        // Other versions of the rows, elsewhere in the table.
        await client.query('update organizations set name = name')
        expect(differences(before, await contentsOf(client))).toEqual([])
        await client.query('rollback')
      })
    })
  },
)

const hasAws = spawnSync('aws', ['--version']).status === 0

describe.runIf(hasAws)('a store in S3 (needs the command aws)', () => {
  beforeAll(async () => {
    const app = buildApp({ logger: false })
    const endpoint = await app.listen({ port: 0, host: '127.0.0.1' })
    closers.push(() => app.close())
    Object.assign(process.env, {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    })
    await output('aws', ['s3', 'mb', 's3://backups'])
  })

  test('gives back what was put, and lists it under its prefix', async () => {
    const store = openStore('s3://backups/cuecard/prod/')
    const content = 'x'.repeat(20_000_000)
    await store.put('2027-01-01T00-00-00Z/dump.age', Readable.from([content]), 1e10)
    await store.put('2027-01-01T00-00-00Z/manifest.json', Readable.from(['{}']))
    await openStore('s3://backups/other').put('elsewhere', Readable.from(['no']))
    expect(await store.list()).toEqual(['2027-01-01T00-00-00Z/dump.age', '2027-01-01T00-00-00Z/manifest.json'])
    expect((await text(store.get('2027-01-01T00-00-00Z/dump.age'))) === content).toBe(true)
    expect(await backupsIn(store)).toEqual(['2027-01-01T00-00-00Z'])
  })

  test('says what the command says when a file or the bucket is missing', async () => {
    await expect(text(openStore('s3://backups').get('nothing'))).rejects.toThrow(
      /aws ended with \d+: .*(404|Not Found)/,
    )
    await expect(openStore('s3://nowhere').put('x', Readable.from(['x']))).rejects.toThrow(/aws ended with/)
  })
})

describe('npm run backup', () => {
  test('dumps nothing for a stage that is not there, whose alarm would miss the backup', () => {
    const { status, stderr } = backup('create', '/nowhere', '--stage', 'prdo')
    expect(stderr).toBe('error: --stage must be one of dev, prod, not prdo\n')
    expect(status).toBe(1)
  })

  test('says that a directory to list is not there', () => {
    const { status, stderr } = backup('list', '/nowhere')
    expect(stderr).toBe('error: no such directory: /nowhere\n')
    expect(status).toBe(1)
  })
})

function backup(...args: string[]) {
  const main = join(import.meta.dirname, '../../infra/backup/main.ts')
  return spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env: { PATH: process.env.PATH } })
}
