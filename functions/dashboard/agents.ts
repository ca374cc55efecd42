import { html } from 'hono/html'
import * as v from 'valibot'
import { type AgentRow, createAgent, getAgent, listAgents, updateAgent } from '../../shared/organizations/agents.ts'
import { fieldsOf, type Sent, sheetForm } from './form-view.ts'
import { line } from './forms.ts'
import { agentPage, type Html, type View } from './layout.ts'
import { emptyView } from './list.ts'
import type { Screens } from './screen.ts'
import { counted, number } from './sentences.ts'

const path = '/dashboard/agents'
const one = `${path}/:agentId` as const
const maxName = 200
const form = v.object({
  name: line(maxName, { missing: 'Enter a name.', tooLong: 'A name can have at most 200 characters.' }),
})

/** Lists the agents on the first screen, each with its state. An agent's own address redirects to its documents. */
export function addAgentsScreens(screens: Screens) {
  const permission = 'organization:write'
  screens
    .get('/dashboard', { permission: 'kb:read' }, async ({ db, session, may }) => {
      const { agents } = await listAgents(db, session.organizationId, { limit: 100 })
      const mayChange = may(permission)
      return {
        title: 'Agents',
        lead: 'Each voice agent answers callers from its own documents.',
        place: 'agents',
        actions: mayChange && agents.length > 0 && html`<a class="button plain" href="${path}/new">New agent</a>`,
        content:
          agents.length > 0
            ? html`<ul class="cards">${agents.map((agent) => agentCard(agent, mayChange))}</ul>`
            : emptyView(
                'agents',
                'No agents yet',
                'An agent is one voice on the phone, with its own documents.',
                mayChange
                  ? html`<a class="button" href="${path}/new">New agent</a>`
                  : 'Someone who can change settings has to add the first one.',
              ),
      }
    })
    .get(path, { permission: 'any' }, () => ({ redirect: '/dashboard' }))
    .get(`${path}/new`, { permission }, () => namePage('New agent', 'Add agent', '/dashboard'))
    .post(`${path}/new`, { permission, form }, async ({ db, session, form }) => {
      if (!form.isValid) return { ...namePage('New agent', 'Add agent', '/dashboard', form), status: 422 }
      const { id, name } = await createAgent(db, session.organizationId, form.values)
      return { redirect: agentPage(id, 'documents'), flash: { text: `“${name}” was added.` } }
    })
    .get(one, { permission: 'kb:read' }, async ({ db, scope }) => {
      const { id } = await getAgent(db, scope)
      return { redirect: agentPage(id, 'documents') }
    })
    .get(`${one}/edit`, { permission }, async ({ db, scope }) => {
      const { name } = await getAgent(db, scope)
      return namePage(`Rename “${name}”`, 'Rename', '/dashboard', { typed: { name } })
    })
    .post(`${one}/edit`, { permission, form }, async ({ db, scope, form }) => {
      const { name: before } = await getAgent(db, scope)
      if (!form.isValid) return { ...namePage(`Rename “${before}”`, 'Rename', '/dashboard', form), status: 422 }
      const { name } = await updateAgent(db, scope, form.values)
      return { redirect: '/dashboard', flash: { text: `“${before}” is now called “${name}”.` } }
    })
}

function namePage(title: string, save: string, back: string, sent: Sent = {}): View {
  const name = fieldsOf(sent).line('name', 'Name', maxName, 'Such as “Front desk”. Callers don’t hear it.')
  return { title, place: 'agents', crumbs: [], content: sheetForm(name, save, back) }
}

export const isOff = {
  none: 'No documents yet',
  pending: 'Processing its first documents',
  failed: 'None of its documents could be read',
} as const

function agentCard({ id, name, knowledge_base_enabled: isOn, documents }: AgentRow, mayRename: boolean): Html {
  const { pending, processing, completed, error } = documents
  const unfinished = pending + processing
  const count = unfinished + completed + error
  const off = count === 0 ? 'none' : unfinished > 0 ? 'pending' : 'failed'
  const tone = isOn ? 'good' : { none: '', pending: 'wait', failed: 'bad' }[off]
  return html`<li class="card agent"><h2><a href="${agentPage(id, 'documents')}">${name}</a></h2>
<p class="state ${tone}">${isOn ? 'Answers callers' : isOff[off]}</p>
<p class="counts"><span>${count === 0 ? 'Add the first document' : counted(count, 'document')}</span>
${completed > 0 && completed < count && html`<span>${number(completed)} ready</span>`}
${unfinished > 0 && html`<span>${number(unfinished)} processing</span>`}
${error > 0 && html`<span class="fault">${number(error)} failed</span>`}</p>
${mayRename && html`<a class="button quiet" href="${path}/${id}/edit" aria-label="Rename “${name}”">Rename</a>`}</li>`
}
