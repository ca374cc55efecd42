import { html } from 'hono/html'
import { agentPage, type Html } from '../layout.ts'
import { pagesView } from '../list.ts'
import { markedText, textView } from '../passage-text.ts'
import { number, siteName } from '../sentences.ts'
import { disagreementsView } from './disagreements.ts'
import { ofEditedPage } from './edits.ts'
import { doubtfulPassages, fileNotesView, originalOf, type Passage } from './original.ts'
import { type Overview, tagOf } from './overview.ts'
import { aboutView, deleteForm, detailView, type Place, retryAction, stateView } from './row.ts'
import { isInWork, isStopped, mayReplaceFile, needsFile, stateOf } from './state.ts'
import type { readBeside } from './text/text.ts'
import { questionView } from './version.ts'

export const passagesPerPage = 10

export interface Shown extends Place, Awaited<ReturnType<typeof readBeside>> {
  document: Overview
  chunks: Passage[]
  hasMore: boolean
  from: number
  hasUpload: boolean
  /** A held document's changes, which are shown instead of its text. */
  comparison: Html | null
  /** What checks say against its text. */
  conflict: Html | undefined
}

/** Shows a document and its passages. Reloads itself during processing, and after a change made on the page. */
export function documentView(shown: Shown) {
  const { base, agentId, mayWrite, document, from, beginning } = shown
  const state = stateOf(document)
  const address = `${base}/${document.id}`
  const text = shown.chunks.length > 0 ? passagesView(shown) : beginning !== null && textView(beginning)
  return html`<section id="document" data-state="${state.kind}"
  hx-get="${address}?from=${from}&amp;seen=${tagOf(document)}" hx-swap="outerMorph"
  hx-trigger="documents-changed from:body${isInWork(document) && ', every 2s'}">
<div class="standing">${stateView(state)}<p>${aboutView(document)}</p></div>
${detailView(state)}
${mayWrite && !shown.hasUpload && !isStopped(document) && retryAction(base, document)}
${document.source_id !== null && ofWebsiteView(shown)}
${mayWrite && questionView(base, document)}
${shown.conflict}
${document.disagreements.length > 0 && disagreementsView(agentId, document.id, document.disagreements)}
${mayWrite && lostView(address, document, shown.lost)}
${shown.comparison ?? (text || html`<p class="none">There is no text yet.</p>`)}
</section>`
}

export function documentActions({ base, mayWrite, document }: Shown) {
  const address = `${base}/${document.id}`
  return html`${mayWrite && html`<a class="button plain" href="${address}/edit">Edit</a>`}
${document.source_url !== null && !document.awaits_file && needsFile(document) !== 'missing' && html`<a class="button plain" href="${address}/file">Open file</a>`}
${mayWrite && mayReplaceFile(document) && html`<a class="button plain" href="${address}?replace=1">Replace file</a>`}
<a class="button plain" href="${address}/history">History</a>
${mayWrite && deleteForm(base, document)}`
}

function ofWebsiteView({ agentId, mayWrite, document: { external_id, source_id, website } }: Shown) {
  return html`<div class="notice"><p>This is the page <a href="${external_id}">${external_id}</a> of the website <a href="${agentPage(agentId, 'sources')}/${source_id}">${siteName(website ?? '')}</a>. ${mayWrite && ofEditedPage}</p></div>`
}

function lostView(address: string, { edits }: Overview, lost: Shown['lost']) {
  return lost.map(({ before, after, index }) => {
    return html`<div class="notice warn"><p>This correction no longer applies: <del>${before}</del> <ins>${after}</ins></p>
<div class="actions"><a class="button plain" href="${address}/edit">Edit</a>
<form method="post" action="${address}/drop-correction"><input type="hidden" name="edits" value="${edits}"><input type="hidden" name="index" value="${index}">
<button class="plain">Drop</button></form></div></div>`
  })
}

/** Shows the passages, each with links to its page of a PDF and to the form that corrects it in a file's text. */
function passagesView({ base, mayWrite, document, chunks, pages, hasMore, from }: Shown) {
  const { id, source_url, managed_by, status, chunk_count, searchable_chunk_count } = document
  const address = `${base}/${id}`
  const doubtful = doubtfulPassages(document, chunks)
  const isPdf = originalOf(document) === 'pdf'
  const mayCorrect = mayWrite && source_url !== null && managed_by === 'service' && status === 'completed'
  const passageView = ({ chunk_index, content }: Passage) => {
    const n = chunk_index + 1
    const page = isPdf && pages?.[chunk_index]
    return html`<li id="passage-${n}" class="panel"><p class="hint">Part ${number(n)}
${page && html` · <a href="${address}/file#page=${page}" target="_blank">Page ${page}<span class="unseen"> of the file, part ${number(n)}</span></a>`}
${mayCorrect && html` · <a href="${address}/edit?passage=${n}">Correct<span class="unseen"> part ${number(n)}</span></a>`}
${doubtful.has(n) && html` · <span class="state wait">Please check this part against the original.</span>`}</p>
${markedText({ text: content, places: [] })}</li>`
  }
  const first = chunks[0]!.chunk_index + 1
  const last = chunks.at(-1)!.chunk_index + 1
  return html`<section class="text">
<header><h2>Text</h2> <p>Callers get their answers from these parts. ${(from > 1 || hasMore) && `Parts ${number(first)} to ${number(last)} of ${number(chunk_count)}.`}</p>
${searchable_chunk_count < chunk_count && status === 'completed' && html`<p>Search can find ${number(searchable_chunk_count)} of ${number(chunk_count)} parts: the others were stored without an embedding.</p>`}</header>
${fileNotesView(document)}
<ol>${chunks.map(passageView)}</ol>
${pagesView(
  ['Previous parts', from > 1 && `${address}?from=${Math.max(1, from - passagesPerPage)}`],
  ['Next parts', hasMore && `${address}?from=${last + 1}`],
)}
</section>`
}
