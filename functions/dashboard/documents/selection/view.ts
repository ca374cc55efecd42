import { html } from 'hono/html'
import type { Faults } from '../../forms.ts'
import type { Agent, Html, View } from '../../layout.ts'
import { words } from '../../words.ts'
import { type Days, datesFields } from '../dates.ts'
import type { Overview } from '../overview.ts'
import { aboutView, stateView } from '../row.ts'
import { mayBeRetried, stateOf } from '../state.ts'

const w = words.documents.selection

interface Selection {
  base: string
  documents: Overview[]
  zone: string
  typed?: Days
  faults?: Faults
}

/** The documents that were selected, and what can be done with all of them. */
export function selectionView(
  agent: Omit<Agent, 'tab'>,
  { base, documents, zone, typed = {}, faults = {} }: Selection,
): View {
  const form = (action: keyof typeof w.done, fields: Html | '', button: Html) =>
    html`<form method="post" action="${base}/selected"><input type="hidden" name="action" value="${action}">
${documents.map(({ id, edits }) => html`<input type="hidden" name="document" value="${id}.${edits}">`)}${fields}${button}</form>`
  const rows = documents.map(
    (
      document,
    ) => html`<li><div class="subject"><h2>${document.title}</h2><p class="about">${aboutView(document)}</p></div>
${stateView(stateOf(document))}</li>`,
  )
  return {
    title: w.heading(documents.length),
    agent: { ...agent, tab: 'documents' },
    crumbs: [],
    content:
      documents.length === 0
        ? html`<p class="none">No document is selected, or those that were are deleted. <a href="${base}">Back to the documents</a></p>`
        : html`<ul class="documents">${rows}</ul>
${documents.some(mayBeRetried) && form('retry', '', html`<p>The documents that failed are processed once more.</p><button class="plain">Try again</button>`)}
${form('dates', datesFields(typed, faults, zone), html`<button class="plain">Set these days</button>`)}
<p><a href="${base}">Back to the documents</a></p>`,
  }
}
