import { byId, listQuery, pageOf, readAfter, respondPage } from '../../shared/http/pagination.ts'
import { type RouterOptions, router } from '../../shared/http/router.ts'
import { createAgent, getAgent, listAgents, updateAgent } from '../../shared/organizations/agents.ts'
import { deleteAgent } from '../../shared/organizations/delete-agent.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { agentExample, agentSchema, createBody, deletionQuery, toAgent, updateBody } from './schemas.ts'
import { addWebsiteRoutes } from './websites.ts'

const collection = '/v1/agents'
const one = `${collection}/:agentId`
const anAgent = { description: 'The agent', schema: agentSchema, example: agentExample }
const newAgent = {
  ...agentExample,
  knowledge_base_enabled: false,
  documents: { pending: 0, processing: 0, completed: 0, error: 0 },
  embedding: { model: null, next: null },
}

export function agentsApp({ queue, ...options }: RouterOptions & { queue?: Sender | undefined }) {
  const routes = router('Agents', options)
    .get(
      collection,
      {
        operationId: 'listAgents',
        summary: 'List agents',
        description: 'Returns the organization’s agents, newest first, with the number of their documents by status.',
        permission: 'kb:read',
        query: listQuery,
        responses: pageOf('agents', agentSchema, agentExample),
      },
      async ({ c, key, confirmKey, db, query }) => {
        const [after] = readAfter(key, 'agents', query.cursor, byId) ?? []
        const { agents, hasMore } = await listAgents(db, key.organizationId, { ...query, after })
        // An organization that has just been deleted has none either.
        if (agents.length === 0) await confirmKey()
        return respondPage(c, key, 'agents', agents.map(toAgent), hasMore ? [agents.at(-1)!.id] : undefined)
      },
    )
    .post(
      collection,
      {
        operationId: 'createAgent',
        summary: 'Create an agent',
        permission: 'organization:write',
        body: createBody,
        examples: { desk: { name: 'Front desk', time_zone: 'Europe/London', holidays: 'GB-ENG' } },
        responses: { 201: { ...anAgent, example: newAgent, headers: ['Location'] } },
      },
      async ({ c, key, db, body }) => {
        const created = await createAgent(db, key.organizationId, body)
        c.header('location', `${collection}/${created.id}`)
        return c.json(toAgent(created), 201)
      },
    )
    .get(
      one,
      {
        operationId: 'getAgent',
        summary: 'Get an agent',
        permission: 'kb:read',
        responses: { 200: anAgent },
      },
      async ({ c, db, scope }) => c.json(toAgent(await getAgent(db, scope))),
    )
    .patch(
      one,
      {
        operationId: 'updateAgent',
        summary: 'Update an agent',
        permission: 'organization:write',
        body: updateBody,
        examples: { zone: { time_zone: 'Europe/London', holidays: 'GB-ENG' }, name: { name: 'Front desk' } },
        responses: { 200: anAgent },
      },
      async ({ c, db, scope, body }) => c.json(toAgent(await updateAgent(db, scope, body))),
    )
    .delete(
      one,
      {
        operationId: 'deleteAgent',
        summary: 'Delete an agent',
        description:
          'Deletes it for good, with its documents, files, sources, questions, golden questions, calls and connections, and what it has in the trash. Nobody finds any of it from then on; the rows follow in the background.',
        permission: 'organization:write',
        query: deletionQuery,
        responses: { 204: { description: 'It is gone' } },
        errors: ['confirmation_mismatch'],
      },
      async ({ c, db, scope, origin, query: { confirm } }) => {
        await deleteAgent(db, scope, { confirm, by: origin.by! })
        return c.body(null, 204)
      },
    )
  addWebsiteRoutes(routes.tagged('Sources'), queue)
  return routes.app
}
