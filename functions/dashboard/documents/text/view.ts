import { html } from 'hono/html'
import { fileNameOfKey, keyOfUrl } from '../../../../shared/files/file-url.ts'
import type { AgentRow } from '../../../../shared/organizations/agents.ts'
import type { Faults } from '../../forms.ts'
import type { View } from '../../layout.ts'
import { words } from '../../words.ts'
import { needsFile } from '../state.ts'
import { conflictView } from './conflict-view.ts'
import { type TextForm, textForm } from './form.ts'
import type { Editable } from './text.ts'

const w = words.documents.text

export interface Typed {
  title?: string | undefined
  content?: string | undefined
  edits?: string | undefined
}

export function newView(
  { id, name }: AgentRow,
  base: string,
  { title = '', content = '' }: Typed,
  faults?: Faults,
): View {
  const form = { action: `${base}/new`, title, content, faults, save: w.saveNew, cancel: base }
  return {
    title: w.writeHeading,
    place: 'agents',
    agent: { id, name, tab: 'documents' },
    crumbs: [],
    content: textForm(form),
  }
}

/** Offers what was typed as a new document, as somebody has deleted the old one. */
export function goneView(agent: AgentRow, base: string, typed: Typed): View {
  const view = newView(agent, base, typed)
  const notice = html`<div class="notice bad" role="alert"><p>${w.gone}</p></div>`
  return { ...view, content: html`${notice}${view.content}`, status: 404 }
}

export interface Editing {
  /** The text of a file is edited, which saving replaces. */
  isOfText: boolean
  typed?: Typed
  faults?: Faults
  /** Somebody else has saved `document` since the form was shown. */
  isConflict?: boolean
}

export function editView({ id, name }: AgentRow, document: Editable, address: string, editing: Editing): View {
  const { isOfText, typed = {}, faults, isConflict } = editing
  const isFile = document.source_url !== null
  const hasText = document.content !== null && document.managed_by === 'service' && (!isFile || isOfText)
  const form: TextForm = {
    action: `${address}/edit${isOfText ? '?text=1' : ''}`,
    title: typed.title ?? document.title,
    content: typed.content ?? (hasText ? document.content! : undefined),
    faults,
    // The version that the edit began from: a faulty form does not make it newer.
    edits: typed.edits ?? document.edits,
    save: hasText && isFile ? w.saveAndDeleteFile : words.save,
    cancel: address,
  }
  return {
    title: w.editHeading(document.title),
    place: 'agents',
    agent: { id, name, tab: 'documents' },
    crumbs: [[document.title, address]],
    content: html`${noteView(document, address, hasText)}${isConflict ? conflictView(form, document) : textForm(form)}`,
  }
}

/** What saving means, or why there is no text to edit. */
function noteView(document: Editable, address: string, hasText: boolean) {
  const { source_url, managed_by, is_too_long, content } = document
  if (source_url !== null && hasText)
    return html`<p class="notice warn">${w.replacesFile(fileNameOfKey(keyOfUrl(source_url)))}</p>`
  if (hasText) return ''
  const need = needsFile(document)
  if (need) return html`<p><a href="${address}">${words.documents.uploadAgain[need]}</a></p>`
  if (managed_by === 'client') return html`<p>${w.ofClient}</p>`
  if (is_too_long) return html`<p>${w.tooLongToEdit}</p>`
  return content !== null && html`<p>${w.fileStays} <a href="${address}/edit?text=1">${w.editTextOfFile}</a></p>`
}
