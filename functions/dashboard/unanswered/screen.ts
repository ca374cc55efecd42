import { html } from 'hono/html'
import * as v from 'valibot'
import { agentPath, uuid } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import { agentPage } from '../layout.ts'
import { questionLogPanel } from '../question-log.ts'
import { type Screens, valid } from '../screen.ts'
import { words } from '../words.ts'
import { callForm } from './call/view.ts'
import { clearLog, deleteGroup, readUnanswered } from './log.ts'
import { clearPath, clearQuestion, noneView, unansweredView } from './view.ts'

const groupForm = v.object({ first: uuid, last: uuid })
const base = '/dashboard/agents/:agentId/unanswered'
const w = words.unanswered

/** What callers asked and search found little for. It needs `kb:write`, which platforms' keys do not have. */
export function addUnansweredScreens(screens: Screens) {
  screens
    .get(base, { permission: 'kb:write', params: agentPath }, async ({ db, scope, may }) => {
      const [{ id, name }, log] = await Promise.all([getAgent(db, scope), readUnanswered(db, scope)])
      const { isOn, asked, groups } = log
      return {
        title: 'Unanswered',
        lead: 'What callers asked in the last 30 days and your agent found little for. Similar questions are grouped.',
        agent: { id, name, tab: 'unanswered' },
        content: html`${!isOn && questionLogPanel(isOn, may('organization:write'), scope.agentId)}
${asked > 0 && callForm(id)}
${groups.length > 0 ? unansweredView(id, log) : isOn && noneView(asked)}
${asked > 0 && html`<p><a class="button quiet danger" href="${clearPath(id)}">Delete all questions</a></p>`}`,
      }
    })
    .post(
      `${base}/delete`,
      { permission: 'kb:write', params: agentPath, form: groupForm },
      async ({ db, scope, form }) => {
        const { id } = await getAgent(db, scope)
        const count = await deleteGroup(db, scope, valid(form))
        return {
          redirect: agentPage(id, 'unanswered'),
          flash:
            count > 0
              ? { text: w.removed(count) }
              : { text: 'These questions are no longer available.', isError: true },
        }
      },
    )
    .get(`${base}/clear`, { permission: 'kb:write', params: agentPath }, async ({ db, scope }) => {
      const [{ id, name }, { asked }] = await Promise.all([getAgent(db, scope), readUnanswered(db, scope)])
      return {
        title: 'Delete all questions from this agent’s callers?',
        agent: { id, name, tab: 'unanswered' },
        crumbs: [['Unanswered', agentPage(id, 'unanswered')]],
        content: clearQuestion(id, asked),
      }
    })
    .post(`${base}/clear`, { permission: 'kb:write', params: agentPath }, async ({ db, scope }) => {
      const { id } = await getAgent(db, scope)
      const count = await clearLog(db, scope)
      return { redirect: agentPage(id, 'unanswered'), flash: { text: w.removed(count) } }
    })
}
