import { html } from 'hono/html'
import * as v from 'valibot'
import { agentPath } from '../../../../shared/ids.ts'
import { getAgent } from '../../../../shared/organizations/agents.ts'
import { listQuestions } from '../../../../shared/questions/questions.ts'
import { callId } from '../../../../shared/retrieval/schemas.ts'
import { shortened } from '../../forms.ts'
import { agentPage } from '../../layout.ts'
import type { Screens } from '../../screen.ts'
import { findGiven } from './passages.ts'
import { callForm, callView } from './view.ts'

const maxQuestions = 100
const maxId = 255

/** What a caller asked in a call, and what their agent was given. It needs `kb:write`, as the unanswered questions do. */
export function addCallScreens(screens: Screens) {
  screens.get(
    '/dashboard/agents/:agentId/call',
    { permission: 'kb:write', params: agentPath },
    async ({ c, db, scope }) => {
      const sought = shortened((c.req.query('id') ?? '').trim(), maxId)
      const found = v.is(callId, sought)
        ? listQuestions(db, scope, { call_id: sought, limit: maxQuestions })
        : undefined
      const [{ id, name }, asked] = await Promise.all([getAgent(db, scope), found])
      const questions = asked ? asked.questions.toReversed() : []
      const hits = questions.flatMap(({ hits }) => hits)
      const givenOf = hits.length > 0 ? await findGiven(db, scope, hits) : () => undefined
      return {
        title: 'Call',
        agent: { id, name, tab: 'unanswered' },
        crumbs: [['Unanswered', agentPage(id, 'unanswered')]],
        content: html`${callForm(id, sought)}${callView(id, { questions, hasMore: asked?.hasMore ?? false, givenOf })}`,
      }
    },
  )
}
