import { html } from 'hono/html'
import { icon } from './icons.ts'
import type { Html } from './layout.ts'

export function rowsView(rows: readonly Html[]): Html {
  return html`<section class="panel"><ul class="rows">${rows}</ul></section>`
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
