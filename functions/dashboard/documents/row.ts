import { html } from 'hono/html'
import { fileKindOf } from '../../../shared/files/file-types.ts'
import { warningText } from '../refused-change.ts'
import { counted } from '../sentences.ts'
import { ago } from '../times.ts'
import { datesView } from './dates.ts'
import { disagreementText } from './disagreements.ts'
import type { Overview } from './overview.ts'
import { isStopped, mayBeRetried, needsFile, type State, stateOf, uploadAgain } from './state.ts'
import { questionView } from './version.ts'

export type Place = { agentId: string; base: string; mayWrite: boolean }

const types = {
  manual: 'Text',
  pdf: 'PDF',
  picture: 'Picture',
  docx: 'Word document',
  xlsx: 'Spreadsheet',
  csv: 'CSV table',
  pptx: 'Presentation',
  html: 'Web page',
  md: 'Markdown',
  epub: 'E-book',
  eml: 'E-mail',
  txt: 'Text file',
}

/** Shows a document in the list. */
export function rowView({ base, mayWrite }: Place, document: Overview) {
  const { id, title, edits, warnings, disagreements } = document
  const address = `${base}/${id}`
  const state = stateOf(document)
  return html`<li id="document-${id}" data-state="${state.kind}">
${mayWrite && html`<input type="checkbox" name="document" value="${id}.${edits}" form="selection" aria-label="Select “${title}”">`}
<div class="what"><p class="name"><a href="${address}">${title}</a></p>
<p class="hint">${aboutView(document)}</p>
${detailView(state)}
${warnings.length > 0 && html`<p class="hint"><a href="${address}#warnings">${warningText(warnings.length)}</a></p>`}
${disagreements.length > 0 && html`<p class="hint"><a href="${address}#disagreements">${disagreementText(disagreements.length)}</a></p>`}
${mayWrite && questionView(base, document, true)}</div>
${stateView(state)}
${
  mayWrite &&
  html`<div class="actions">${retryAction(base, document)}
${deleteForm(base, document)}</div>`
}</li>`
}

const tones = { ready: 'good', working: 'work', waiting: 'wait', idle: '', failed: 'bad' } as const

export function stateView({ kind, label }: State) {
  return html`<p class="state ${tones[kind]}" role="status">${label}</p>`
}

/** Shows how far processing is, or what failed and what to do. */
export function detailView({ progress, detail }: State) {
  return html`${progress && html`<p class="hint">${progress.label}</p><progress value="${progress.done}" max="${progress.of}" aria-label="${progress.label}"></progress>`}
${detail && html`<p class="hint">${detail}</p>`}`
}

export function retryAction(base: string, document: Overview) {
  const { id, title } = document
  const need = needsFile(document)
  if (need) {
    const label = need === 'missing' ? `Try again: upload the file of “${title}”` : `Replace the file of “${title}”`
    return html`<a class="button plain" href="${base}/${id}" aria-label="${label}">${uploadAgain[need]}</a>`
  }
  if (isStopped(document))
    return html`<a class="button plain" href="${base}/${id}#warnings" aria-label="Compare the texts of “${title}”">Compare</a>`
  if (!mayBeRetried(document)) return ''
  return html`<form method="post" action="${base}/${id}/retry" hx-post="${base}/${id}/retry" hx-swap="none">
<button class="plain" aria-label="Try again: “${title}”">Try again</button></form>`
}

export function aboutView(document: Overview) {
  const { source_type, source_url, source_id, chunk_count, updated_at } = document
  const kind = types[source_id === null ? fileKindOf(source_type, source_url) : 'html']
  return html`${kind}${chunk_count > 0 && ` · ${counted(chunk_count, 'part')}`} · changed ${ago(updated_at)}${datesView(document)}`
}

/** Moves the document to the trash, unless somebody has edited it since. */
export function deleteForm(base: string, { id, title, edits }: Overview) {
  return html`<form method="post" action="${base}/${id}/delete"><input type="hidden" name="edits" value="${edits}">
<button class="quiet danger" aria-label="Delete “${title}”">Delete</button></form>`
}
