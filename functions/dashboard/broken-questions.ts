import { html } from 'hono/html'
import type { Warning } from '../../shared/database/tables.ts'
import type { Broken } from '../../shared/golden/broken.ts'
import type { Html } from './layout.ts'
import { goldenPath } from './paths.ts'
import { localTime } from './times.ts'
import { words } from './words.ts'

const { broken: w, warnings } = words.golden

const fromView = (moment: string) => html`<span class="hint">From ${localTime(new Date(moment))}</span>`

type Named = Omit<Broken, 'blocks'> & { blocks?: boolean }

/** What a change would take away, and what callers would get instead. */
export function brokenView(agentId: string, broken: readonly Named[]): Html {
  return html`<section class="panel broken" role="alert"><h2>${w.counts(broken.length)}</h2><ul class="rows">${broken.map(
    ({ golden_question_id, question, blocks, as_of, lost, instead }) =>
      html`<li><div class="what"><p class="name"><a href="${goldenPath(agentId, golden_question_id)}">“${question}”</a>${blocks && html` <span class="state bad">Blocks changes</span>`}</p>
${as_of && html`<p>${fromView(as_of)}</p>\n`}<p>${lost === null ? 'Callers get no answer now' : `Callers get now: “${lost}”`}</p>
<p>${instead ? `They would get instead: “${instead.text}” from “${instead.document_title}”` : 'They would get no answer'}</p></div></li>`,
  )}</ul></section>`
}

/** Golden questions that fail since a change of the document. */
export function warningsView(agentId: string, address: string, failed: readonly Warning[], mayWrite: boolean): Html {
  return html`<section class="panel broken" id="warnings"><h2>${warnings.counts(failed.length)}</h2><ul class="rows">${failed.map(
    ({ golden_question_id, question, as_of }) =>
      html`<li><p class="what"><a href="${goldenPath(agentId, golden_question_id)}">“${question}”</a>${as_of && html` ${fromView(as_of)}`}</p>
${mayWrite && html`<form method="post" action="${address}/warnings/${golden_question_id}/dismiss"><button class="quiet" aria-label="${words.golden.of('Dismiss', question)}">Dismiss</button></form>`}</li>`,
  )}</ul></section>`
}
