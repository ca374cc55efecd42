import { Hono } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import type { ApiEnv } from '../../shared/http/api.ts'
import { type AgentId, agentId, type OrganizationId } from '../../shared/ids.ts'
import { agentPage, type Html } from './layout.ts'
import { settingsPath } from './paths.ts'
import { type Screen, valid } from './screen.ts'
import { words } from './words.ts'

const path = `${settingsPath}/question-log`
const form = v.object({ on: v.picklist(['true', 'false']), agent: v.optional(agentId) })
const w = words.questionLog

/** Whether the organization keeps its callers' questions: one row. */
export function isLogOn(db: Database, organizationId: OrganizationId) {
  return db.selectFrom('organizations').select('log_questions').where('id', '=', organizationId)
}

export function questionLogRoutes(screen: Screen) {
  return new Hono<ApiEnv>().post(
    path,
    screen({ permission: 'organization:write', form }, async ({ db, session, form }) => {
      const { on, agent } = valid(form)
      const isOn = on === 'true'
      await db
        .updateTable('organizations')
        .set({ log_questions: isOn })
        .where('id', '=', session.organizationId)
        .execute()
      return {
        redirect: agent ? agentPage(agent, 'unanswered') : settingsPath,
        flash: { text: isOn ? w.turnedOn : w.turnedOff },
      }
    }),
  )
}

/** Explains what is saved and who reads it, with the switch if the key may use it. @param agent on whose screen it is shown */
export function questionLogPanel(isOn: boolean, mayChange: boolean, agent?: AgentId): Html {
  return html`<section class="panel" id="question-log"><div class="head"><h2>${w.title}</h2><p class="state ${isOn && 'good'}">${isOn ? w.on : w.off}</p></div>
<p>${w.what}</p>
<p class="hint">${w.care}</p>
${mayChange ? html`<form method="post" action="${path}"><input type="hidden" name="on" value="${isOn ? 'false' : 'true'}">${agent && html`<input type="hidden" name="agent" value="${agent}">`}<button class="${(isOn || !agent) && 'plain'}">${isOn ? w.turnOff : w.turnOn}</button></form>` : html`<p class="hint">${w.whoMay}</p>`}</section>`
}
