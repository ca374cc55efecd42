import { html } from 'hono/html'
import type { Disagreement } from '../../../shared/documents/client/disagreements.ts'
import type { Html } from '../layout.ts'
import { passagePath } from '../paths.ts'
import { counted } from '../sentences.ts'

export function disagreementText(count: number): string {
  return `${counted(count, 'statement')} ${count === 1 ? 'contradicts another document' : 'contradict other documents'}.`
}

/** Shows each contradiction side by side, with links to both passages. */
export function disagreementsView(agentId: string, documentId: string, disagreements: readonly Disagreement[]): Html {
  const says = (who: string, document: string, { chunk_index, text }: Disagreement['here']) =>
    html`<div class="what"><p class="name"><a href="${passagePath(agentId, document, chunk_index)}">${who} says</a></p><p>${text}</p></div>`
  return html`<section class="panel" id="disagreements"><h2>${disagreementText(disagreements.length)}</h2><ul class="rows">${disagreements.map(
    ({ with: other, title, here, there }) =>
      html`<li>${says('This document', documentId, here)}\n${says(`“${title}”`, other, there)}</li>`,
  )}</ul></section>`
}
