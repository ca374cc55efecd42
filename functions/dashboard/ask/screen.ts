import { html } from 'hono/html'
import * as v from 'valibot'
import { getDocument } from '../../../shared/documents/client/documents.ts'
import { instantOf, timeZoneOf } from '../../../shared/organizations/time-zone.ts'
import type { AnswerQuestion } from '../../../shared/retrieval/answer.ts'
import { isError } from '../error-view.ts'
import { pastLimits } from '../refused-change.ts'
import type { Screens } from '../screen.ts'
import { askQuery, tryOut } from './trial.ts'
import { answerView, askForm, nothingServedView, waitingView } from './view.ts'

const path = '/dashboard/agents/:agentId/ask'

/** Answers a question exactly like a voice agent's, explains the result and saves nothing. */
export function addAskScreens(screens: Screens, answer: AnswerQuestion) {
  screens.get(path, { permission: 'kb:read', tab: 'ask' }, async ({ c, db, meter, scope, may, agent, isPartial }) => {
    const query = v.parse(askQuery, c.req.query())
    const agentRow = await agent()
    const zone = timeZoneOf(agentRow)
    const asOf = query.at && instantOf(query.at, zone).toISOString()
    const asking = { at: asOf ?? new Date().toISOString(), zone }
    const { after: documentId } = query
    const awaited = documentId && (await getDocument(db, { ...scope, documentId }))
    const resultView = async () => {
      if (awaited && (awaited.status === 'pending' || awaited.status === 'processing'))
        return waitingView(scope.agentId, query, awaited.title)
      if (query.q === '') return agentRow.knowledge_base_enabled ? html`` : nothingServedView(scope.agentId)
      await meter.admit()
      const trial = await tryOut(answer, db, { ...scope, meter }, query.q, asOf)
      return answerView(scope.agentId, query.q, trial, asking, may('kb:write'))
    }
    const result = await resultView().catch((error) => {
      if (!isError(error, 'rate_limited')) throw error
    })
    if (isPartial && result) return { fragment: result }
    return {
      title: 'Ask',
      lead: 'Type what a caller would say, and see what your agent would answer.',
      content: html`${askForm(scope.agentId, query, asking)}${result ?? html`<p class="notice bad">${pastLimits}</p>`}`,
      status: result ? 200 : 429,
    }
  })
}
