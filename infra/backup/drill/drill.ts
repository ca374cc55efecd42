import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Database } from '../../../shared/database/database.ts'
import { createDocument } from '../../../shared/documents/client/create-document.ts'
import { erase } from '../../../shared/erasure/erase.ts'
import type { OrganizationId } from '../../../shared/ids.ts'
import { createAgent } from '../../admin/agents.ts'
import { createOrganization } from '../../admin/organizations.ts'
import { openDatabase } from '../../local/database/database.ts'
import { createScratchDatabase } from '../../local/database/scratch-database.ts'
import { migrateAt } from '../../migrations/migrate.ts'
import { createBackup, listRemovals } from '../backup.ts'
import { postgresProgram } from '../postgres.ts'
import { type Removals, removalsIn } from '../removals.ts'
import { restore } from '../restore.ts'
import { openStore, type Store } from '../store.ts'
import { startSystem } from './system.ts'

type Report = (line: string, seconds?: number) => void

const questions = ['Are you open on Sunday?', 'How much is it to fix a flat tire?', 'E-06 speedometer at zero']
const eraseOptions = { signal: new AbortController().signal, onProgress: () => {} }

/**
 * Backs up a system with samples, erases a customer, restores the backup into a second database and repeats the erasure. Drops both.
 * @param server the URL of a server where it may create databases @throws Error that names the differences on one line
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
    const removals = await withDatabase(source.url, async (db) => {
      await erase(db, { organizationId: customer }, eraseOptions)
      return await removalsIn(db)
    })

    const restored = await restoreDrill(server, store, identity, removals, report)
    closers.push(restored.drop)
    await requireSameRows(source.url, restored.url)
    await requireSameAccess(source.url, restored.url)
    report('rows, grants and policies equal those of the source')
    if (!isDeepStrictEqual(await askSystem(restored.url, directory), answers))
      throw new Error('the restored system gives different answers')
    report(`${questions.length} searches have the same answers, with the same key`)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/**
 * Restores the newest backup into a new database, like `npm run stage -- restore`, and compares its grants with a fresh schema's.
 * @param removals the removals since the backup; by default those that the backups list
 */
export async function restoreDrill(
  server: string,
  store: Store,
  identity: string,
  removals: Removals | undefined,
  report: Report,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const [target, fresh] = [await createScratchDatabase(server), await createScratchDatabase(server)]
  const started = performance.now()
  try {
    const { url } = target
    const since = removals ? [removals] : await listRemovals(store)
    const { backup, erased } = await withDatabase(url, (db) =>
      restore({ url, db, backup: { store, identity }, removals: () => Promise.resolve(since), ...eraseOptions }),
    )
    report(`erased again: ${erased}`)
    report(`${backup} is restored`, (performance.now() - started) / 1000)
    await migrateAt(fresh.url)
    await requireSameAccess(fresh.url, url)
    return target
  } catch (error) {
    await target.drop()
    throw error
  } finally {
    await fresh.drop()
  }
}

/** Compares rows, in any order. Leaves out tables that a drill itself writes: a repeated erasure has a later time. */
async function requireSameRows(expected: string, found: string): Promise<void> {
  const own = ['operator_actions', 'erasures', 'obsolete_files'].map((table) => `--exclude-table-data=${table}`)
  await requireSameDump(expected, found, ['--data-only', '--inserts', ...own], /./)
}

/** Compares grants and policies, not definitions: Postgres prints an expression that it has parsed twice with other parentheses. */
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

async function addCustomer(db: Database): Promise<OrganizationId> {
  const { id: organizationId } = await createOrganization(db, 'Erased Ltd')
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

async function withDatabase<Result>(url: string, use: (db: Database) => Promise<Result>): Promise<Result> {
  const database = await openDatabase({ url })
  try {
    return await use(new Database({ url: () => database.url, endpoint: database.endpoint, timeoutSeconds: 30 }))
  } finally {
    await database.close()
  }
}
