import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Decrypter } from 'age-encryption'
import { Client } from 'pg'
import { output } from './child.ts'
import { contentsOf, differences } from './contents.ts'
import { backupsIn, dumpOf, type Manifest, readManifest } from './manifest.ts'
import { connectionEnvironment, type PostgresTools, postgresTools } from './postgres-tools.ts'
import type { Store } from './store.ts'

export interface RestoreOptions {
  store: Store
  /** The newest by default. */
  name?: string | undefined
  /** Secret key, `AGE-SECRET-KEY-…`. */
  identity: string
  /** Of the owner of an empty database. */
  url: string
  env?: NodeJS.ProcessEnv
  onStep?: (step: string, seconds: number) => void
}

/**
 * Restores a backup into an empty database and checks that every row is there as it was. Not part of a backup: logins, which are made as for a
 * new system.
 * @throws Error, on one line: the database is not empty, the backup is incomplete or was changed, or the rows differ
 */
export async function restoreBackup(options: RestoreOptions): Promise<{ name: string; manifest: Manifest }> {
  const { store, identity, url, env = process.env, onStep } = options
  const name = options.name ?? (await backupsIn(store)).at(-1)
  if (!name) throw new Error('there is no complete backup')
  const manifest = await readManifest(store, name)
  const client = new Client({ connectionString: url })
  await client.connect()
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-restore-'))
  try {
    const tools = await prepare(client, manifest, env)
    const file = join(directory, 'dump')
    await step('download and decrypt', () => fetchDump(store, name, manifest, identity, file))
    await step('restore', () => restore(tools, file, url, env))
    await step('vacuum and analyze', () => client.query('vacuum analyze'))
    const contents = await step('compare every row', () => contentsOf(client))
    const differing = differences(manifest.tables, contents)
    if (differing.length > 0) throw new Error(`the rows are not those of the backup in ${differing.join(', ')}`)
    return { name, manifest }
  } finally {
    await rm(directory, { recursive: true })
    await client.end()
  }

  async function step<Result>(label: string, run: () => Promise<Result>): Promise<Result> {
    const started = performance.now()
    const result = await run()
    onStep?.(label, (performance.now() - started) / 1000)
    return result
  }
}

async function prepare(client: Client, { roles }: Manifest, env: NodeJS.ProcessEnv): Promise<PostgresTools> {
  const { rows } = await client.query<{ version: number; tables: number }>(`
    select current_setting('server_version_num')::int as version,
      (select count(*)::int from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r') as tables`)
  const { version, tables } = rows[0]!
  if (tables > 0) throw new Error(`the database is not empty: it has ${tables} tables`)
  const tools = await postgresTools(version, env)
  // They belong to the cluster, so that they are in no dump: grants and policies need them.
  for (const role of roles) {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
    if (rowCount === 0) await client.query(`create role ${client.escapeIdentifier(role)} nologin`)
  }
  return tools
}

async function fetchDump(
  store: Store,
  name: string,
  manifest: Manifest,
  identity: string,
  file: string,
): Promise<void> {
  const hash = createHash('sha256')
  const measured = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  const fetched = pipeline(store.get(dumpOf(name)), measured)
  fetched.catch(() => {})
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const plain = await decrypter.decrypt(Readable.toWeb(measured) as ReadableStream<Uint8Array<ArrayBuffer>>)
  await pipeline(Readable.fromWeb(plain as ReadableStream), createWriteStream(file, { mode: 0o600 }))
  await fetched
  if (hash.digest('hex') !== manifest.dump.sha256) throw new Error(`${dumpOf(name)} is not the file that was stored`)
}

/** Into the schema `public` that every database has: one that the dump made would lack what everybody may do there. */
async function restore({ pgRestore }: PostgresTools, file: string, url: string, env: NodeJS.ProcessEnv): Promise<void> {
  const entries = (await output(pgRestore, ['--list', file])).split('\n')
  await writeFile(`${file}.list`, entries.filter((entry) => !/ SCHEMA - public /.test(entry)).join('\n'))
  const environment = connectionEnvironment(url, env)
  const target = [`--dbname=${environment.PGDATABASE}`, `--use-list=${file}.list`]
  await output(pgRestore, ['--no-owner', '--exit-on-error', '--jobs=2', ...target, file], environment)
}
