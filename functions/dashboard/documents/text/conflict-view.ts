import { html } from 'hono/html'
import { words } from '../../words.ts'
import { type TextForm, textForm } from './form.ts'

const w = words.documents.text

/** Both versions of a document that was changed while it was edited: saving the form replaces what is there by now. */
export function conflictView(mine: TextForm, theirs: { title: string; content: string | null }) {
  return html`<div class="notice bad" role="alert"><p><strong>${w.conflict}</strong> ${w.conflictHint}</p></div>
<div class="versions"><section><h2>${w.yours}</h2>${textForm({ ...mine, save: w.saveMine })}</section>
<section><h2>${w.theirs}</h2><p><strong>${theirs.title}</strong></p>
${mine.content !== undefined && html`<div class="running-text" tabindex="0">${theirs.content}</div>`}
<div class="actions"><a class="button plain" href="${mine.cancel}">${w.keepTheirs}</a></div></section></div>`
}
