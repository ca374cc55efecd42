import { html } from 'hono/html'
import { words } from '../words.ts'
import { type Overview, tagOf } from './overview.ts'
import type { Place } from './place.ts'
import { aboutView, retryForm, stateView } from './row.ts'
import { isInWork, mayBeRetried, stateOf } from './state.ts'
import { type Passage, repeatedAndOwn, type Stretch, stretchesOf } from './stretches.ts'

const w = words.documents.document

export const passagesPerPage = 10

export interface Shown extends Place {
  document: Overview
  /** Passages, from the given number on. */
  chunks: Passage[]
  hasMore: boolean
  from: number
  /** How the text begins, where there are no passages of it yet. */
  beginning: string | null
}

/**
 * A document, and what search finds of it. While it is in work it asks for itself every two seconds, with what is shown of it, and
 * always when something on the page has changed it.
 */
export function documentView(shown: Shown) {
  const { base, mayWrite, document, from } = shown
  const state = stateOf(document)
  const address = `${base}/${document.id}`
  return html`<section id="document" data-state="${state.kind}"
  hx-get="${address}?from=${from}&amp;seen=${tagOf(document)}" hx-swap="outerMorph"
  hx-trigger="documents-changed from:body${isInWork(document) && ', every 2s'}">
<div class="standing">${stateView(state)}<p class="about">${aboutView(document)}</p>
${mayWrite && mayBeRetried(document) && retryForm(base, document)}</div>
${shown.chunks.length > 0 ? passagesView(shown) : textView(shown)}
</section>`
}

export function documentActions({ base, mayWrite, document }: Shown) {
  const address = `${base}/${document.id}`
  return html`${mayWrite && html`<a class="button plain" href="${address}/edit">${w.edit}</a>`}
${document.source_url !== null && document.error_code !== 'file_not_uploaded' && html`<a class="button plain" href="${address}/file">${w.download}</a>`}
${mayWrite && html`<a class="button quiet danger" href="${address}/delete">${words.documents.delete.action}</a>`}`
}

function textView({ beginning }: Shown) {
  return beginning === null
    ? html`<p class="none">${w.noText}</p>`
    : html`<section class="beginning"><h2>${w.text}</h2><div class="running-text">${beginning}</div></section>`
}

/** The text as these passages cover it, and beside it each as search has it: passages.js marks what belongs together. */
function passagesView({ base, document, chunks, hasMore, from }: Shown) {
  const stretches = stretchesOf(chunks)
  const first = chunks[0]!.chunk_index + 1
  const last = chunks.at(-1)!.chunk_index + 1
  const address = `${base}/${document.id}`
  return html`<section class="passages" data-passages>
<header><h2>${w.passagesHeading}</h2> <p>${w.passagesHint} ${(from > 1 || hasMore) && w.range(first, last, document.chunk_count)}</p>
${document.searchable_chunk_count < document.chunk_count && document.status === 'completed' && html`<p class="detail">${w.unsearchable(document.searchable_chunk_count, document.chunk_count)}</p>`}</header>
<div class="panes">
${stretches && html`<div class="running-text" tabindex="0" role="region" aria-label="${w.text}">${stretches.map(stretchView)}</div>`}
<ol class="passage-list">${chunks.map((chunk) => cardView(chunk, stretches !== undefined))}</ol>
</div>
${
  (from > 1 || hasMore) &&
  html`<nav class="pages" aria-label="${w.pages}">
${from > 1 && html`<a href="${address}?from=${Math.max(1, from - passagesPerPage)}">${w.previous}</a>`}
${hasMore && html`<a href="${address}?from=${last + 1}">${w.next}</a>`}</nav>`
}
</section>`
}

function stretchView({ text, passages, begins }: Stretch) {
  const marker =
    begins !== undefined &&
    html`<a class="marker" id="text-${begins + 1}" data-of="${begins + 1}" href="#passage-${begins + 1}" aria-label="${w.passage(begins + 1)}">${begins + 1}</a>`
  return html`${marker}<span data-of="${passages.map((index) => index + 1).join(' ')}">${text}</span>`
}

function cardView(chunk: Passage, isInText: boolean) {
  const number = chunk.chunk_index + 1
  const { repeated, own } = repeatedAndOwn(chunk)
  const headings = headingsOf(chunk)
  const above = own.startsWith('#') ? headings.slice(0, -1) : headings
  return html`<li id="passage-${number}" data-of="${number}" value="${number}">
${isInText ? html`<a class="marker" href="#text-${number}" aria-label="${w.inText(number)}">${number}</a>` : html`<span class="marker">${number}</span>`}
${above.length > 0 && html`<p class="headings">${above.join(' › ')}</p>`}
<div class="running-text">${repeated && html`<span class="repeated" title="${w.repeated}">${repeated}</span>`}${own.trimEnd()}</div></li>`
}

function headingsOf({ metadata }: Passage): string[] {
  const { headings } = metadata
  return Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : []
}
