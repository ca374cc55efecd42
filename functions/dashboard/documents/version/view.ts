import { html } from 'hono/html'
import { words } from '../../words.ts'
import type { Overview } from '../overview.ts'

const w = words.documents.version

/** Asks whether a held document replaces the one that it resembles. */
export function questionView(base: string, { id, title, changes }: Overview) {
  if (!changes) return ''
  const { otherTitle, otherEdits, passages } = changes
  return html`<div class="question"><form method="post" action="${base}/${id}/replace"><input type="hidden" name="edits" value="${otherEdits}">
<button>${w.replace(otherTitle, passages)}</button></form>
<form method="post" action="${base}/${id}/keep"><button class="plain" aria-label="${w.keepOf(title)}">${w.keep}</button></form></div>`
}
