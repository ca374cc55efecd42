import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import type { Html } from './layout.ts'
import { callsPath, settingsPath } from './paths.ts'
import { type Screens, valid } from './screen.ts'

const form = v.object({ on: v.picklist(['true', 'false']) })
const switching = { permission: 'organization:write', form } as const

/** An organization's switches by path. `loses`: what is lost once it is turned off, which is asked first. */
const switches = {
  'question-log': {
    column: 'log_questions',
    title: 'Save callers’ questions',
    says: 'Each question that your agent looks up for a caller is saved for 30 days, with the answer it found, from half a minute after you turn this on. “Questions” then shows what callers asked and what your documents don’t cover.',
    hint: 'Only the words and the call’s ID are saved: no phone number, no name, no recording. Callers may still mention personal details, so tell them if your law requires it. Anyone whose key can search can read the questions, and anyone whose key can change documents can delete them. At most 200 questions per hour are saved. If you turn this off, saved questions are kept for their 30 days, unless you delete them under “Questions”.',
  },
  'viewers-questions': {
    column: 'viewers_read_questions',
    title: 'Let viewers read callers’ questions',
    says: 'Viewers then read “Questions”, but can’t change or delete them. Owners and editors always read them.',
  },
  'auto-delete': {
    column: 'auto_delete_done_calls',
    title: 'Delete completed calls',
    says: 'While this is on, completed calls are moved to “Deleted calls”, where you can restore them until you delete them permanently.',
    hint: html`<a href="${callsPath}">Deleted calls</a>`,
  },
  revisions: {
    column: 'keep_revisions',
    title: 'Keep earlier texts of documents',
    says: 'When a document is changed, the text that callers got answers from is kept for a year, at most 20 for each document. Its history shows who changed what, and lets you restore a text.',
    loses:
      'The earlier texts of all your documents are deleted within minutes. This can’t be undone. Callers still get answers from the current texts.',
  },
} as const
type Name = keyof typeof switches
const columns = Object.values(switches).map(({ column }) => column)

/** Reads all switches of an organization. */
export function readSwitches(db: Database, id: OrganizationId) {
  return db.selectFrom('organizations').select(columns).where('id', '=', id).executeTakeFirstOrThrow()
}

export function addSwitchRoutes(screens: Screens) {
  for (const [name, { column, title }] of Object.entries(switches))
    screens.post(`${settingsPath}/${name}`, switching, async ({ db, session, form }) => {
      const isOn = valid(form).on === 'true'
      const ofOwn = db.updateTable('organizations').where('id', '=', session.organizationId)
      await ofOwn.set(column, isOn).execute()
      return { redirect: settingsPath, flash: { text: `“${title}” is ${isOn ? 'on' : 'off'}.` } }
    })
}

/** A row with the switch, for those who may use it. */
function switchRow(name: Name, isOn: boolean, mayChange: boolean): Html {
  const { title, says, hint, loses } = { hint: '', loses: '', ...switches[name] }
  const label = isOn ? 'Turn off' : 'Turn on'
  const isAsked = isOn && loses !== ''
  const form = html`<form method="post" action="${settingsPath}/${name}"><input type="hidden" name="on" value="${`${!isOn}`}">
<button class="${isAsked ? 'danger' : 'plain'}" aria-label="${label}: ${title}">${label}</button></form>`
  return html`<li><div class="what"><p class="name">${title} <span class="state ${isOn && 'good'}">${isOn ? 'On' : 'Off'}</span></p>
<p>${says}</p><p class="hint">${hint}</p></div>
${mayChange && (isAsked ? html`<details><summary aria-label="${label}: ${title}">${label}</summary><p>${loses}</p>${form}</details>` : form)}</li>`
}

/** Lists what the organization keeps, in Settings. */
export function switchesView(kept: Awaited<ReturnType<typeof readSwitches>>, mayChange: boolean): Html {
  const names = Object.keys(switches) as Name[]
  return html`<section class="panel"><h2>Privacy</h2><ul class="rows">${names.map((name) => switchRow(name, kept[switches[name].column], mayChange))}</ul></section>`
}

/** Says that callers' questions aren't saved, and where to change that. */
export function questionLogView(mayChange: boolean): Html {
  const how = mayChange
    ? html`<a href="${settingsPath}">Save them</a> for 30 days.`
    : 'Somebody who can change settings can have them saved for 30 days.'
  return html`<div class="notice"><p>Callers’ questions aren’t saved. ${how}</p></div>`
}
