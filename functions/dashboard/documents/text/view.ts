import { html } from 'hono/html'
import * as v from 'valibot'
import { fileNameOfKey, keyOfUrl } from '../../../../shared/files/file-url.ts'
import { fieldsOf } from '../../form-view.ts'
import { type Faults, line, shortened } from '../../forms.ts'
import type { Html, View } from '../../layout.ts'
import { number } from '../../sentences.ts'
import { siteName } from '../../titles.ts'
import { words } from '../../words.ts'
import { type Days, datesFields, datesView, daysOf } from '../dates.ts'
import { diffView } from '../diff.ts'
import { needsFile } from '../state.ts'
import type { Editable } from './text.ts'

const noContent = 'Enter the text that callers should get answers from.'

/** More than anybody writes by hand: with every character escaped, a request and a response still hold it. */
export const maxWrittenBytes = 1024 * 1024

export const maxTitle = 500
export const titleField = line(maxTitle, {
  missing: 'Enter a title.',
  tooLong: 'A title can have at most 500 characters.',
})
export const contentField = v.pipe(
  v.string(noContent),
  // As browsers send the line breaks of a form.
  v.transform((text) => text.replaceAll(/\r\n?/g, '\n')),
  v.regex(/\S/, noContent),
  v.maxBytes(maxWrittenBytes, 'A text written here can have at most 1 MB. Split it, or upload it as a file.'),
)

const maxEdits = 20

interface Typed extends Days {
  title?: string | undefined
  content?: string | undefined
  edits?: string | undefined
}

export function newView(base: string, typed: Typed, zone: string, faults?: Faults): View {
  const { title = '', content = '' } = typed
  const form = textForm({
    action: `${base}/new`,
    title,
    content,
    days: typed,
    zone,
    faults,
    save: 'Save text',
    cancel: base,
  })
  return { title: 'Write a text', crumbs: [], content: form, modules: ['tables.js'] }
}

/** Offers what was typed as a new document, as somebody has deleted the old one. */
export function goneView(base: string, typed: Typed, zone: string): View {
  const view = newView(base, typed, zone)
  const notice = html`<div class="notice bad" role="alert"><p>Somebody has deleted this document in the meantime. What you’ve written is still here: you can save it as a new document.</p></div>`
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
  /** What the checks have shown. */
  note?: Html
}

export function editView(document: Editable, address: string, editing: Editing): View {
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
    save: 'Save',
    cancel: address,
  }
  return {
    title: `Edit “${document.title}”`,
    crumbs: [[document.title, address]],
    content: html`${note}${noteView(document, address, hasText)}${isConflict ? conflictView(form, document) : textForm(form)}`,
    modules: ['tables.js'],
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
    return html`<p class="notice">The file ${fileNameOfKey(keyOfUrl(source_url))} stays as it is: what you change is kept as a correction of its text. When the file is replaced, a correction stays if the new file still says what it corrects.</p>`
  if (hasText)
    return (
      website !== null &&
      html`<p class="notice warn">This text is a page’s of ${siteName(website)}. ${words.sources.ofDocument.edited}</p>`
    )
  const need = needsFile(document)
  if (need) return html`<p><a href="${address}">${words.documents.uploadAgain[need]}</a></p>`
  if (managed_by === 'client')
    return html`<p>Your own system creates the parts of this document, so change its text there.</p>`
  if (is_too_long) return html`<p>This text is larger than 1 MB, too large to edit here.</p>`
  return (
    content !== null &&
    html`<p>To change what it says, replace its file with the new one, or correct its text. <a href="${address}/edit?text=1">Correct its text</a></p>`
  )
}

/** Both versions of a document that was changed while it was edited: saving the form replaces what is there by now. */
function conflictView(mine: TextForm, theirs: Editable) {
  const said = { title: 'Where theirs differs from yours', removed: 'only in yours', added: 'only in theirs' }
  const isOther = mine.content !== undefined && theirs.content !== null && mine.content !== theirs.content
  return html`<div class="notice bad" role="alert"><p><strong>Somebody else has changed this document while you were editing it.</strong> Nothing is lost: your version is in the form, theirs is beside it. If you save, yours replaces theirs.</p></div>
<div class="versions"><section><h2>Your version</h2>${textForm({ ...mine, save: 'Save mine' })}</section>
<section><h2>Their version</h2><p><strong>${theirs.title}</strong>${datesView(theirs)}</p>
${isOther ? diffView(mine.content!, theirs.content!, said) : html`<p>The text is the same.</p>`}
<div class="actions"><a class="button plain" href="${mine.cancel}">Keep theirs</a></div></section></div>`
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

/** `{column}` and `{row}` stand for a number, or the heading of a column. */
const ofTables = {
  addRow: 'Add a row',
  addColumn: 'Add a column',
  removeRow: 'Remove row {row}',
  column: 'Column {column}',
  cell: '{column}, row {row}',
  asText: 'Edit as plain text',
}

function textForm(form: TextForm): Html {
  const { action, title, content, days, zone, faults = {}, edits, question, passage, save, cancel } = form
  const { line, area } = fieldsOf({ typed: { title, content }, faults })
  return html`<form class="text-form" method="post" data-draft action="${action}">
${edits !== undefined && html`<input type="hidden" name="edits" value="${shortened(`${edits}`, maxEdits)}">`}
${line('title', 'Title', maxTitle, 'What it’s about, such as “Opening hours”. Callers’ questions are compared with it, too.')}
${
  content !== undefined &&
  area(
    'content',
    passage ? `Text of part ${number(passage)}` : 'Text',
    content.length,
    'Headings and short paragraphs work best. What you copy from a spreadsheet becomes a table.',
    html`required rows="18" data-tables="${JSON.stringify(ofTables)}"`,
  )
}
${datesFields(days, faults, zone)}
${question && html`<label><input type="checkbox" name="golden" value="1" checked> Check before every change that this document answers “${question}”</label>`}
<div class="actions"><button>${save}</button> ${edits !== undefined && content !== undefined && html`<button class="plain" name="check" value="1">Run the checks</button>`} <a class="button plain" href="${cancel}">${words.cancel}</a></div></form>`
}
