import { html } from 'hono/html'
import type { Disagreement } from '../../../shared/documents/client/disagreements.ts'
import type { Html } from '../layout.ts'
import { counted } from '../sentences.ts'
import { statementView } from '../statement.ts'

export function disagreementText(count: number): string {
  return `${counted(count, 'statement')} ${count === 1 ? 'contradicts another document' : 'contradict other documents'}.`
}

/** Shows each contradiction side by side, with links to both passages. */
export function disagreementsView(agentId: string, documentId: string, disagreements: readonly Disagreement[]): Html {
  return html`<section class="panel" id="disagreements"><h2>${disagreementText(disagreements.length)}</h2><ul class="rows">${disagreements.map(
    ({ with: other, title, here, there }) =>
      html`<li>${statementView(agentId, 'This document', { document_id: documentId, ...here })}\n${statementView(agentId, `“${title}”`, { document_id: other, ...there })}</li>`,
  )}</ul></section>`
}
