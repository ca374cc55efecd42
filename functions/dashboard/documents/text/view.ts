import { html } from 'hono/html'
import * as v from 'valibot'
import { fileNameOfKey, keyOfUrl } from '../../../../shared/files/file-url.ts'
import type { AgentRow } from '../../../../shared/organizations/agents.ts'
import { type Faults, faultOf, invalid, line, shortened } from '../../forms.ts'
import type { Html, View } from '../../layout.ts'
import { words } from '../../words.ts'
import { type Days, datesFields, datesView, daysOf } from '../dates.ts'
import { needsFile } from '../state.ts'
import type { Editable } from './text.ts'

const w = words.documents.text

/** More than anybody writes by hand: with every character escaped, a request and a response still hold it. */
export const maxWrittenBytes = 1024 * 1024

export const maxTitle = 500
export const titleField = line(maxTitle, { missing: w.noTitle, tooLong: w.longTitle })
export const contentField = v.pipe(
  v.string(w.noContent),
  // As browsers send the line breaks of a form.
  v.transform((text) => text.replaceAll(/\r\n?/g, '\n')),
  v.regex(/\S/, w.noContent),
  v.maxBytes(maxWrittenBytes, w.longContent),
)

const maxEdits = 20

interface Typed extends Days {
  title?: string | undefined
  content?: string | undefined
  edits?: string | undefined
}

export function newView({ id, name }: AgentRow, base: string, typed: Typed, zone: string, faults?: Faults): View {
  const { title = '', content = '' } = typed
  const form = textForm({
    action: `${base}/new`,
    title,
    content,
    days: typed,
    zone,
    faults,
    save: w.saveNew,
    cancel: base,
  })
  return { title: w.writeHeading, agent: { id, name, tab: 'documents' }, crumbs: [], content: form }
}

/** Offers what was typed as a new document, as somebody has deleted the old one. */
export function goneView(agent: AgentRow, base: string, typed: Typed, zone: string): View {
  const view = newView(agent, base, typed, zone)
  const notice = html`<div class="notice bad" role="alert"><p>${w.gone}</p></div>`
  return { ...view, content: html`${notice}${view.content}`, status: 404 }
}

/** A passage of a document's text, as it was after so many edits. */
export interface Part {
  passage: number
  start: number
  end: number
  edits: number
}

interface Editing {
  /** The text of a file is corrected. */
  isOfText: boolean
  /** The part of it that is corrected. */
  part?: Part | undefined
  zone: string
  typed?: Typed
  faults?: Faults
  /** Somebody else has saved `document` since the form was shown. */
  isConflict?: boolean
  /** A caller's, for which the text is corrected. */
  question?: string | undefined
  /** What checking the golden questions has shown. */
  note?: Html
}

export function editView({ id, name }: AgentRow, document: Editable, address: string, editing: Editing): View {
  const { isOfText, part, zone, typed = {}, faults, isConflict, note, question } = editing
  const isFile = document.source_url !== null
  const hasText =
    document.content !== null && document.managed_by === 'service' && (!isFile || isOfText || part !== undefined)
  const form: TextForm = {
    action: `${address}/edit${queryOf({ ...(isOfText && { text: 1 }), ...part, ...(question && { question }) })}`,
    question,
    title: typed.title ?? document.title,
    content: typed.content ?? (hasText ? document.content!.slice(part?.start, part?.end) : undefined),
    passage: part?.passage,
    days: { ...daysOf(document, zone), ...typed },
    zone,
    faults,
    // The version that the edit began from: a faulty form does not make it newer.
    edits: typed.edits ?? document.edits,
    save: words.save,
    cancel: address,
  }
  return {
    title: w.editHeading(document.title),
    agent: { id, name, tab: 'documents' },
    crumbs: [[document.title, address]],
    content: html`${note}${noteView(document, address, hasText)}${isConflict ? conflictView(form, document) : textForm(form)}`,
  }
}

/** What the address of the form says, beside the document. */
export function queryOf(parameters: object): string {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, `${value}`]),
  )
  return query.size > 0 ? `?${query}` : ''
}

function noteView(document: Editable, address: string, hasText: boolean) {
  const { source_url, managed_by, is_too_long, content, website } = document
  if (source_url !== null && hasText)
    return html`<p class="notice">${w.correctsFile(fileNameOfKey(keyOfUrl(source_url)))}</p>`
  if (hasText)
    return (
      website !== null &&
      html`<p class="notice warn">${words.sources.ofDocument.isOf(website)} ${words.sources.ofDocument.edited}</p>`
    )
  const need = needsFile(document)
  if (need) return html`<p><a href="${address}">${words.documents.uploadAgain[need]}</a></p>`
  if (managed_by === 'client') return html`<p>${w.ofClient}</p>`
  if (is_too_long) return html`<p>${w.tooLongToEdit}</p>`
  return content !== null && html`<p>${w.fileStays} <a href="${address}/edit?text=1">${w.editTextOfFile}</a></p>`
}

/** Both versions of a document that was changed while it was edited: saving the form replaces what is there by now. */
function conflictView(mine: TextForm, theirs: Editable) {
  return html`<div class="notice bad" role="alert"><p><strong>${w.conflict}</strong> ${w.conflictHint}</p></div>
<div class="versions"><section><h2>${w.yours}</h2>${textForm({ ...mine, save: w.saveMine })}</section>
<section><h2>${w.theirs}</h2><p><strong>${theirs.title}</strong>${datesView(theirs)}</p>
${mine.content !== undefined && html`<div class="running-text" tabindex="0">${theirs.content}</div>`}
<div class="actions"><a class="button plain" href="${mine.cancel}">${w.keepTheirs}</a></div></section></div>`
}

interface TextForm {
  action: string
  title: string
  /** Undefined where the text is not edited. */
  content?: string | undefined
  days: Days
  zone: string
  faults?: Faults | undefined
  edits?: number | string | undefined
  question?: string | undefined
  passage?: number | undefined
  save: string
  cancel: string
}

function textForm(form: TextForm): Html {
  const { action, title, content, days, zone, faults = {}, edits, question, passage, save, cancel } = form
  return html`<form class="text-form" method="post" data-draft action="${action}">
${edits !== undefined && html`<input type="hidden" name="edits" value="${shortened(`${edits}`, maxEdits)}">`}
<div class="field"><label for="title">${w.title}</label>
<input id="title" name="title" value="${shortened(title, maxTitle)}" required ${description('title', faults.title)}>
${faultOf('title', faults.title)}<p id="title-hint" class="hint">${w.titleHint}</p></div>
${
  content !== undefined &&
  html`<div class="field"><label for="content">${passage ? w.passage(passage) : w.content}</label>
<textarea id="content" name="content" required rows="18" ${description('content', faults.content)}>
${content}</textarea>
${faultOf('content', faults.content)}<p id="content-hint" class="hint">${w.contentHint}</p></div>`
}
${datesFields(days, faults, zone)}
${question && html`<label><input type="checkbox" name="golden" value="1" checked> ${w.asGolden(question)}</label>`}
<div class="actions"><button>${save}</button> ${edits !== undefined && content !== undefined && html`<button class="plain" name="check" value="1">${words.golden.broken.check}</button>`} <a class="button plain" href="${cancel}">${words.cancel}</a></div></form>`
}

function description(field: string, fault: string | undefined) {
  return html`aria-describedby="${fault && `${field}-fault `}${field}-hint"${invalid(fault)}`
}
