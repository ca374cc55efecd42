import { html } from 'hono/html'
import * as v from 'valibot'
import { ApiError } from '../../../shared/http/errors.ts'
import { instantOf, timeZoneOf } from '../../../shared/organizations/time-zone.ts'
import type { AnswerQuestion } from '../../../shared/retrieval/answer.ts'
import { Unavailable } from '../../../shared/unavailable.ts'
import { askPath } from '../paths.ts'
import { pastLimits } from '../refused-change.ts'
import type { Screens } from '../screen.ts'
import { type AskQuery, askQuery, titleInWork, tryOut } from './trial.ts'
import { answerView, askForm, inWorkView, nothingServedView, timeView } from './view.ts'

const path = '/dashboard/agents/:agentId/ask'
/** Answers a question exactly like a voice agent's, explains the result and saves nothing. */
export function addAskScreens(screens: Screens, answer: AnswerQuestion) {
  screens.get(path, { permission: 'kb:read', tab: 'ask' }, async ({ c, db, meter, scope, may, agent }) => {
    const query = v.parse(askQuery, c.req.query())
    const zone = async () => timeZoneOf(await agent())
    const content = async () => {
      if (query.q === '') {
        const { knowledge_base_enabled: isServing } = await agent()
        return { content: isServing ? html`` : nothingServedView(scope.agentId) }
      }
      const asOf = query.at && instantOf(query.at, await zone()).toISOString()
      const asked = { at: asOf ?? new Date().toISOString(), zone: await zone() }
      const inWork = query.saved && (await titleInWork(db, { ...scope, documentId: query.saved }))
      await meter.admit()
      const trial = await tryOut(answer, db, { ...scope, meter }, query, asOf)
      // It may have become ready since.
      const isMissing = inWork && trial.passages.every(({ hit }) => hit.document_id !== query.saved)
      return {
        content: html`${isMissing && inWorkView(scope.agentId, query, inWork)}${asOf && timeView(asOf, asked.zone)}${answerView(scope.agentId, query, trial, asked, may('kb:write'))}`,
      }
    }
    const shown = await content().catch((error) => withoutAnswer(error, scope.agentId, query))
    return {
      title: 'Ask',
      lead: 'Type what a caller would say, and see what your agent would answer.',
      ...shown,
      content: html`${askForm(scope.agentId, query, await zone())}${shown.content}`,
      modules: ['ask.js'],
    }
  })
}

/** Search by meaning finds nothing while the provider is down; search by words still works. */
function withoutAnswer(error: unknown, agentId: string, { q }: AskQuery) {
  if (error instanceof ApiError && error.code === 'rate_limited')
    return { content: html`<p class="notice bad">${pastLimits}</p>`, status: 429 as const }
  if (!(error instanceof Unavailable) || error.service !== 'embedding_provider') throw error
  return {
    content: html`<p class="notice bad">Search by meaning isn’t available at the moment. <a href="${askPath(agentId, { q, mode: 'keyword' })}">Search by words instead</a>, or try again shortly.</p>`,
    status: 503 as const,
  }
}
