import { html } from 'hono/html'
import { sql } from 'kysely'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import type { AgentScope } from '../../shared/database/scope.ts'
import { getAgent, updateAgent } from '../../shared/organizations/agents.ts'
import { deleteAgent } from '../../shared/organizations/delete-agent.ts'
import { countriesByName, countryOf, holidays, timeZone, timeZoneOf } from '../../shared/organizations/time-zone.ts'
import { maxName, name, nameField } from './agents.ts'
import { isError } from './error-view.ts'
import { confirmView, fieldsOf, type Sent, sheetForm } from './form-view.ts'
import { oneLine } from './forms.ts'
import { agentPage, type View } from './layout.ts'
import { type Screens, valid } from './screen.ts'
import { counted } from './sentences.ts'

const one = '/dashboard/agents/:agentId' as const
const permission = 'organization:write'
const maxHolidays = 60
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

/** An agent's name, time zone and holidays, and its deletion. */
export function addAgentSettings(screens: Screens) {
  screens
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
    ),
    line('holidays', 'Public holidays', maxHolidays, ofHolidays, html`list="countries" autocomplete="off"`),
    html`<datalist id="countries">${countriesByName().map(([code, country]) => html`<option value="${country}">${code}</option>`)}</datalist>`,
  ]
  const contents = await contentsOf(db, scope)
  const says = html`<h2>Delete this agent</h2>
<p>It stops answering at once${contents && `, and takes along ${contents}`}. You can’t restore any of it.</p>`
  const confirm = line('confirm', 'Its name', maxName, `Type “${name}” to confirm.`, html`required autocomplete="off"`)
  const address = agentPage(agent.id, 'documents')
  return {
    title: `Settings of “${name}”`,
    place: 'agents',
    crumbs: [[name, address]],
    content: [
      sheetForm(fields, 'Save', address),
      confirmView(says, 'Delete agent', address, confirm, `/dashboard/agents/${agent.id}/delete`),
    ],
  }
}

/** “12 documents, 1 website, and 40 questions”, with what is in the trash */
async function contentsOf(db: Database, { organizationId, agentId }: AgentScope): Promise<string> {
  const count = (table: string) =>
    sql`(select count(*)::int from ${sql.table(table)} where organization_id = ${organizationId} and agent_id = ${agentId})`
  const { rows } = await sql<
    Record<string, number>
  >`select ${count('documents')} as document, ${count('sources')} as website,
    ${count('golden_questions')} as check, ${count('question_log')} as question`.execute(db)
  const some = Object.entries(rows[0]!).filter(([, found]) => found > 0)
  return new Intl.ListFormat('en').format(some.map(([noun, found]) => counted(found, noun)))
}
