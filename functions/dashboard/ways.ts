import { html } from 'hono/html'
import type { Html } from './layout.ts'
import { correctionPath, goldenQuestionPath, newDocumentPath } from './paths.ts'
import { words } from './words.ts'

const w = words.ways

interface Answered {
  question: string
  /** The address of the passage that was found first. */
  passage?: string | undefined
  /** The document of that passage, whose text may be wrong. */
  found?: string | undefined
  /** The document that should answer it. */
  document?: string | undefined
  /** The call in which it was asked, and its id there. */
  asked?: Parameters<typeof goldenQuestionPath>[3]
}

/** What to do about the answer to a question: for keys that may change documents. */
export function waysView(agentId: string, { question, passage, found, document, asked }: Answered): Html {
  const way = (name: string, path: string, kind: 'plain' | 'quiet') =>
    html`<a class="button ${kind}" href="${path}" aria-label="${w.of(name, question)}">${name}</a>`
  return html`${found !== undefined && way('Correct the text', correctionPath(agentId, found, question), 'plain')}
${way('Say this instead', newDocumentPath(agentId, question), 'plain')}
${way(asked ? words.call.keep : 'Golden question', goldenQuestionPath(agentId, question, document, asked), 'quiet')}
${passage !== undefined && way('Open passage', passage, 'quiet')}`
}
