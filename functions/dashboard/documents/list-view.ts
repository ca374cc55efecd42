import { html } from 'hono/html'
import { icon } from '../icons.ts'
import { words } from '../words.ts'
import { type Group, groups, type Overview } from './overview.ts'
import type { Place } from './place.ts'
import { rowView } from './row.ts'
import { isInWork, stateOf } from './state.ts'

const w = words.documents.list

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
  hx-get="${address(base, query)}" hx-trigger="documents-changed from:body" hx-swap="outerMorph"${counts.all === 0 && html` data-empty`}>
${counts.all > 0 && filtersView(list)}
${documents.length > 0 ? html`${list.mayWrite && selectionForm(base)}<ul class="documents">${documents.map((document) => rowView(list, document))}</ul>` : noneView(list)}
${liveView(list)}
${
  (next || query.after) &&
  html`<nav class="pages" aria-label="Pages">${query.after && html`<a href="${address(base, { ...query, after: undefined })}">Newest documents</a>`}
${next && html`<a href="${address(base, { ...query, after: next })}">Older documents</a>`}</nav>`
}
</section>`
}

function filtersView({ base, query, counts }: Pick<List, 'base' | 'query' | 'counts'>) {
  const links = (['all', ...Object.keys(groups)] as (Group | 'all')[]).map((group) => {
    const show = group === 'all' ? undefined : group
    return html`<li><a href="${address(base, { q: query.q, show })}"${show === query.show && html` aria-current="true"`}>${w.groups[group]} <span class="count">${counts[group]}</span></a></li>`
  })
  return html`<nav id="document-filters" class="filters" aria-label="Filter by state"><ul>${links}</ul></nav>`
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
    : html`<section class="empty">${icon('document')}<h2>No documents yet</h2><p>${mayWrite ? 'Upload a file or write a text. A moment later, your agent answers from it.' : 'Someone whose key can add documents has to add the first one.'}</p></section>`
}

/** While a document is being processed, asks every two seconds for changed rows. */
function liveView({ base, query, documents }: List) {
  return (
    documents.some(isInWork) &&
    html`<div id="live" hx-get="${address(base, { q: query.q, show: query.show, live: '1' })}" hx-include="#documents [name=seen]" hx-trigger="every 2s" hx-swap="none"></div>`
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
<hx-partial hx-target="#document-filters" hx-swap="outerMorph">${filtersView({ ...place, counts })}</hx-partial>
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

function address(path: string, query: ListQuery & { live?: string }): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}
