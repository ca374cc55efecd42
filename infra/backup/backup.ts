import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter } from 'age-encryption'
import { escapeIdentifier, escapeLiteral } from 'pg'
import { roles } from '../migrations/access.ts'
import { withClient } from '../postgres-client.ts'
import { postgresProgram, requirePostgresPrograms } from './postgres.ts'
import { type Removals, selectRemovals } from './removals.ts'
import type { Store } from './store.ts'

const dumpSuffix = '.dump.age'
const removalsSuffix = '.removals.json'

/** Roles that grants name, which the dump of one database does not contain. */
const rolesOfGrants = roles.map((name) => `cuecard_${name}`)

/** Dumps a database, encrypted on this machine, with a list of earlier removals. @throws Error on one line; no dump is then stored */
export async function createBackup(store: Store, url: string, recipient: string, env?: NodeJS.ProcessEnv) {
  await requirePostgresPrograms(url, env)
  return await withDirectory(async (directory) => {
    const name = new Date().toISOString().replaceAll(':', '-')
    const file = join(directory, 'dump')
    const contents = ['--no-owner', '--schema=public', '--extension=vector']
    const options = ['--format=custom', '--compress=zstd', '--lock-wait-timeout=60s', ...contents]
    const dump = postgresProgram('pg_dump', url, env).start(options)
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    const encrypted = await encrypter.encrypt(toWeb(dump.stdout))
    await Promise.all([pipeline(fromWeb(encrypted), createWriteStream(file, { mode: 0o600 })), dump.ended])
    const removals = join(directory, 'removals')
    const list = await withClient(url, (client) =>
      selectRemovals(async (statement) => (await client.query(statement)).rows),
    )
    await writeFile(removals, JSON.stringify(list), { mode: 0o600 })
    await store.put(removals, `${name}${removalsSuffix}`)
    await store.put(file, `${name}${dumpSuffix}`)
    return { name, bytes: (await stat(file)).size }
  })
}

export async function listBackups(store: Store): Promise<string[]> {
  const names = await store.list()
  return names.filter((name) => name.endsWith(dumpSuffix)).map((name) => name.slice(0, -dumpSuffix.length))
}

/** The removals that every backup lists. */
export async function listRemovals(store: Store): Promise<Removals[]> {
  const names = (await store.list()).filter((name) => name.endsWith(removalsSuffix))
  return await withDirectory(async (directory) => {
    const lists: Removals[] = []
    for (const name of names) {
      const file = join(directory, name)
      await store.get(name, file)
      lists.push(JSON.parse(await readFile(file, 'utf8')))
    }
    return lists
  })
}

export interface Backup {
  store: Store
  identity: string
  name?: string | undefined
  env?: NodeJS.ProcessEnv | undefined
}

/**
 * Restores a backup, the newest by default, into an empty database without logins, whole or not at all. The database's comment names
 * the backup for a second run. @returns the backup's name @throws Error on one line
 */
export async function restoreBackup({ store, identity, name: wanted, env }: Backup, url: string): Promise<string> {
  await requirePostgresPrograms(url, env)
  const { begun, tables } = await withClient(url, async (client) => {
    const { rows } = await client.query(
      `select substring(shobj_description(oid, 'pg_database') from '^Cuecard backup (.*)') as begun, (select count(*)::int
        from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r') as tables
      from pg_database where datname = current_database()`,
    )
    return rows[0] as { begun: string | null; tables: number }
  })
  if (tables > 0 && (begun === null || (wanted ?? begun) !== begun))
    throw new Error(`the database is not empty: it has ${tables} tables`)
  const name = wanted ?? begun ?? (await listBackups(store)).at(-1)
  if (!name) throw new Error('there is no backup')
  if (tables === 0) await fill({ store, identity, env }, url, name)
  await withClient(url, (client) => client.query('vacuum analyze'))
  return name
}

async function fill({ store, identity, env }: Backup, url: string, name: string): Promise<void> {
  const database = decodeURIComponent(new URL(url).pathname.slice(1))
  await withClient(url, async (client) => {
    for (const role of rolesOfGrants) {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
      if (rowCount === 0) await client.query(`create role ${role} nologin`)
    }
    const comment = escapeLiteral(`Cuecard backup ${name}`)
    await client.query(`comment on database ${escapeIdentifier(database)} is ${comment}`)
  })
  await withDirectory(async (directory) => {
    const encrypted = join(directory, 'encrypted')
    const file = join(directory, 'dump')
    const contents = join(directory, 'contents')
    await store.get(`${name}${dumpSuffix}`, encrypted)
    const decrypter = new Decrypter()
    decrypter.addIdentity(identity)
    const plain = await decrypter.decrypt(toWeb(createReadStream(encrypted)))
    await pipeline(fromWeb(plain), createWriteStream(file, { mode: 0o600 }))
    const restore = postgresProgram('pg_restore', url, env)
    // Every database already has the schema `public`, with rights that the dump's own schema would lack.
    const entries = (await restore.run(['--list', file]))
      .split('\n')
      .filter((entry) => !/ SCHEMA - public /.test(entry))
    await writeFile(contents, entries.join('\n'))
    const options = ['--no-owner', '--single-transaction', `--dbname=${database}`, `--use-list=${contents}`]
    await restore.run([...options, file])
  })
}

async function withDirectory<Result>(use: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-backup-'))
  try {
    return await use(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

function toWeb(stream: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>
}

function fromWeb(stream: globalThis.ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as ReadableStream)
}
