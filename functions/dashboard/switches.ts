import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import { type AgentId, agentId, type OrganizationId } from '../../shared/ids.ts'
import { agentPage, type Html } from './layout.ts'
import { rowsView } from './list.ts'
import { callsPath, settingsPath } from './paths.ts'
import { type Screens, valid } from './screen.ts'

const form = v.object({ on: v.picklist(['true', 'false']), agent: v.optional(agentId) })
const switching = { permission: 'organization:write', form } as const

/** An organization's switches by path. `loses`: what is lost once it is turned off, which is asked first; `on` and `off`: the notices after a change. */
const switches = {
  'question-log': {
    column: 'log_questions',
    title: 'Save callers’ questions',
    turnOn: 'Save questions',
    turnOff: 'Stop saving questions',
    says: 'Each question that your agent looks up for a caller is saved for 30 days, with the answer it found. “Questions” then shows what callers asked and what your documents don’t cover.',
    hint: 'Only the words and the call’s ID are saved: no phone number, no name, no recording. Callers may still mention personal details, so tell them if your law requires it. Anyone whose key can search can read the questions, and anyone whose key can change documents can delete them. At most 200 questions per hour are saved.',
    on: 'From now on, questions are saved for 30 days.',
    off: 'New questions are no longer saved. Existing questions are kept for 30 days, unless you delete them under “Questions”.',
  },
  'viewers-questions': {
    column: 'viewers_read_questions',
    title: 'Let viewers read callers’ questions',
    turnOn: 'Show them to viewers',
    turnOff: 'Stop showing them to viewers',
    says: 'Viewers then read “Questions”, but can’t change or delete them. Owners and editors always read them.',
    on: 'From now on, viewers can read callers’ questions.',
    off: 'Viewers can no longer read callers’ questions.',
  },
  'auto-delete': {
    column: 'auto_delete_done_calls',
    title: 'Delete completed calls',
    turnOn: 'Turn on',
    turnOff: 'Turn off',
    says: 'While this is on, completed calls are moved to “Deleted calls”, where you can restore them until you delete them permanently.',
    hint: html`<a href="${callsPath}">Deleted calls</a>`,
    on: 'From now on, completed calls are deleted.',
    off: 'From now on, completed calls are kept.',
  },
  revisions: {
    column: 'keep_revisions',
    title: 'Keep earlier texts of documents',
    turnOn: 'Keep earlier texts',
    turnOff: 'Stop keeping earlier texts',
    says: 'When a document is changed, the text that callers got answers from is kept for a year, at most 20 for each document. Its history shows who changed what, and lets you restore a text.',
    loses:
      'The earlier texts of all your documents are deleted within minutes. This can’t be undone. Callers still get answers from the current texts.',
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

/** A row with the switch, for those who may use it. @param agent the agent whose screen shows it */
function switchRow(name: Name, isOn: boolean, mayChange: boolean, agent?: AgentId): Html {
  const { title, says, hint, turnOn, turnOff, loses } = { hint: '', loses: '', ...switches[name] }
  const label = isOn ? turnOff : turnOn
  const style = isOn && loses ? 'danger' : agent ? '' : 'plain'
  const form = html`<form method="post" action="${settingsPath}/${name}"><input type="hidden" name="on" value="${`${!isOn}`}">${agent && html`<input type="hidden" name="agent" value="${agent}">`}
<button class="${style}">${label}</button></form>`
  return html`<li><div class="what"><p class="name">${title} <span class="state ${isOn && 'good'}">${isOn ? 'On' : 'Off'}</span></p>
<p>${says}</p><p class="hint">${hint}</p></div>
${mayChange ? (isOn && loses ? html`<details><summary>${label}</summary><p>${loses}</p>${form}</details>` : form) : agent && html`<p class="hint">You can’t change settings. Ask somebody who can.</p>`}</li>`
}

/** Lists what the organization keeps, in Settings. */
export function switchesView(kept: Awaited<ReturnType<typeof readSwitches>>, mayChange: boolean): Html {
  const names = Object.keys(switches) as Name[]
  return html`<section class="panel" id="privacy"><h2>Privacy</h2><ul class="rows">${names.map((name) => switchRow(name, kept[switches[name].column], mayChange))}</ul></section>`
}

/** Offers, on an agent's screen, to save its callers' questions. */
export function questionLogView(mayChange: boolean, agent: AgentId): Html {
  return rowsView([switchRow('question-log', false, mayChange, agent)])
}
