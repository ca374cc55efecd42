import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import type { AgentScope } from '../../shared/database/scope.ts'
import { createAgent, getAgent, updateAgent } from '../../shared/organizations/agents.ts'
import { deleteAgent } from '../../shared/organizations/delete-agent.ts'
import { countriesByName, countryOf, holidays, timeZone, timeZoneOf } from '../../shared/organizations/time-zone.ts'
import { isError } from './error-view.ts'
import { confirmView, fieldsOf, type Sent, sheetForm } from './form-view.ts'
import { line, oneLine } from './forms.ts'
import { agentPage, type View } from './layout.ts'
import { type Screens, valid } from './screen.ts'

const agents = '/dashboard/agents' as const
const one = `${agents}/:agentId` as const
const permission = 'organization:write'
const maxName = 200
const maxHolidays = 60
const name = line(maxName, { missing: 'Enter a name.', tooLong: 'A name can have at most 200 characters.' })
/** The browser's time zone is missing without scripts, and the server may not have it. */
const newAgent = v.object({ name, time_zone: v.fallback(v.optional(timeZone), undefined) })
const settings = v.object({
  name,
  time_zone: v.pipe(
    v.optional(v.string(), ''),
    v.check((text) => text === '' || v.is(timeZone, text), 'Choose a time zone.'),
    v.transform((text) => text || undefined),
  ),
  holidays: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => codeOf(oneLine(text))),
      v.check(
        (text) => text === '' || v.is(holidays, text),
        'Enter a country, such as Germany, or a code, such as CA-ON.',
      ),
      v.transform((text) => text || null),
    ),
  ),
})
const typedName = v.object({ confirm: v.pipe(v.optional(v.string(), ''), v.trim()) })

/** The code of a country that is named, or the code in capitals. */
function codeOf(text: string): string {
  const named = countriesByName().find(([, name]) => name.toLowerCase() === text.toLowerCase())
  return named?.[0] ?? text.toUpperCase()
}

/** A new agent; an agent's name, time zone and holidays; and its deletion. */
export function addAgentScreens(screens: Screens) {
  screens
    .get(`${agents}/new`, { permission }, () => newView())
    .post(`${agents}/new`, { permission, form: newAgent }, async ({ db, session, form }) => {
      if (!form.isValid) return { ...newView(form), status: 422 }
      const { id, name, time_zone } = await createAgent(db, session.organizationId, form.values)
      const ofZone = time_zone ? ` Its days are those of ${time_zone}, which you can change in its settings.` : ''
      return { redirect: agentPage(id, 'documents'), flash: { text: `“${name}” was added.${ofZone}` } }
    })
    .get(`${one}/edit`, { permission }, ({ db, scope }) => settingsView(db, scope))
    .post(`${one}/edit`, { permission, form: settings }, async ({ db, scope, form }) => {
      if (!form.isValid) return { ...(await settingsView(db, scope, form)), status: 422 }
      const { id, name } = await updateAgent(db, scope, form.values)
      return { redirect: agentPage(id, 'documents'), flash: { text: `“${name}” was saved.` } }
    })
    .post(`${one}/delete`, { permission, form: typedName }, async ({ db, scope, form, origin }) => {
      const { confirm } = valid(form)
      try {
        const name = await deleteAgent(db, scope, { confirm, by: origin.by! })
        return { redirect: '/dashboard', flash: { text: `“${name}” was deleted.` } }
      } catch (error) {
        if (!isError(error, 'confirmation_mismatch')) throw error
        const faults = { confirm: 'This is not its name. Nothing was deleted.' }
        return { ...(await settingsView(db, scope, { typed: { confirm }, faults })), status: 422 }
      }
    })
}

const nameField = (sent: Sent) =>
  fieldsOf(sent).line('name', 'Name', maxName, 'Such as “Front desk”. Callers don’t hear it.')

function newView(sent: Sent = {}): View {
  const zone = html`<input type="hidden" name="time_zone" data-zone>`
  const content = sheetForm([nameField(sent), zone], 'Add agent', '/dashboard')
  return { title: 'New agent', content }
}

async function settingsView(db: Database, scope: AgentScope, sent: Sent = {}): Promise<View> {
  const { name, time_zone, ...agent } = await getAgent(db, scope)
  const typed = { name, time_zone: time_zone ?? '', holidays: agent.holidays ?? '', ...sent.typed }
  const { choice, line } = fieldsOf({ ...sent, typed })
  const zones = new Set(['UTC', timeZoneOf({ time_zone }), ...Intl.supportedValuesOf('timeZone')])
  const choices = [...zones].map((zone) => [zone, zone] as const)
  const country = time_zone !== null && agent.holidays === null && countryOf(time_zone)
  const ofHolidays = html`The country whose public holidays it has, or the code of its region, such as CA-ON.${country && ` ${time_zone} is in ${country}.`}`
  const fields = [
    nameField({ ...sent, typed }),
    choice(
      'time_zone',
      'Time zone',
      time_zone === null ? [['', 'Not chosen yet: UTC'], ...choices] : choices,
      'The time zone of the business. “Today” in a call, and the days on which a document is served, are its days.',
      time_zone === null && html`data-zone`,
    ),
    line('holidays', 'Public holidays', maxHolidays, ofHolidays, html`list="countries" autocomplete="off"`),
    html`<datalist id="countries">${countriesByName().map(([code, country]) => html`<option value="${country}">${code}</option>`)}</datalist>`,
  ]
  const says = html`<h2>Delete this agent</h2>
<p>It stops answering at once, and takes along its documents, websites, checks and questions. You can’t restore any of it.</p>`
  const confirm = line('confirm', 'Its name', maxName, `Type “${name}” to confirm.`, html`required autocomplete="off"`)
  const address = agentPage(agent.id, 'documents')
  return {
    title: `Settings of “${name}”`,
    crumbs: [[name, address]],
    content: [
      sheetForm(fields, 'Save', address),
      confirmView(says, 'Delete agent', address, confirm, `/dashboard/agents/${agent.id}/delete`),
    ],
  }
}
