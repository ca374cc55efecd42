import { agentPath } from '../../../shared/ids.ts'
import { getAgent, listAgents } from '../../../shared/organizations/agents.ts'
import { agentPage } from '../layout.ts'
import type { Screens } from '../screen.ts'
import { agentList, noAgents } from './view.ts'

/** The first screen: which agents there are, and whether each answers. An agent's address leads to its documents. */
export function addAgentsScreens(screens: Screens) {
  screens
    .get('/dashboard', { permission: 'kb:read' }, async ({ db, session }) => {
      const { agents } = await listAgents(db, session.organizationId, { limit: 100 })
      return {
        title: 'Agents',
        lead: 'Each voice agent answers callers from its own documents.',
        place: 'agents',
        content: agents.length > 0 ? agentList(agents) : noAgents(session.organizationId),
      }
    })
    .get('/dashboard/agents', { permission: 'any' }, () => ({ redirect: '/dashboard' }))
    .get('/dashboard/agents/:agentId', { permission: 'kb:read', params: agentPath }, async ({ db, scope }) => {
      const { id } = await getAgent(db, scope)
      return { redirect: agentPage(id, 'documents') }
    })
}
