import { byId, listQuery, pageOf, readAfter, respondPage } from '../../shared/http/pages.ts'
import { type RouterOptions, router } from '../../shared/http/router.ts'
import { agentPath } from '../../shared/ids.ts'
import { getAgent, listAgents } from '../../shared/organizations/agents.ts'
import type { CrawlMessage, Sender } from '../../shared/queue.ts'
import { agentExample, agentSchema } from './schemas.ts'
import { addSourceRoutes } from './sources.ts'

const collection = '/v1/agents'

export function agentsApp({ queue, ...options }: RouterOptions & { queue?: Sender<CrawlMessage> | undefined }) {
  const routes = router('Agents', options)
    .get(
      collection,
      {
        operationId: 'listAgents',
        summary: 'List agents',
        description: 'Those of the organization, newest first, with their documents by status.',
        permission: 'kb:read',
        query: listQuery,
        responses: pageOf('agents', agentSchema, agentExample),
      },
      async ({ c, key, confirmKey, db, query }) => {
        const [after] = readAfter(key, 'agents', query.cursor, byId) ?? []
        const { agents, hasMore } = await listAgents(db, key.organizationId, { ...query, after })
        // An organization that has just been deleted has none either.
        if (agents.length === 0) await confirmKey()
        return respondPage(c, key, 'agents', agents, hasMore ? [agents.at(-1)!.id] : undefined)
      },
    )
    .get(
      `${collection}/:agentId`,
      {
        operationId: 'getAgent',
        summary: 'Get an agent',
        permission: 'kb:read',
        params: agentPath,
        responses: { 200: { description: 'The agent', schema: agentSchema, example: agentExample } },
      },
      async ({ c, db, scope }) => c.json(await getAgent(db, scope)),
    )
  addSourceRoutes(routes.tagged('Sources'), queue)
  return routes.app
}
