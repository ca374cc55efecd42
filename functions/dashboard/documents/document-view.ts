import { html } from 'hono/html'
import { agentPage, type Html } from '../layout.ts'
import { pagesView } from '../list.ts'
import { markedSlice, markedText, passageText, textView } from '../passage-text.ts'
import { withQuery } from '../paths.ts'
import { number } from '../sentences.ts'
import { siteName } from '../titles.ts'
import { disagreementsView } from './disagreements.ts'
import { ofEditedPage } from './edits.ts'
import { doubtfulPassages, fileNotesView, originalOf } from './original.ts'
import { type Overview, tagOf } from './overview.ts'
import { type JoinedText, joinPassages, type Passage } from './passages.ts'
import { aboutView, deleteForm, type Place, retryAction, stateView } from './row.ts'
import { isInWork, isStopped, mayReplaceFile, needsFile, stateOf } from './state.ts'
import type { readBeside } from './text/text.ts'
import { questionView } from './version.ts'

export const passagesPerPage = 10

export interface Shown extends Place, Awaited<ReturnType<typeof readBeside>> {
  document: Overview
  chunks: Passage[]
  hasMore: boolean
  from: number
  passage?: number | undefined
  hasUpload: boolean
  /** A held document's changes, which are shown instead of its text. */
  comparison: Html | undefined
  /** What checks say against its text. */
  conflict: Html | undefined
}

/** Shows a document and its passages. Reloads itself during processing, and after a change made on the page. */
export function documentView(shown: Shown) {
  const { base, agentId, mayWrite, document, from, passage, beginning } = shown
  const state = stateOf(document)
  const address = `${base}/${document.id}`
  const text = shown.chunks.length > 0 ? passagesView(shown) : beginning !== null && textView(beginning)
  return html`<section id="document" data-state="${state.kind}"
  hx-get="${address}?from=${from}&amp;seen=${tagOf(document)}${passage && `&passage=${passage}`}" hx-swap="outerMorph"
  hx-trigger="documents-changed from:body${isInWork(document) && ', every 2s'}">
<div class="standing">${stateView(state)}<p class="about">${aboutView(document)}</p>
${mayWrite && !shown.hasUpload && !isStopped(document) && retryAction(base, document)}</div>
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
${document.source_url !== null && !document.awaits_file && needsFile(document) !== 'missing' && html`<a class="button plain" href="${address}/file">Download file</a>`}
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
<div class="actions"><a class="button plain" href="${address}/edit?text=1">Edit</a>
<form method="post" action="${address}/corrections/drop"><input type="hidden" name="edits" value="${edits}"><input type="hidden" name="index" value="${index}">
<button class="plain">Drop</button></form></div></div>`
  })
}

/** Shows the passages as one text with a number at each beginning, or one by one if they have no offsets. */
function passagesView(shown: Shown) {
  const { base, document, chunks, hasMore, from, passage } = shown
  const joined = joinPassages(chunks)
  const doubtful = doubtfulPassages(document, chunks)
  const first = chunks[0]!.chunk_index + 1
  const last = chunks.at(-1)!.chunk_index + 1
  const address = `${base}/${document.id}`
  // Beside the original, the link marks the passage without loading a page.
  const inPlace = (number: number) =>
    originalOf(document) && html` hx-get="${address}?passage=${number}" hx-target="#document" hx-swap="outerMorph"`
  const numberView = (n: number) =>
    html`<a class="marker" id="passage-${n}" href="?passage=${n}#passage-${n}" aria-label="Part ${number(n)}"${n === passage && html` aria-current="true"`}${inPlace(n)}>${number(n)}</a>${doubtful.has(n) && html`<span class="check">Please check this part against the original. </span>`}`
  return html`<section class="text">
<header><h2>Text</h2> <p>${joined && 'A number marks where each part begins. Callers get their answers from these parts.'} ${(from > 1 || hasMore) && `Parts ${number(first)} to ${number(last)} of ${number(document.chunk_count)}.`}</p>
${document.searchable_chunk_count < document.chunk_count && document.status === 'completed' && html`<p>Search can find ${number(document.searchable_chunk_count)} of ${number(document.chunk_count)} parts: the others were stored without an embedding.</p>`}</header>
${correctionLink(shown)}${fileNotesView(document)}
${joined ? numberedText(joined, passage, numberView) : html`<ol class="passages">${chunks.map(passageView)}</ol>`}
${pagesView(
  ['Previous parts', from > 1 && `${address}?from=${Math.max(1, from - passagesPerPage)}`],
  ['Next parts', hasMore && `${address}?from=${last + 1}`],
)}
</section>`
}

/** Links to the form that corrects the chosen passage of a file, if the passage has offsets. */
function correctionLink({ base, mayWrite, document, chunks, passage }: Shown) {
  const { source_url, status, managed_by, edits } = document
  const place = chunks.find(({ chunk_index }) => chunk_index + 1 === passage)
  const { start, end } = (place?.metadata ?? {}) as { start?: number; end?: number }
  const isOfFile = source_url !== null && managed_by === 'service' && status === 'completed'
  if (!mayWrite || !isOfFile || passage === undefined || start === undefined || end === undefined) return ''
  const address = withQuery(`${base}/${document.id}/edit`, { passage, start, end, edits })
  return html`<p><a class="button plain" href="${address}">Correct part ${number(passage)}</a></p>`
}

/** @param chosen the number of the passage to mark */
function numberedText(
  { text, passages }: JoinedText,
  chosen: number | undefined,
  numberView: (number: number) => Html,
) {
  const marked = { text, places: passages.filter(({ number }) => number === chosen) }
  let numbered = 0
  return html`<div class="said">${passageText(text, [{ start: 0, end: text.length }], ({ start, end }) => {
    let at = start
    const begun = passages.slice(numbered).filter((each) => each.start < end)
    numbered += begun.length
    const parts = begun.map((each) => {
      const before = { start: at, end: Math.max(at, each.start) }
      at = before.end
      return html`${markedSlice(marked, before)}${numberView(each.number)}`
    })
    return html`${parts}${markedSlice(marked, { start: at, end })}`
  })}</div>`
}

function passageView({ chunk_index, content }: Passage) {
  const number = chunk_index + 1
  return html`<li id="passage-${number}" value="${number}"><span class="marker">${number}</span>${markedText({ text: content, places: [] })}</li>`
}
