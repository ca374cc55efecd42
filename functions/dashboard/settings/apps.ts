import { html } from 'hono/html'
import { type Connection, endConnection, listConnections } from '../../../shared/connections/connections.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { Session } from '../../../shared/organizations/sessions.ts'
import { Gone } from '../error-view.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { localDay } from '../times.ts'

export function addAppRoutes(screens: Screens) {
  screens.post(`${settingsPath}/apps/:connectionId/end`, { permission: 'any' }, async ({ db, session, scope }) => {
    const ended = await endConnection(db, { ...scope, personId: session.id }, scope.connectionId)
    if (!ended) throw new Gone()
    return { redirect: settingsPath, flash: { text: `${nameOf(ended)} was disconnected.` } }
  })
}

/** Lists the person's connected apps. Empty for a key's session, because keys can't connect apps. */
export async function readApps(db: Database, { organizationId, id, person }: Session): Promise<Html> {
  if (!person) return html``
  const connections = await listConnections(db, { organizationId, personId: id })
  return html`<section class="panel"><h2>Connected apps</h2>
<p class="hint">ChatGPT, Claude, Cursor and other apps that may search an agent’s documents for you. <a href="/v1/docs#mcp">Connect an app</a></p>
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
<form method="post" action="${settingsPath}/apps/${id}/end"><button class="quiet danger" aria-label="Disconnect ${name}">Disconnect</button></form></li>`
}
