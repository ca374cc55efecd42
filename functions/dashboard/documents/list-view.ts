import { html } from 'hono/html'
import { emptyView, filtersView, pagesView } from '../list.ts'
import { withQuery } from '../paths.ts'
import { type Group, groups, type Overview } from './overview.ts'
import type { Place } from './place.ts'
import { rowView } from './row.ts'
import { isInWork, stateOf } from './state.ts'

const names = { all: 'All', ready: 'Ready', unfinished: 'Processing', failed: 'Failed' }

export interface ListQuery {
  q?: string | undefined
  show?: Group | undefined
  after?: string | undefined
}

export interface List extends Place {
  query: ListQuery
  documents: Overview[]
  next?: string | undefined
  /** Counts all of the agent's documents, not only those found. */
  counts: Record<Group | 'all', number>
}

/** What search, filters and changes replace. It loads itself again when something on the page has changed the documents. */
export function listView(list: List) {
  const { base, query, documents, next, counts } = list
  return html`<section id="documents" aria-label="Documents"
  hx-get="${withQuery(base, { ...query })}" hx-trigger="documents-changed from:body" hx-swap="outerMorph"${counts.all === 0 && html` data-empty`}>
${counts.all > 0 && statesView(list)}
${documents.length > 0 ? html`${list.mayWrite && selectionForm(base)}<ul class="documents">${documents.map((document) => rowView(list, document))}</ul>` : noneView(list)}
${liveView(list)}
${pagesView(
  ['Newest documents', query.after && withQuery(base, { ...query, after: undefined })],
  ['Older documents', next && withQuery(base, { ...query, after: next })],
)}
</section>`
}

function statesView({ base, query, counts }: Pick<List, 'base' | 'query' | 'counts'>) {
  const filters = (['all', ...Object.keys(groups)] as (Group | 'all')[]).map((group) => {
    const show = group === 'all' ? undefined : group
    const path = withQuery(base, { q: query.q, show })
    return { name: names[group], path, count: counts[group], isCurrent: show === query.show }
  })
  return filtersView('Filter by state', filters, 'document-filters')
}

export function searchForm({ base, query }: Pick<List, 'base' | 'query'>) {
  return html`<search class="toolbar"><form action="${base}" hx-get="${base}" hx-trigger="input delay:250ms, submit"
  hx-target="#documents" hx-swap="outerMorph" hx-sync="this:replace">
<input type="search" name="q" value="${query.q ?? ''}" maxlength="200" placeholder="Search titles" aria-label="Search titles">
${query.show && html`<input type="hidden" name="show" value="${query.show}">`}
<noscript><button>Search</button></noscript></form></search>`
}

/** The check boxes of the rows belong to this form. */
function selectionForm(base: string) {
  return html`<form id="selection" class="selection" action="${base}/selected"><label data-all hidden><input type="checkbox"> Select all on this page</label>
<button class="plain">Change the selected documents</button>
<button class="quiet danger" formmethod="post" name="action" value="delete" aria-label="Delete the selected documents">Delete</button></form>`
}

function noneView({ base, counts, mayWrite }: List) {
  return counts.all > 0
    ? html`<p class="none">No documents match. <a href="${base}">Show all documents</a></p>`
    : emptyView(
        'document',
        'No documents yet',
        mayWrite
          ? 'Upload a file or write a text. A moment later, your agent answers from it.'
          : 'Someone whose key can add documents has to add the first one.',
      )
}

/** While a document is being processed, asks every two seconds for changed rows. */
function liveView({ base, query, documents }: List) {
  return (
    documents.some(isInWork) &&
    html`<div id="live" hx-get="${withQuery(base, { q: query.q, show: query.show, live: '1' })}" hx-include="#documents [name=seen]" hx-trigger="every 2s" hx-swap="none"></div>`
  )
}

export interface Changes {
  changed: Overview[]
  gone: string[]
  isSettled: boolean
  counts: List['counts']
}

export function changesView(place: Place & { query: ListQuery }, { changed, gone, isSettled, counts }: Changes) {
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
  if (document.is_held) return `“${title}” waits for you: the document that it looked like a new version of is deleted.`
  const { kind } = stateOf(document)
  if (kind === 'ready') return `“${title}” is ready.`
  return kind === 'failed' ? `“${title}” failed.` : undefined
}
