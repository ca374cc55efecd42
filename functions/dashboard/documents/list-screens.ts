import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope } from '../../../shared/database/scope.ts'
import type { Status } from '../../../shared/database/tables.ts'
import { documentId } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import { agentPage } from '../layout.ts'
import { emptyView, filtersView, pagesView, searchText, searchView, wordsIn } from '../list.ts'
import { documentsRoute, withQuery } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { trashPage } from '../trash.ts'
import { countApart, findOverviews, type Group, groups, listOverviews, type Overview, tagOf } from './overview.ts'
import { type Place, rowView } from './row.ts'
import { isInWork, isStopped, mayBeRetried, stateOf } from './state.ts'
import { uploadView } from './upload.ts'

const rowsPerPage = 25
const names = { current: 'Current', needs: 'Needs you', ready: 'Ready', unfinished: 'Processing', past: 'Past' }

/** The creation time of the previous page's last row, in Unix milliseconds, and its id. */
const lastRow = /^\d{1,14}\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Invalid values count as absent: an address may be cut off or typed. */
const listQuery = v.object({
  q: searchText,
  show: v.fallback(v.optional(v.picklist(groups)), undefined),
  after: v.fallback(v.optional(v.pipe(v.string(), v.regex(lastRow))), undefined),
  /** Asks for the changed documents among `seen`. */
  live: v.optional(v.string()),
})
type ListQuery = Omit<v.InferOutput<typeof listQuery>, 'live'>

/** A document's id, and the tag of the shown state (`tagOf`). */
const seenDocument = v.pipe(
  v.string(),
  v.transform((text) => /^([^.]+)\.(.+)$/.exec(text)?.slice(1)),
  v.strictTuple([documentId, v.string()]),
)

export function addListScreens(screens: Screens) {
  screens.get(documentsRoute, { permission: 'kb:read' }, async ({ c, db, scope, isPartial, may }) => {
    const place = { agentId: scope.agentId, base: agentPage(scope.agentId, 'documents'), mayWrite: may('kb:write') }
    const { live, ...query } = v.parse(listQuery, c.req.query())
    if (isPartial && live) {
      const changes = await readChanges(db, scope, c.req.queries('seen') ?? [])
      return changes ? { fragment: changesView({ ...place, query }, changes) } : c.body(null, 204)
    }
    const { agent, ...list } = await readList(db, scope, place, query)
    if (isPartial) return { fragment: listView(list) }
    const { base, mayWrite } = place
    return {
      title: 'Documents',
      lead: 'Your agent answers callers from these documents.',
      agent: { ...agent, tab: 'documents' },
      actions:
        mayWrite &&
        html`<a class="button plain" href="${base}/closed">Closed on …</a> <a class="button plain" href="${base}/new">Write text</a>`,
      content: html`${mayWrite && uploadView(base)}
${searchForm(list)}
${listView(list)}
${mayWrite && html`<p><a href="${trashPage(scope.agentId)}">Trash</a></p>`}`,
      modules: mayWrite ? ['upload.js', 'select.js'] : [],
    }
  })
}

/** Finds the documents that have changed since they were `seen`. Undefined if none has. */
async function readChanges(db: Database, scope: AgentScope, seen: string[]) {
  const { success, output } = v.safeParse(v.array(seenDocument), seen)
  const tags = new Map<string, string>(success ? output : [])
  const found = await findOverviews(db, scope, [...tags.keys()])
  const changed = found.filter((document) => tags.get(document.id) !== tagOf(document))
  const gone = [...tags.keys()].filter((id) => !found.some((document) => document.id === id))
  const isSettled = !found.some(isInWork)
  if (changed.length + gone.length === 0 && !isSettled) return undefined
  const [{ documents }, apart] = await Promise.all([getAgent(db, scope), countApart(db, scope)])
  return { changed, gone, isSettled, counts: countsOf(documents, apart) }
}

async function readList(db: Database, scope: AgentScope, place: Place, query: ListQuery) {
  const [time, id] = query.after?.split('.') ?? []
  const [agent, apart, { documents, hasMore }] = await Promise.all([
    getAgent(db, scope),
    countApart(db, scope),
    listOverviews(db, scope, {
      words: wordsIn(query.q),
      group: query.show,
      limit: rowsPerPage,
      after: id === undefined ? undefined : [new Date(Number(time)).toISOString(), id],
    }),
  ])
  const last = documents.at(-1)
  const next = hasMore && last ? `${last.created_at.getTime()}.${last.id}` : undefined
  return { ...place, agent, query, documents, next, counts: countsOf(agent.documents, apart) }
}

/** A ready document may need a person, too. */
function countsOf(all: Record<Status, number>, apart: Awaited<ReturnType<typeof countApart>>): Counts {
  const sum = (...counts: number[]) => counts.reduce((total, count) => total + count, 0)
  const those = (isPast: boolean, ...statuses: Status[]) =>
    sum(...apart.flatMap((row) => (row.is_past === isPast && statuses.includes(row.status) ? [row.count] : [])))
  const every = ['pending', 'processing', 'completed', 'error'] as const
  const past = those(true, ...every)
  const unfinished =
    sum(all.pending, all.processing) - those(true, 'pending', 'processing') - those(false, 'pending', 'processing')
  const ready = all.completed - those(true, 'completed')
  return { current: sum(...Object.values(all)) - past, needs: those(false, ...every), ready, unfinished, past }
}

