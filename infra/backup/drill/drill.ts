import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Database } from '../../../shared/database/database.ts'
import { createDocument } from '../../../shared/documents/create-document.ts'
import { runCommand } from '../../admin/program.ts'
import { createAgent, createOrganization } from '../../admin/tenants.ts'
import { type LocalDatabase, openDatabase } from '../../local/database/database.ts'
import { createScratchDatabase } from '../../local/database/scratch-database.ts'
import { migrate } from '../../migrations/migrate.ts'
import { urlOfRole } from '../../postgres-url.ts'
import { createBackup, listErasures, restoreBackup } from '../backup.ts'
import { postgresProgram } from '../postgres.ts'
import { openStore, type Store } from '../store.ts'
import { startSystem } from './system.ts'

type Report = (line: string, seconds?: number) => void

const questions = ['Are you open on Sunday?', 'How much is it to fix a flat tire?', 'E-06 speedometer at zero']
const customerName = 'Erased Ltd'

/**
 * Backs up a system with samples, erases a customer, restores the backup into a second database and replays the erasure. Drops both.
 * @param server URL of a server on which it may create databases @throws Error, on one line, that says what differs
 */
export async function drill(server: string, report: Report): Promise<void> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const identity = await generateX25519Identity()
    const directory = await mkdtemp(join(tmpdir(), 'cuecard-drill-'))
    closers.push(() => rm(directory, { recursive: true }))
    const store = openStore(join(directory, 'backups'))
    const source = await createScratchDatabase(server)
    closers.push(source.drop)

    const answers = await askSystem(source.url, directory)
    const customer = await withDatabase(source.url, addCustomer)
    await createBackup(store, source.url, await identityToRecipient(identity))
    const erasures = await withDatabase(source.url, async (database) => {
      await cuecard(database, ['organization', 'delete', customer, '--yes-erase-name', customerName])
      return await cuecard(database, ['erasures', 'list', '--json'])
    })

    const restored = await restoreDrill(server, store, identity, erasures, report)
    closers.push(restored.drop)
    await requireSameRows(source.url, restored.url)
    await requireSameAccess(source.url, restored.url)
    report('rows, grants and policies equal those of the source')
    if (!isDeepStrictEqual(await askSystem(restored.url, directory), answers))
      throw new Error('the restored system gives other answers')
    report(`${questions.length} searches have the same answers, with the same key`)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/**
 * Restores the newest backup into a new database, migrates it, replays erasures, and compares its grants with those of a fresh schema.
 * @param erasures what `erasures list --json` printed; by default what the backups list
 */
export async function restoreDrill(
  server: string,
  store: Store,
  identity: string,
  erasures: string | undefined,
  report: Report,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const [target, fresh] = [await createScratchDatabase(server), await createScratchDatabase(server)]
  const started = performance.now()
  try {
    const name = await restoreBackup(store, target.url, identity)
    await withDatabase(target.url, async (database) => {
      await migrate(database.pool)
      const list = erasures ?? JSON.stringify(await listErasures(store))
      const replayed = JSON.parse(await cuecard(database, ['erasures', 'replay', '--yes', '--json'], list))
      report(`erased again: ${replayed.data.length}`)
      if (JSON.parse(await cuecard(database, ['erasures', 'replay', '--json'])).data.length > 0)
        throw new Error('what was erased is still there')
    })
    report(`${name} is restored`, (performance.now() - started) / 1000)
    await withDatabase(fresh.url, ({ pool }) => migrate(pool))
    await requireSameAccess(fresh.url, target.url)
    return target
  } catch (error) {
    await target.drop()
    throw error
  } finally {
    await fresh.drop()
  }
}

/** Compares rows, in any order. A drill itself writes the tables that are left out: an erasure replayed has a later time. */
async function requireSameRows(expected: string, found: string): Promise<void> {
  const own = ['operator_actions', 'erasures', 'obsolete_files'].map((table) => `--exclude-table-data=${table}`)
  await requireSameDump(expected, found, ['--data-only', '--inserts', ...own], /./)
}

/** Compares grants and policies. Definitions are left out: Postgres prints an expression that it has parsed twice with other parentheses. */
async function requireSameAccess(expected: string, found: string): Promise<void> {
  const access = /^(GRANT|REVOKE|CREATE POLICY|ALTER TABLE .* ROW LEVEL SECURITY)/
  await requireSameDump(expected, found, ['--schema-only'], access)
}

async function requireSameDump(expected: string, found: string, options: string[], compared: RegExp): Promise<void> {
  const linesOf = async (url: string) => {
    const dump = await postgresProgram('pg_dump', url).run(['--no-owner', '--schema=public', ...options])
    // `\restrict` has a random token.
    return new Set(dump.split('\n').filter((line) => compared.test(line) && !line.startsWith('\\')))
  }
  const differing = (await linesOf(expected)).symmetricDifference(await linesOf(found))
  if (differing.size > 0) throw new Error(`the databases differ: ${[...differing].join(' | ').slice(0, 500)}`)
}

async function addCustomer({ url, endpoint }: LocalDatabase): Promise<string> {
  const db = new Database({ url: () => url, endpoint, timeoutSeconds: 30 })
  const { id: organizationId } = await createOrganization(db, customerName)
  const { id: agentId } = await createAgent(db, organizationId, 'Front desk')
  const document = { title: 'Private', content: 'What nobody may find again.' }
  await createDocument({ db, queue: undefined }, { organizationId, agentId }, document, {})
  return organizationId
}

async function askSystem(url: string, directory: string): Promise<unknown[]> {
  const system = await startSystem(url, join(directory, 'stand'))
  try {
    return await Promise.all(questions.map((question) => system.ask(question)))
  } finally {
    await system.stop()
  }
}

async function withDatabase<Result>(url: string, use: (database: LocalDatabase) => Promise<Result>): Promise<Result> {
  const database = await openDatabase({ url })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

/** Runs `npx cuecard` on a database, as an operator. @returns what it prints @throws Error when it fails */
async function cuecard({ url, endpoint, makeLogins }: LocalDatabase, args: string[], stdin = ''): Promise<string> {
  await makeLogins()
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  const code = await runCommand(args, {
    env: { DATABASE_URL: urlOfRole(url, 'cuecard_operator'), DATABASE_ENDPOINT: endpoint },
    stdin: Readable.from([stdin]),
    stdout,
    stderr,
    person: 'restore drill',
    signal: new AbortController().signal,
  })
  stdout.end()
  stderr.end()
  const [output, errors] = await printed
  if (code !== 0) throw new Error(`npx cuecard ${args.join(' ')}: ${errors}`)
  return output
}
