import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Database } from '../../../shared/database/database.ts'
import { createDocument } from '../../../shared/documents/create-document.ts'
import { createAgent, createOrganization } from '../../admin/tenants.ts'
import { type LocalDatabase, openDatabase } from '../../local/database/database.ts'
import { createScratchDatabase } from '../../local/database/scratch-database.ts'
import { migrate } from '../../migrations/migrate.ts'
import { withClient } from '../../postgres-client.ts'
import { accessOf } from '../access.ts'
import { contentsOf, differences } from '../contents.ts'
import { createBackup } from '../create.ts'
import { erasuresFile, type Manifest } from '../manifest.ts'
import { restoreBackup } from '../restore.ts'
import { openStore, type Store } from '../store.ts'
import { cuecard } from './commands.ts'
import { startSystem } from './system.ts'

export type Report = (line: string, seconds?: number) => void

const questions = ['Are you open on Sunday?', 'How much is it to fix a flat tire?', 'E-06 speedometer at zero']
/** In which a drill writes itself. */
const drillsOwn = new Set(['operator_actions', 'erasures'])

/**
 * The whole way on two databases of the server, which it makes and drops: a system with documents is backed up, a customer is erased
 * afterwards, the backup is restored, the erasure replayed, and the restored system answers as the first.
 * @param server URL of a server on which it may make databases
 * @throws Error, on one line, that says what differs
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
    const recipient = await identityToRecipient(identity)
    const { manifest } = await timed('backup', () => createBackup({ url: source.url, recipient, store }))
    const erasures = await withDatabase(source.url, async (database) => {
      await cuecard(database, ['organization', 'delete', customer, '--yes-erase-name', customerName])
      return await cuecard(database, ['erasures', 'list', '--json'])
    })

    const restored = await restoreDrill(server, store, identity, erasures, report)
    closers.push(restored.drop)
    await requireEqual(source.url, restored.url, manifest)
    report('rows, grants and policies are those of the source, where the customer was erased after the backup')
    const again = await timed('start, and answer', () => askSystem(restored.url, directory))
    if (!isDeepStrictEqual(again, answers)) throw new Error('the restored system answers otherwise')
    report(`${questions.length} searches are answered alike, under the same key`)
  } finally {
    for (const close of closers.reverse()) await close()
  }

  async function timed<Result>(label: string, run: () => Promise<Result>): Promise<Result> {
    const started = performance.now()
    const result = await run()
    report(label, (performance.now() - started) / 1000)
    return result
  }
}

/**
 * Restores the newest backup of a store into a database that it makes, brings it up to date and erases again what was erased. Who may
 * do what there is compared with a database that the migrations make from nothing.
 * @param erasures what `erasures list --json` has printed @returns drops the database
 */
export async function restoreDrill(
  server: string,
  store: Store,
  identity: string,
  erasures: string | undefined,
  report: Report,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const target = await createScratchDatabase(server)
  const begun = performance.now()
  try {
    const { name } = await restoreBackup({ store, identity, url: target.url, onStep: report })
    await withDatabase(target.url, async (database) => {
      const applied = await migrate(database.pool)
      report(
        applied.length === 0 ? 'the schema is in step with this release' : `migrations applied: ${applied.join(', ')}`,
      )
      const list = erasures ?? (await text(store.get(erasuresFile)))
      const replayed = JSON.parse(await cuecard(database, ['erasures', 'replay', '--yes', '--json'], list))
      report(`erased again: ${replayed.data.length}`)
      if (JSON.parse(await cuecard(database, ['erasures', 'replay', '--json'])).data.length > 0)
        throw new Error('what was erased is still there')
    })
    report(`${name} is restored, checked and ready for its logins`, (performance.now() - begun) / 1000)
    await requireAccess(server, target.url)
    return target
  } catch (error) {
    await target.drop()
    throw error
  }
}

const customerName = 'Erased Ltd'

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

async function requireEqual(source: string, restored: string, { tables }: Manifest): Promise<void> {
  const [ours, theirs] = [await withClient(source, contentsOf), await withClient(restored, contentsOf)]
  const differing = differences(ours, theirs).filter((table) => !drillsOwn.has(table))
  if (differing.length > 0) throw new Error(`rows differ in ${differing.join(', ')}`)
  if (differences(tables, theirs).length === 0) throw new Error('the erasure has changed nothing')
  const [granted, restoredAccess] = [await withClient(source, accessOf), await withClient(restored, accessOf)]
  requireSameAccess(granted, restoredAccess)
}

async function requireAccess(server: string, restored: string): Promise<void> {
  const fresh = await createScratchDatabase(server)
  try {
    await withDatabase(fresh.url, ({ pool }) => migrate(pool))
    requireSameAccess(await withClient(fresh.url, accessOf), await withClient(restored, accessOf))
  } finally {
    await fresh.drop()
  }
}

function requireSameAccess(expected: string[], found: string[]): void {
  const differing = new Set(expected).symmetricDifference(new Set(found))
  if (differing.size > 0) throw new Error(`grants and policies differ: ${[...differing].slice(0, 5).join('; ')}`)
}

async function withDatabase<Result>(url: string, use: (database: LocalDatabase) => Promise<Result>): Promise<Result> {
  const database = await openDatabase({ url })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}
