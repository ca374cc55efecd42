import { html } from 'hono/html'
import * as v from 'valibot'
import { faultOf, invalid } from '../../form-parts.ts'
import { type Faults, line, shortened } from '../../forms.ts'
import type { Html } from '../../layout.ts'
import { words } from '../../words.ts'

const w = words.documents.text

/** More than anybody writes by hand: with every character escaped, a request and a response still hold it. */
export const maxWrittenBytes = 1024 * 1024

const maxTitle = 500
export const titleField = line(maxTitle, { missing: w.noTitle, tooLong: w.longTitle })
export const contentField = v.pipe(
  v.string(w.noContent),
  // As browsers send the line breaks of a form.
  v.transform((text) => text.replaceAll(/\r\n?/g, '\n')),
  v.regex(/\S/, w.noContent),
  v.maxBytes(maxWrittenBytes, w.longContent),
)

/** Digits of a number of edits. */
const maxEdits = 20

export interface TextForm {
  action: string
  title: string
  /** Undefined where the text is not edited. */
  content?: string | undefined
  faults?: Faults | undefined
  /** Edits of the version that the form began with. */
  edits?: number | string | undefined
  save: string
  cancel: string
}

/** Shows faults below each field, and what was typed in it. */
export function textForm({ action, title, content, faults = {}, edits, save, cancel }: TextForm): Html {
  return html`<form class="text-form" method="post" data-draft action="${action}">
${edits !== undefined && html`<input type="hidden" name="edits" value="${shortened(`${edits}`, maxEdits)}">`}
<div class="field"><label for="title">${w.title}</label>
<input id="title" name="title" value="${shortened(title, maxTitle)}" required ${description('title', faults.title)}>
${faultOf('title', faults.title)}<p id="title-hint" class="hint">${w.titleHint}</p></div>
${
  content !== undefined &&
  html`<div class="field"><label for="content">${w.content}</label>
<textarea id="content" name="content" required rows="18" ${description('content', faults.content)}>
${content}</textarea>
${faultOf('content', faults.content)}<p id="content-hint" class="hint">${w.contentHint}</p></div>`
}
<div class="actions"><button>${save}</button> <a class="button plain" href="${cancel}">${words.cancel}</a></div></form>`
}

function description(field: string, fault: string | undefined) {
  return html`aria-describedby="${fault && `${field}-fault `}${field}-hint"${invalid(fault)}`
}
