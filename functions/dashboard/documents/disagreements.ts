import { html } from 'hono/html'
import type { Disagreement } from '../../../shared/documents/client/disagreements.ts'
import { heardView } from '../answer-view.ts'
import type { Html } from '../layout.ts'
import { passagePath } from '../paths.ts'
import { counted } from '../sentences.ts'

export function disagreementText(count: number): string {
  return `${counted(count, 'statement')} ${count === 1 ? 'contradicts another document' : 'contradict other documents'}.`
}

/** Shows each contradiction side by side, with links to both passages. */
export function disagreementsView(agentId: string, documentId: string, disagreements: readonly Disagreement[]): Html {
  const statement = (title: string, id: string, { text, chunk_index }: Disagreement['here']) =>
    html`<div class="what">${heardView(text, { title, path: passagePath(agentId, id, chunk_index), details: [] })}</div>`
  return html`<section class="panel" id="disagreements"><h2>${disagreementText(disagreements.length)}</h2><ul class="rows">${disagreements.map(
    ({ with: other, title, here, there }) =>
      html`<li>${statement('this document', documentId, here)}\n${statement(title, other, there)}</li>`,
  )}</ul></section>`
}