/** Counts all of the agent's documents, not only those found. */
type Counts = Record<Group | 'current', number>
type List = Omit<Awaited<ReturnType<typeof readList>>, 'agent'>
type Changes = NonNullable<Awaited<ReturnType<typeof readChanges>>>

/** Shows the part that search and filters replace. Reloads itself after a change made on the page. */
function listView(list: List) {
  const { base, query, documents, next } = list
  const isEmpty = hasNone(list)
  return html`<section id="documents" aria-label="Documents"
  hx-get="${withQuery(base, { ...query })}" hx-trigger="documents-changed from:body" hx-swap="outerMorph"${isEmpty && html` data-empty`}>
${!isEmpty && statesView(list)}
${documents.length > 0 ? html`${list.mayWrite && selectionForm(list)}<ul class="documents">${documents.map((document) => rowView(list, document))}</ul>` : noneView(list)}
${liveView(list)}
${pagesView(
  ['Newest documents', query.after && withQuery(base, { ...query, after: undefined })],
  ['Older documents', next && withQuery(base, { ...query, after: next })],
)}
</section>`
}

function statesView({ base, query, counts }: Pick<List, 'base' | 'query' | 'counts'>) {
  const filters = (['current', ...groups] as const).map((group) => {
    const show = group === 'current' ? undefined : group
    const path = withQuery(base, { q: query.q, show })
    return { name: names[group], path, count: counts[group], isCurrent: show === query.show }
  })
  return filtersView('Filter by state', filters, 'document-filters')
}

function searchForm({ base, query }: Pick<List, 'base' | 'query'>) {
  const live = html`hx-get="${base}" hx-trigger="input delay:250ms, submit" hx-target="#documents" hx-swap="outerMorph" hx-sync="this:replace"`
  return searchView(base, 'Search titles', query.q, query.show, live)
}

/** `{count}` stands for the number of selected documents. */
const ofDeletion = { one: 'Delete 1 document', other: 'Delete {count} documents' }

/** The rows' check boxes belong to this form. */
function selectionForm({ base, documents }: List) {
  return html`<form id="selection" class="selection" method="post" action="${base}/selected"><label data-all hidden><input type="checkbox"> Select all on this page</label>
${documents.some(mayBeRetried) && html`<button class="plain" name="action" value="retry" aria-label="Try again: the selected documents">Try again</button>`}
<button class="quiet danger" name="action" value="delete" data-counted="${JSON.stringify(ofDeletion)}">Delete selected</button></form>`
}

const hasNone = ({ counts: { current, past } }: Pick<List, 'counts'>) => current + past === 0

function noneView(list: List) {
  const { base, query, counts, mayWrite } = list
  const past = query.show === undefined && counts.past > 0 && withQuery(base, { q: query.q, show: 'past' })
  return !hasNone(list)
    ? html`<p class="none">No documents match. ${past ? html`<a href="${past}">Look among past documents</a>` : html`<a href="${base}">Show all current documents</a>`}</p>`
    : emptyView(
        'document',
        'No documents yet',
        mayWrite
          ? 'Upload a file or write a text. A moment later, your agent answers from it.'
          : 'Someone who can add documents has to add the first one.',
      )
}

/** While a document is being processed, asks every two seconds for changed rows. */
function liveView({ base, query, documents }: List) {
  return (
    documents.some(isInWork) &&
    html`<div id="live" hx-get="${withQuery(base, { q: query.q, show: query.show, live: '1' })}" hx-include="#documents [name=seen]" hx-trigger="every 2s" hx-swap="none"></div>`
  )
}

function changesView(place: Place & { query: ListQuery }, { changed, gone, isSettled, counts }: Changes) {
  const announced = changed.map(announcement).filter((text) => text !== undefined)
  return html`${changed.map((document) => html`<hx-partial hx-target="#document-${document.id}" hx-swap="outerMorph">${rowView(place, document)}</hx-partial>`)}
${gone.map((id) => html`<hx-partial hx-target="#document-${id}" hx-swap="delete"></hx-partial>`)}
${isSettled && html`<hx-partial hx-target="#live" hx-swap="delete"></hx-partial>`}
<hx-partial hx-target="#document-filters" hx-swap="outerMorph">${statesView({ ...place, counts })}</hx-partial>
${announced.length > 0 && html`<hx-partial hx-target="#announcer" hx-swap="textContent">${announced.join(' ')}</hx-partial>`}`
}

function announcement(document: Overview): string | undefined {
  const { title, changes } = document
  if (changes) return `“${title}” looks like a new version of “${changes.otherTitle}”: replace that one, or keep both?`
  if (document.is_held) return `“${title}” needs your decision: the document that it seemed to replace was deleted.`
  if (isStopped(document)) return `“${title}” needs your decision: a check expects something else.`
  const { kind } = stateOf(document)
  if (kind === 'ready') return `“${title}” is ready.`
  return kind === 'failed' ? `“${title}” failed.` : undefined
}
