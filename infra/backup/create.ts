import { createHash } from 'node:crypto'
import { PassThrough, Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Encrypter } from 'age-encryption'
import { Client } from 'pg'
import { grantedRoles } from './access.ts'
import { type Child, start } from './child.ts'
import { contentsOf } from './contents.ts'
import { dumpOf, erasuresFile, type Manifest, manifestOf } from './manifest.ts'
import { connectionEnvironment, postgresTools } from './postgres-tools.ts'
import type { Store } from './store.ts'

export interface BackupOptions {
  /** Of the owner, on the database's direct host. */
  url: string
  /** Public key, `age1…`. */
  recipient: string
  store: Store
  env?: NodeJS.ProcessEnv
}

/**
 * Dumps the database, encrypted on this machine, and what is needed to check a restore of it, both of one moment. No more is held in memory than
 * passes through.
 * @returns its name, the moment in time, and what its manifest says
 * @throws Error, on one line, when any part of it failed; then there is no manifest, and so no backup
 */
export async function createBackup({ url, recipient, store, env = process.env }: BackupOptions) {
  const started = performance.now()
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ version: number; bytes: string }>(
      `select current_setting('server_version_num')::int as version, pg_database_size(current_database()) as bytes`,
    )
    const { version, bytes: databaseBytes } = rows[0]!
    const { pgDump } = await postgresTools(version, env)
    await client.query('begin isolation level repeatable read read only')
    await client.query(`set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0`)
    const { rows: moments } = await client.query<{ snapshot: string; taken_at: string }>(
      `select pg_export_snapshot() as snapshot, to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as taken_at`,
    )
    const { snapshot, taken_at } = moments[0]!
    const name = taken_at.replaceAll(':', '-')
    const dump = start(pgDump, dumpArguments(snapshot), connectionEnvironment(url, env))
    dump.stdin.end()
    const [{ bytes, sha256 }, tables] = await Promise.all([
      storeEncrypted(dump, recipient, (content) => store.put(dumpOf(name), content, 2 * Number(databaseBytes))),
      contentsOf(client),
    ])
    const manifest: Manifest = {
      format: 1,
      taken_at,
      seconds: Math.round((performance.now() - started) / 100) / 10,
      server_version: version,
      dump: { bytes, sha256 },
      roles: await grantedRoles(client),
      migrations: await valuesOf(client, 'select name as value from kysely_migration order by name'),
      tables,
    }
    const erasures = await valuesOf(
      client,
      `select jsonb_build_object('data', coalesce(jsonb_agg(
      jsonb_build_object('id', id, 'kind', kind, 'organization_id', organization_id, 'agent_id', agent_id,
        'requested_at', to_char(requested_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by requested_at), '[]'))::text as value
      from erasures`,
    )
    await store.put(erasuresFile, Readable.from([`${erasures[0]}\n`]))
    await store.put(manifestOf(name), Readable.from([`${JSON.stringify(manifest, undefined, 2)}\n`]))
    return { name, manifest }
  } finally {
    await client.end()
  }
}

/** Waits a minute for a lock, so that a migration does not wait behind it for longer. */
function dumpArguments(snapshot: string): string[] {
  const scope = ['--schema=public', '--extension=vector']
  return [
    '--format=custom',
    '--compress=zstd',
    '--no-owner',
    '--lock-wait-timeout=60s',
    `--snapshot=${snapshot}`,
    ...scope,
  ]
}

async function storeEncrypted(
  dump: Child,
  recipient: string,
  put: (content: Readable) => Promise<void>,
): Promise<{ bytes: number; sha256: string }> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  // A dump that ends early must not look like one that is complete: the end is passed on when the program has ended well.
  const whole = new PassThrough()
  const read = Promise.all([pipeline(dump.stdout, whole, { end: false }), dump.ended]).then(
    () => void whole.end(),
    (error: Error) => void whole.destroy(error),
  )
  const plain = Readable.toWeb(whole) as ReadableStream<Uint8Array<ArrayBuffer>>
  const encrypted = Readable.fromWeb((await encrypter.encrypt(plain)) as ReadableStream)
  const hash = createHash('sha256')
  let bytes = 0
  const measured = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      hash.update(chunk)
      done(null, chunk)
    },
  })
  await Promise.all([read, pipeline(encrypted, measured), put(measured)])
  return { bytes, sha256: hash.digest('hex') }
}

async function valuesOf(client: Client, query: string): Promise<string[]> {
  const { rows } = await client.query<{ value: string }>(query)
  return rows.map(({ value }) => value)
}
