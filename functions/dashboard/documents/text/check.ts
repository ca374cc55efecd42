import { html } from 'hono/html'
import { tryText } from '../../../../shared/golden/try-text.ts'
import { brokenView } from '../../broken-questions.ts'
import type { Html } from '../../layout.ts'
import { refusalOf } from '../../refused-change.ts'

/** What saving the text would do to golden questions. Nothing is stored. */
export async function checkView(...[trier, scope, text]: Parameters<typeof tryText>): Promise<Html> {
  try {
    const tried = await tryText(trier, scope, text)
    if (!tried) return html`<p class="notice" role="status">This agent has no golden questions yet.</p>`
    return tried.broken.length > 0
      ? brokenView(scope.agentId, tried.broken)
      : html`<p class="notice good" role="status">No golden question would fail. Nothing is saved yet.</p>`
  } catch (error) {
    return html`<p class="notice bad" role="alert">${refusalOf(error).message}</p>`
  }
}
