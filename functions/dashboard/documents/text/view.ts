import { html } from 'hono/html'
import { fileNameOfKey, keyOfUrl } from '../../../../shared/files/file-url.ts'
import { timeZoneOf } from '../../../../shared/organizations/time-zone.ts'
import { fieldsOf } from '../../form-view.ts'
import { type Faults, shortened } from '../../forms.ts'
import type { Html, View } from '../../layout.ts'
import { siteName } from '../../sentences.ts'
import { type Days, datesFields, datesView, daysOf } from '../dates.ts'
import { diffView } from '../diff.ts'
import { ofEditedPage } from '../edits.ts'
import { needsFile, uploadAgain } from '../state.ts'
import { type Editable, maxWrittenBytes } from './text.ts'

export const maxTitle = 500
const maxEdits = 20
/** Buttons beside the form belong to it by this id. */
export const textFormId = 'text-form'

export interface Typed extends Days {
  title?: string | undefined
  content?: string | undefined
  /** The number of edits of the version that this one is based on. */
  edits?: string | number | undefined
}

export interface Editing {
  typed?: Typed
  faults?: Faults | undefined
  note?: Html
  /** The caller's question that the text should answer. */
  question?: string | undefined
  /** The cursor's offset in the text at first. */
  cursor?: number | undefined
}

/** @param cancel the page to return to @param action the address that the form posts to; its own unless given */
export function newView(cancel: string, zone: string, { note, ...editing }: Editing = {}, action = ''): View {
  const typed = { ...editing.typed, content: editing.typed?.content ?? '', edits: undefined }
  return {
    title: 'Write a text',
    crumbs: [],
    content: html`${note}${textForm({ ...editing, typed, zone, save: 'Save text', cancel, action })}`,
    modules: ['tables.js'],
  }
}

export function editView(document: Editable, address: string, editing: Editing): View {
  const { cursor, note } = editing
  const { content, managed_by, awaits_text, is_held } = document
  // The text of a file that is still read, or still held, may be another's.
  const isOpen = managed_by === 'service' && !awaits_text && !is_held && !needsFile(document)
  const hasText = isOpen && content !== null && !isTooLong(content)
  const form: TextForm = {
    ...editing,
    typed: {
      ...daysOf(document),
      title: document.title,
      content: hasText ? content : undefined,
      edits: document.edits,
      ...editing.typed,
    },
    // The browser counts a line break as one character.
    cursor: cursor && content?.slice(0, cursor).replaceAll('\r\n', '\n').length,
    zone: timeZoneOf(document),
    save: 'Save',
    cancel: address,
  }
  return {
    title: `Edit “${document.title}”`,
    crumbs: [[document.title, address]],
    content: html`${note}${noteView(document, address, hasText)}${textForm(form)}`,
    modules: ['tables.js'],
  }
}

function noteView(document: Editable, address: string, hasText: boolean) {
  const { source_url, managed_by, content, website } = document
  if (source_url !== null && hasText)
    return html`<p class="notice">The file ${fileNameOfKey(keyOfUrl(source_url))} stays as it is, and your changes are kept as corrections of its text. If you replace the file, a correction stays if the new file still has the text that it corrects.</p>`
  if (hasText)
    return (
      website !== null &&
      html`<p class="notice warn">This text comes from a page of ${siteName(website)}. ${ofEditedPage}</p>`
    )
  const need = needsFile(document)
  if (need) return html`<p><a href="${address}">${uploadAgain[need]}</a></p>`
  if (managed_by === 'client')
    return html`<p>Your own system creates the parts of this document, so change its text there.</p>`
  if (content && isTooLong(content)) return html`<p>This text is larger than 1 MB, too large to edit here.</p>`
  return html`<p>Its text can be edited once its file is read.</p>`
}

const isTooLong = (text: string) => Buffer.byteLength(text) > maxWrittenBytes

/** Shows how the version that somebody else has saved meanwhile differs from the form's, which replaces it if it is saved. */
export function conflictView({ content }: Typed, theirs: Editable, address: string): Html {
  const said = { title: 'Where theirs differs from yours', removed: 'only in yours', added: 'only in theirs' }
  const isOther = content !== undefined && theirs.content !== null && content !== theirs.content
  return html`<section class="panel warn" role="alert"><h2>Somebody else has changed this document while you were editing it.</h2>
<p>Nothing is lost: your version is in the form below. If you save it, it replaces theirs: <strong>${theirs.title}</strong>${datesView(theirs)}.</p>
${isOther ? diffView(content, theirs.content!, said) : html`<p>The text is the same.</p>`}
<div class="actions"><a class="button plain" href="${address}">Keep theirs</a></div></section>`
}

/** `typed` has no `content` if the text isn't edited, and no `edits` for a new document. */
interface TextForm extends Editing {
  typed: Typed
  zone: string
  save: string
  cancel: string
  action?: string
}

/** `{row}` stands for a number, `{column}` for a number or a column's heading. */
const ofTables = {
  addRow: 'Add a row',
  removeRow: 'Remove row {row}',
  column: 'Column {column}',
  cell: '{column}, row {row}',
  asText: 'Edit as plain text',
  boldLines: 'Bold lines that head a section: {count}. Callers’ questions are compared with headings, too.',
  asHeadings: 'Make them headings',
}

function textForm({ action, typed, zone, faults = {}, question, cursor, save, cancel }: TextForm): Html {
  const { title, content, edits } = typed
  const { line, area } = fieldsOf({ typed: { title, content }, faults })
  return html`<form id="${textFormId}" class="text-form" method="post" data-draft${action && html` action="${action}"`}>
${edits !== undefined && html`<input type="hidden" name="edits" value="${shortened(`${edits}`, maxEdits)}">`}
${line('title', 'Title', maxTitle, !title && 'What it’s about, such as “Opening hours”. Callers’ questions are compared with it, too.')}
${
  content !== undefined &&
  area(
    'content',
    'Text',
    content.length,
    'Headings and short paragraphs work best.',
    html`required rows="${content === '' ? 4 : 18}" data-tables="${JSON.stringify(ofTables)}"${cursor !== undefined && html` autofocus data-at="${cursor}"`}`,
  )
}
${datesFields(typed, faults, zone)}
${question && html`<label><input type="checkbox" name="golden" value="1" checked> Check before every change that this document answers “${question}”</label>`}
<div class="actions"><button>${save}</button> <a class="button plain" href="${cancel}">Cancel</a></div></form>`
}
