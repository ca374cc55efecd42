import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, isAgent } from '../../shared/database/scope.ts'
import { type AgentRow, createAgent, getAgent } from '../../shared/organizations/agents.ts'
import { dayText, timeZone } from '../../shared/organizations/time-zone.ts'
import { fieldsOf, type Sent, sheetForm } from './form-view.ts'
import { line } from './forms.ts'
import { agentPage, type Html, type View } from './layout.ts'
import type { Screens } from './screen.ts'

const path = '/dashboard/agents'
const one = `${path}/:agentId` as const
export const maxName = 200
export const name = line(maxName, { missing: 'Enter a name.', tooLong: 'A name can have at most 200 characters.' })
/** The browser's time zone is missing without scripts, and the server may not have it. */
const newAgent = v.object({ name, time_zone: v.fallback(v.optional(timeZone), undefined) })

/** An agent's own address redirects to its documents. */
export function addAgentsScreens(screens: Screens) {
  const permission = 'organization:write'
  screens
    .get(path, { permission: 'any' }, () => ({ redirect: '/dashboard' }))
    .get(`${path}/new`, { permission }, () => newView())
    .post(`${path}/new`, { permission, form: newAgent }, async ({ db, session, form }) => {
      if (!form.isValid) return { ...newView(form), status: 422 }
      const { id, name } = await createAgent(db, session.organizationId, form.values)
      return { redirect: agentPage(id, 'documents'), flash: { text: `“${name}” was added.` } }
    })
    .get(one, { permission: 'kb:read' }, async ({ db, scope }) => {
      const { id } = await getAgent(db, scope)
      return { redirect: agentPage(id, 'documents') }
    })
}

export const nameField = (sent: Sent) =>
  fieldsOf(sent).line('name', 'Name', maxName, 'Such as “Front desk”. Callers don’t hear it.')

function newView(sent: Sent = {}): View {
  const zone = html`<input type="hidden" name="time_zone" data-zone>`
  const content = sheetForm([nameField(sent), zone], 'Add agent', '/dashboard')
  return { title: 'New agent', place: 'agents', crumbs: [], content }
}

/** Asks once whether the browser's time zone is the agent's. dashboard.js fills it in and shows the question. */
export function zoneQuestion({ id, name, time_zone }: AgentRow): Html | false {
  return (
    time_zone === null &&
    html`<form class="notice" method="post" action="${path}/${id}/edit" hidden><input type="hidden" name="name" value="${name}"><p>Is <strong data-zone></strong> the time zone of this business?</p>
<button name="time_zone" data-zone>Yes</button> <button class="plain" name="time_zone" value="UTC">No, keep UTC</button> <a href="${path}/${id}/edit">Choose another</a></form>`
  )
}

/** Says which public holidays of the next fortnight no text names, as the sweeper found. @param add the path of a new text */
export async function holidaysNotice(db: Database, scope: AgentScope, add: string | false): Promise<Html | false> {
  const [agent] = await db.selectFrom('agents as a').select('missing_holidays').where(isAgent(scope)).execute()
  const missing = agent?.missing_holidays ?? []
  return (
    missing.length > 0 &&
    html`<div class="notice">${missing.map(({ day, name }) => html`<p>No text says what you do on ${name}, ${dayText(day, day.slice(0, 'yyyy'.length))}.</p>`)}
${add && html`<a href="${add}">Write text</a>`}</div>`
  )
}
