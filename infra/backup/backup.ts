import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter } from 'age-encryption'
import { withClient } from '../postgres-client.ts'
import { databaseUsers } from '../wiring.ts'
import { postgresProgram, requirePostgresPrograms } from './postgres.ts'
import type { Store } from './store.ts'

const dumpSuffix = '.dump.age'
const erasuresSuffix = '.erasures.json'

/** Grants name these roles, and a dump of one database holds no roles. */
const roles = [...databaseUsers, 'operator'].map((name) => `cuecard_${name}`)

/** Dumps a database, encrypted on this machine, and beside it the list of erasures. @throws Error on one line; no dump is stored then */
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
    const erasures = join(directory, 'erasures')
    const { rows } = await withClient(url, (client) =>
      client.query('select id, kind, organization_id, agent_id, requested_at from erasures order by requested_at'),
    )
    await writeFile(erasures, JSON.stringify({ data: rows }), { mode: 0o600 })
    await store.put(erasures, `${name}${erasuresSuffix}`)
    await store.put(file, `${name}${dumpSuffix}`)
    return { name, bytes: (await stat(file)).size }
  })
}

export async function listBackups(store: Store): Promise<string[]> {
  const names = await store.list()
  return names.filter((name) => name.endsWith(dumpSuffix)).map((name) => name.slice(0, -dumpSuffix.length))
}

/** Every erasure that any backup lists, in the form that `erasures replay` reads. */
export async function listErasures(store: Store): Promise<{ data: { id: string }[] }> {
  const names = (await store.list()).filter((name) => name.endsWith(erasuresSuffix))
  return await withDirectory(async (directory) => {
    const erasures = new Map<string, { id: string }>()
    for (const name of names) {
      const file = join(directory, name)
      await store.get(name, file)
      for (const erasure of JSON.parse(await readFile(file, 'utf8')).data) erasures.set(erasure.id, erasure)
    }
    return { data: [...erasures.values()] }
  })
}

/** Restores a backup, the newest by default, into an empty database, without logins. @returns its name @throws Error on one line */
export async function restoreBackup(store: Store, url: string, identity: string, wanted?: string): Promise<string> {
  const name = wanted ?? (await listBackups(store)).at(-1)
  if (!name) throw new Error('there is no backup')
  await requirePostgresPrograms(url)
  await withClient(url, async (client) => {
    const { rows } = await client.query(
      `select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    if (rows.length > 0) throw new Error(`the database is not empty: it has ${rows.length} tables`)
    for (const role of roles) {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
      if (rowCount === 0) await client.query(`create role ${role} nologin`)
    }
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
    const restore = postgresProgram('pg_restore', url)
    // Every database has the schema `public` already, with rights that the dump's own would lack.
    const entries = (await restore.run(['--list', file]))
      .split('\n')
      .filter((entry) => !/ SCHEMA - public /.test(entry))
    await writeFile(contents, entries.join('\n'))
    const database = decodeURIComponent(new URL(url).pathname.slice(1))
    const options = ['--no-owner', '--exit-on-error', '--jobs=2', `--dbname=${database}`, `--use-list=${contents}`]
    await restore.run([...options, file])
  })
  await withClient(url, (client) => client.query('vacuum analyze'))
  return name
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
