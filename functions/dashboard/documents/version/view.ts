import { html } from 'hono/html'
import { words } from '../../words.ts'
import type { Overview } from '../overview.ts'

const w = words.documents.version

/** Asks whether a held document replaces the one that it resembles, or only whether it is served if that one is deleted. */
export function questionView(base: string, { id, title, is_held, changes }: Overview) {
  if (!is_held) return ''
  if (!changes)
    return html`<div class="question"><form method="post" action="${base}/${id}/keep"><button aria-label="Serve “${title}”">Serve it</button></form></div>`
  const { otherTitle, otherEdits, passages } = changes
  return html`<div class="question"><form method="post" action="${base}/${id}/replace"><input type="hidden" name="edits" value="${otherEdits}">
<button>${w.replace(otherTitle, passages)}</button></form>
<form method="post" action="${base}/${id}/keep"><button class="plain" aria-label="Keep both, “${title}” too">Keep both</button></form></div>`
}
