import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import { type AgentId, agentId, type OrganizationId } from '../../shared/ids.ts'
import { agentPage, type Html } from './layout.ts'
import { settingsPath } from './paths.ts'
import { type Screens, valid } from './screen.ts'

const form = v.object({ on: v.picklist(['true', 'false']), agent: v.optional(agentId) })
const switching = { permission: 'organization:write', form } as const

/** An organization's switches by path, each with its column and its notices. */
const switches = {
  'auto-delete': {
    column: 'auto_delete_done_calls',
    on: 'From now on, completed calls are deleted.',
    off: 'From now on, completed calls are kept.',
  },
  'question-log': {
    column: 'log_questions',
    on: 'From now on, questions are saved for 30 days.',
    off: 'New questions are no longer saved. Existing questions are kept for 30 days, unless you delete them under “Questions”.',
  },
  revisions: {
    column: 'keep_revisions',
    on: 'From now on, earlier texts of documents are kept.',
    off: 'Earlier texts of documents are no longer kept. Those already kept are being deleted.',
  },
} as const
type Name = keyof typeof switches
const columns = Object.values(switches).map(({ column }) => column)

/** Reads all switches of an organization. */
export function readSwitches(db: Database, id: OrganizationId) {
  return db.selectFrom('organizations').select(columns).where('id', '=', id).executeTakeFirstOrThrow()
}

export function addSwitchRoutes(screens: Screens) {
  for (const [name, { column, on, off }] of Object.entries(switches))
    screens.post(`${settingsPath}/${name}`, switching, async ({ db, session, form }) => {
      const { agent, ...sent } = valid(form)
      const isOn = sent.on === 'true'
      const ofOwn = db.updateTable('organizations').where('id', '=', session.organizationId)
      await ofOwn.set(column, isOn).execute()
      return { redirect: agent ? agentPage(agent, 'questions') : settingsPath, flash: { text: isOn ? on : off } }
    })
}

/** @param label the button's text @param agent the agent whose screen shows the button */
export function switchView(name: Name, isOn: boolean, label: string, style = 'plain', agent?: AgentId) {
  return html`<form method="post" action="${settingsPath}/${name}"><input type="hidden" name="on" value="${`${!isOn}`}">${agent && html`<input type="hidden" name="agent" value="${agent}">`}
<button class="${style}">${label}</button></form>`
}

/** Explains what is saved and who can read it, with the switch if the session may use it. @param agent the agent whose screen shows it */
export function questionLogPanel(isOn: boolean, mayChange: boolean, agent?: AgentId): Html {
  const style = isOn || !agent ? 'plain' : ''
  return html`<section class="panel"><div class="head"><h2>Save callers’ questions</h2><p class="state ${isOn && 'good'}">${isOn ? 'On' : 'Off'}</p></div>
<p>Each question that your agent looks up for a caller is saved for 30 days, with the answer it found. “Questions” then shows what callers asked and what your documents don’t cover.</p>
<p class="hint">Only the words and the call’s ID are saved: no phone number, no name, no recording. Callers may still mention personal details, so tell them if your law requires it. Anyone whose key can search can read the questions, and anyone whose key can change documents can delete them. At most 200 questions per hour are saved.</p>
${mayChange ? switchView('question-log', isOn, isOn ? 'Stop saving questions' : 'Save questions', style, agent) : html`<p class="hint">You can’t change settings. Ask somebody who can.</p>`}</section>`
}
