import { html } from 'hono/html'
import * as v from 'valibot'
import { resourceOf } from '../../../shared/connections/access-tokens.ts'
import { type Connection, endConnection, listConnections } from '../../../shared/connections/connections.ts'
import type { Database } from '../../../shared/database/database.ts'
import { agentId } from '../../../shared/ids.ts'
import { type AgentRow, listAgents } from '../../../shared/organizations/agents.ts'
import type { Session } from '../../../shared/organizations/sessions.ts'
import { isLoopbackHost } from '../../../shared/outbound/addresses.ts'
import { Gone } from '../error-view.ts'
import { copyView } from '../form-view.ts'
import type { Html } from '../layout.ts'
import { emptyView, filtersView } from '../list.ts'
import { settingsPath, withQuery } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { localDay } from '../times.ts'

const path = `${settingsPath}/apps` as const
const maxAgents = 100
const newQuery = v.object({ agent: v.fallback(v.optional(agentId), undefined) })

/** The last step is the same in every app. */
const steps = {
  ChatGPT: [
    'Open Settings, Apps, Advanced settings, and turn on Developer mode.',
    'Choose “Create app”, paste the address, and choose OAuth.',
  ],
  Claude: [
    'Open Settings, Connectors, and choose “Add custom connector”.',
    'Enter a name, paste the address, and choose “Add”. Then choose “Connect”.',
  ],
}

export function addAppRoutes(screens: Screens) {
  screens
    .get(`${path}/new`, { permission: 'kb:read' }, async ({ c, db, session }) => {
      const { agents } = await listAgents(db, session.organizationId, { limit: maxAgents })
      const { agent } = v.parse(newQuery, c.req.query())
      const ready = agents.find(({ knowledge_base_enabled }) => knowledge_base_enabled)
      const chosen = agents.find(({ id }) => id === agent) ?? ready ?? agents[0]
      return {
        title: 'Connect an app',
        lead: 'ChatGPT, Claude and other apps then search an agent’s documents for you. They change nothing.',
        content: chosen
          ? stepsView(agents, chosen, resourceOf(c.req, chosen.id))
          : emptyView('agents', 'No agents yet', 'An app searches the documents of an agent. Add one first.'),
      }
    })
    .post(`${path}/:connectionId/end`, { permission: 'any' }, async ({ db, session, scope }) => {
      const ended = await endConnection(db, { ...scope, personId: session.id }, scope.connectionId)
      if (!ended) throw new Gone()
      return { redirect: settingsPath, flash: { text: `${nameOf(ended)} was disconnected.` } }
    })
}

function stepsView(agents: AgentRow[], chosen: AgentRow, address: string): Html {
  const choices = agents.map((agent) => {
    return { name: agent.name, path: withQuery(`${path}/new`, { agent: agent.id }), isCurrent: agent === chosen }
  })
  return html`${agents.length > 1 && filtersView('Agent', choices)}
<section class="panel"><h2>The address of ${chosen.name}</h2>${copyView('address', address)}
${isLoopbackHost(new URL(address).hostname) && html`<p class="notice warn">Only apps on this computer reach this address. ChatGPT and Claude need a public one.</p>`}
${!chosen.knowledge_base_enabled && html`<p class="notice warn">None of its documents is ready, so an app finds nothing yet.</p>`}</section>
${Object.entries(steps).map(
  ([app, own]) =>
    html`<section class="panel"><h2>${app}</h2><ol class="steps">${[...own, 'Cuecard opens. Sign in with your mail address, and choose “Connect”.'].map((step) => html`<li>${step}</li>`)}</ol></section>`,
)}
<p class="hint">Other apps take the same address, without a key. <a href="/v1/docs#mcp">More about apps</a></p>`
}

/** Lists the person's connected apps. A key can't connect apps. */
export async function readApps(db: Database, { organizationId, id, person }: Session): Promise<Html> {
  if (!person)
    return html`<section class="panel"><h2>Connected apps</h2><p class="hint">Somebody who signs in with a mail address can connect ChatGPT, Claude and other apps here.</p></section>`
  const connections = await listConnections(db, { organizationId, personId: id })
  return html`<section class="panel" id="apps"><div class="head"><h2>Connected apps</h2>
<a class="button plain" href="${path}/new">Connect an app</a></div>
<p class="hint">ChatGPT, Claude, Cursor and other apps that may search an agent’s documents for you.</p>
${connections.length > 0 && html`<ul class="rows">${connections.map(appRow)}</ul>`}</section>`
}

/** Only a host stands without quotation marks: “claude.ai” may be what any app calls itself. */
function nameOf({ client_name: name, is_vouched_for }: Pick<Connection, 'client_name' | 'is_vouched_for'>): string {
  if (!name) return 'An app without a name'
  return is_vouched_for ? name : `An app that calls itself “${name}”`
}

function appRow({ id, agent_name, created_at, used_at, ...app }: Connection): Html {
  const name = nameOf(app)
  return html`<li><div class="what"><p class="name">${name}</p>
<p class="hint">Searches ${agent_name} · connected ${localDay(created_at)} · last used ${localDay(used_at)}</p></div>
<form method="post" action="${path}/${id}/end"><button class="quiet danger" aria-label="Disconnect ${name}">Disconnect</button></form></li>`
}
