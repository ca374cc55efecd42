import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import { type AgentId, agentId, type OrganizationId } from '../../shared/ids.ts'
import { agentPage, type Html } from './layout.ts'
import { settingsPath } from './paths.ts'
import { type Screens, valid } from './screen.ts'

const path = `${settingsPath}/question-log`
const form = v.object({ on: v.picklist(['true', 'false']), agent: v.optional(agentId) })

/** Whether the organization keeps its callers' questions: one row. */
export function isLogOn(db: Database, organizationId: OrganizationId) {
  return db.selectFrom('organizations').select('log_questions').where('id', '=', organizationId)
}

export function addQuestionLogRoutes(screens: Screens) {
  screens.post(path, { permission: 'organization:write', form }, async ({ db, session, form }) => {
    const { on, agent } = valid(form)
    const isOn = on === 'true'
    await db
      .updateTable('organizations')
      .set({ log_questions: isOn })
      .where('id', '=', session.organizationId)
      .execute()
    return {
      redirect: agent ? agentPage(agent, 'questions') : settingsPath,
      flash: {
        text: isOn
          ? 'From now on, questions are saved for 30 days.'
          : 'New questions are no longer saved. Existing questions are kept for 30 days, unless you delete them under “Questions”.',
      },
    }
  })
}

/** Explains what is saved and who reads it, with the switch if the key may use it. @param agent on whose screen it is shown */
export function questionLogPanel(isOn: boolean, mayChange: boolean, agent?: AgentId): Html {
  return html`<section class="panel" id="question-log"><div class="head"><h2>Save callers’ questions</h2><p class="state ${isOn && 'good'}">${isOn ? 'On' : 'Off'}</p></div>
<p>Each question that a caller’s agent looks up is saved for 30 days, with what your agent was given. “Questions” then shows what callers asked, and what your documents don’t cover.</p>
<p class="hint">Only the words and the call’s ID are saved: no phone number, no name, no recording. Callers may still mention personal details, so tell them if your law requires it. Anyone whose key can search can read the questions, and anyone whose key can change documents can delete them. At most 200 questions per hour are saved.</p>
${mayChange ? html`<form method="post" action="${path}"><input type="hidden" name="on" value="${isOn ? 'false' : 'true'}">${agent && html`<input type="hidden" name="agent" value="${agent}">`}<button class="${(isOn || !agent) && 'plain'}">${isOn ? 'Stop saving questions' : 'Save questions'}</button></form>` : html`<p class="hint">Only a key with the “Change settings, keys and calls” permission can turn this on or off.</p>`}</section>`
}
