import { html } from 'hono/html'
import * as v from 'valibot'
import { oneLine } from './forms.ts'
import { icon } from './icons.ts'
import type { Html } from './layout.ts'

export function rowsView(rows: readonly Html[]): Html {
  return html`<section class="panel"><ul class="rows">${rows}</ul></section>`
}

/** A list's search. An invalid one counts as absent, because an address may be cut off or typed. */
export const searchText = v.fallback(v.optional(v.pipe(v.string(), v.transform(oneLine), v.maxLength(200))), undefined)

export const wordsIn = (text = '') => text.split(/\s+/).filter(Boolean)

/** @param show the list's filter, which the search keeps @param more attributes of the form */
export function searchView(address: string, label: string, q = '', show = '', more: Html | '' = ''): Html {
  return html`<search class="toolbar"><form action="${address}" ${more}>
<input type="search" name="q" value="${q}" maxlength="200" placeholder="${label}" aria-label="${label}">
${show && html`<input type="hidden" name="show" value="${show}">`}<noscript><button>Search</button></noscript></form></search>`
}

type Filter = { name: string; path: string; count?: number; isCurrent: boolean }

export function filtersView(label: string, filters: readonly Filter[]): Html {
  return html`<nav class="filters" aria-label="${label}"><ul>${filters.map(
    ({ name, path, count, isCurrent }) =>
      html`<li><a href="${path}"${isCurrent && html` aria-current="true"`}>${name}${count !== undefined && html` <span class="count">${count}</span>`}</a></li>`,
  )}</ul></nav>`
}

/** Links to the list's other pages, or nothing if there is only one page. */
export function pagesView(...links: readonly (readonly [name: string, path: string | false | undefined])[]): Html | '' {
  const given = links.filter(([, path]) => path)
  return given.length === 0
    ? ''
    : html`<nav class="pages" aria-label="Pages">${given.map(([name, path]) => html`<a href="${path}">${name}</a> `)}</nav>`
}

/** Explains in an empty list which rows it will show. */
export function emptyView(sign: Parameters<typeof icon>[0], heading: string, ...says: (Html | string)[]): Html {
  return html`<section class="empty">${icon(sign)}<h2>${heading}</h2>${says.map((each) => html`<p>${each}</p>`)}</section>`
}
