import { html } from 'hono/html'
import type { Html } from './layout.ts'
import { passagePath } from './paths.ts'

/** Shows what a document says, with a link to the passage. */
export function statementView(
  agentId: string,
  who: string,
  { document_id, chunk_index, text }: { document_id: string; chunk_index: number; text: string },
): Html {
  return html`<div class="what"><p class="name"><a href="${passagePath(agentId, document_id, chunk_index)}">${who} says</a></p><p>${text}</p></div>`
}
