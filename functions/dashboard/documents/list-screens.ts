import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope } from '../../../shared/database/scope.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import { oneLine } from '../forms.ts'
import { agentPage } from '../layout.ts'
import { emptyView, filtersView, pagesView, rowsView } from '../list.ts'
import { documentsRoute, withQuery } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { trashPage } from '../trash.ts'
import { countOverviews, groups, listOverviews, tagOf } from './overview.ts'
import { type Place, rowView } from './row.ts'
import { isInWork } from './state.ts'
import { uploadView } from './upload.ts'

const rowsPerPage = 25
const maxSearch = 200
const names = { current: 'Current', needs: 'Needs you', past: 'Past' }

/** The creation time of the previous page's last row, in Unix milliseconds, and its id. */
const lastRow = /^\d{1,14}\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Invalid values count as absent: an address may be cut off or typed. */
const listQuery = v.object({
  q: v.fallback(v.optional(v.pipe(v.string(), v.transform(oneLine), v.maxLength(maxSearch))), undefined),
  show: v.fallback(v.optional(v.picklist(groups)), undefined),
  after: v.fallback(v.optional(v.pipe(v.string(), v.regex(lastRow))), undefined),
})
type ListQuery = v.InferOutput<typeof listQuery>

export function addListScreens(screens: Screens) {
  screens.get('/dashboard/agents/:agentId', { permission: 'kb:read' }, async ({ agent }) => ({
    redirect: agentPage((await agent()).id, 'documents'),
  }))
  screens.get(documentsRoute, { permission: 'kb:read' }, async ({ c, db, scope, isPartial, may }) => {
    const place = { agentId: scope.agentId, base: agentPage(scope.agentId, 'documents'), mayWrite: may('kb:write') }
    const { agent, ...list } = await readList(db, scope, place, v.parse(listQuery, c.req.query()))
    if (isPartial) return c.req.query('seen') === list.seen ? c.body(null, 204) : { fragment: listView(list) }
    const { base, mayWrite } = place
    return {
      title: 'Documents',
      lead: 'Your agent answers callers from these documents.',
      agent: { ...agent, tab: 'documents' },
      actions:
        mayWrite &&
        html`<a class="button plain" href="${base}/closed">Closed on …</a> <a class="button plain" href="${base}/new">Write text</a>`,
      content: html`${mayWrite && uploadView(base)}
${!hasNone(list) && searchForm(list)}
${listView(list)}
${mayWrite && html`<p><a href="${trashPage(scope.agentId)}">Trash</a></p>`}`,
      modules: mayWrite ? ['upload.js', 'select.js'] : [],
    }
  })
}

async function readList(db: Database, scope: AgentScope, place: Place, query: ListQuery) {
  const [time, id] = query.after?.split('.') ?? []
  const [agent, counts, { documents, hasMore }] = await Promise.all([
    getAgent(db, scope),
    countOverviews(db, scope),
    listOverviews(db, scope, {
      words: query.q?.split(/\s+/).filter(Boolean) ?? [],
      group: query.show,
      limit: rowsPerPage,
      after: id === undefined ? undefined : [new Date(Number(time)).toISOString(), id],
    }),
  ])
  const last = documents.at(-1)
  const next = hasMore && last ? `${last.created_at.getTime()}.${last.id}` : undefined
  const shown = [documents.map((document) => [document.id, tagOf(document)]), counts]
  const seen = createHash('sha256').update(JSON.stringify(shown)).digest('base64url')
  return { ...place, agent, query, documents, next, counts, seen }
}

type List = Omit<Awaited<ReturnType<typeof readList>>, 'agent'>

/** Shows the part that search and filters replace. Reloads itself after a change made on the page, and while a document is being processed. */
function listView(list: List) {
  const { base, query, documents, next, seen } = list
  return html`<section id="documents" aria-label="Documents"
  hx-get="${withQuery(base, { ...query })}" hx-vals="${JSON.stringify({ seen })}"
  hx-trigger="documents-changed from:body${documents.some(isInWork) && ', every 2s'}" hx-swap="outerMorph">
${!hasNone(list) && statesView(list)}
${documents.length > 0 ? html`${list.mayWrite && selectionForm(list)}${rowsView(documents.map((document) => rowView(list, document)))}` : noneView(list)}
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
  return filtersView('Filter by state', filters)
}

function searchForm({ base, query }: Pick<List, 'base' | 'query'>) {
  return html`<search class="toolbar"><form action="${base}" hx-get="${base}" hx-trigger="input delay:250ms, submit" hx-target="#documents" hx-swap="outerMorph" hx-sync="this:replace">
<input type="search" name="q" value="${query.q}" maxlength="${maxSearch}" placeholder="Search titles" aria-label="Search titles">
${query.show && html`<input type="hidden" name="show" value="${query.show}">`}<noscript><button>Search</button></noscript></form></search>`
}

/** `{count}` stands for the number of selected documents. */
const ofDeletion = { one: 'Delete 1 document', other: 'Delete {count} documents' }

/** The rows' check boxes belong to this form. */
function selectionForm({ base }: List) {
  return html`<form id="selection" class="selection" method="post" action="${base}/selected"><label data-all hidden><input type="checkbox"> Select all</label>
<button class="quiet danger" data-counted="${JSON.stringify(ofDeletion)}">Delete selected</button></form>`
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
