import { html } from 'hono/html'
import { tryText } from '../../../../shared/golden/try-text.ts'
import { brokenView } from '../../broken-questions.ts'
import type { Html } from '../../layout.ts'
import { refusalOf } from '../../refused-change.ts'
import { words } from '../../words.ts'

const w = words.golden.broken

/** What saving the text would do to golden questions. Nothing is stored. */
export async function checkView(...[trier, scope, text]: Parameters<typeof tryText>): Promise<Html> {
  try {
    const tried = await tryText(trier, scope, text)
    if (!tried) return html`<p class="notice" role="status">${w.noQuestions}</p>`
    return tried.broken.length > 0
      ? brokenView(scope.agentId, tried.broken)
      : html`<p class="notice good" role="status">${w.none}</p>`
  } catch (error) {
    return html`<p class="notice bad" role="alert">${refusalOf(error).message}</p>`
  }
}
