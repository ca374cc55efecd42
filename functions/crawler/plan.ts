import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import type { PageTask } from '../../shared/database/website-tables.ts'
import { leftAlone } from './apply.ts'
import { type Claim, fenced } from './lease.ts'
import { isDocumentOfPage, isOwn } from './pages.ts'
import { changesOfCrawl, type FoundPage } from './site/changes.ts'

interface Row {
  address: string
  found: FoundPage['kind'] | 'excluded'
  at: string | null
  is_moved: boolean | null
  text_hash: string | null
  characters: number | null
  is_changed: boolean | null
  gone_since: Date | null
  was_given: boolean
  /** The length of its document's text; null if it has none. */
  document_characters: number | null
  document_hash: string | null
}

/** Plans the changes of the crawl. @returns a sentence if it must change nothing @throws LeaseLost */
export async function planChanges(db: Database, claim: Claim, home: string): Promise<string | undefined> {
  const { rows, clock } = await fenced(db, claim, () => ({
    rows: sql<Row>`select p.address, p.found, p.at, p.is_moved, encode(t.text_hash, 'hex') as text_hash, t.characters, t.is_changed, p.gone_since,
        p.applied_hash is not null as was_given, char_length(d.content) as document_characters, encode(d.content_hash, 'hex') as document_hash
      from source_pages p
        join source_pages t on t.organization_id = p.organization_id and t.source_id = p.source_id
          and t.address = coalesce(p.at, p.address)
        left join documents d on ${isDocumentOfPage}
      where ${isOwn(claim)} order by p.address`,
    clock: sql<{ now: Date }>`select now() as now`,
  }))
  const looked = rows.filter(({ found }) => found !== 'excluded')
  const before = looked.flatMap(
    ({ address, document_characters: given, document_hash: hash, gone_since: goneSince, was_given, characters }) =>
      // A person's text says nothing about the length of the page.
      given === null || hash === null
        ? []
        : [{ address, hash, characters: was_given ? given : (characters ?? given), goneSince }],
  )
  const { now } = clock[0]!
  const isGone = rows.some(({ address, found }) => address === home && found === 'gone')
  const failed = isGone ? 'The address itself is gone, so nothing was changed.' : undefined
  const decided = changesOfCrawl(before, looked.map(toFound), { home, now, failed })
  const byAddress = new Map(rows.map((row) => [row.address, row]))
  const isLeftAlone = (address: string) =>
    byAddress.get(address)!.was_given && byAddress.get(address)!.document_characters === null
  const tasksOf = (task: PageTask, addresses: string[]) => addresses.map((address) => ({ address, task }))
  const tasks = [
    ...tasksOf(
      'create',
      decided.create.filter((address) => !isLeftAlone(address)),
    ),
    ...tasksOf('update', decided.update),
    ...tasksOf('delete', [
      ...decided.delete,
      ...rows.flatMap(({ address, found }) => (found === 'excluded' ? address : [])),
    ]),
  ]
  const excuses = [...decided.leftOut, ...decided.create.filter(isLeftAlone).map((address) => [address, leftAlone])]
  const reasons = excuses.map(([address, reason]) => ({ address, reason }))
  await fenced(db, claim, (isLeased) => ({
    planned: sql`update source_pages p set task = t.task from ${recordset('t', { address: 'text', task: 'text' }, tasks)}
      where ${isOwn(claim)} and p.address = t.address and (t.task = 'delete' or p.content is not null) and ${isLeased}`,
    gone: sql`update source_pages p set gone_since = now()
      where ${isOwn(claim)} and p.address = any(${decided.markGone}::text[]) and p.gone_since is null and ${isLeased}`,
    back: sql`update source_pages p set gone_since = null
      where ${isOwn(claim)} and p.address = any(${decided.clearGone}::text[]) and ${isLeased}`,
    explained: sql`update source_pages p set left_out = r.reason
      from ${recordset('r', { address: 'text', reason: 'text' }, reasons)}
      where ${isOwn(claim)} and p.address = r.address and ${isLeased}`,
  }))
  return decided.refused
}

function toFound({ address, found, at, is_moved, text_hash, characters, is_changed }: Row): FoundPage {
  const kind = found as FoundPage['kind']
  if (kind !== 'page') return { address, kind }
  // It redirects to a page that redirects on, which has its own row.
  if (text_hash === null) return { address, kind: 'failed' }
  const page = { hash: text_hash, characters: characters!, isChanged: is_changed! }
  return { address, kind, at: at ?? address, isMoved: is_moved ?? true, ...page }
}
