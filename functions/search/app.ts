import type { Database } from '../../shared/database/database.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { api } from '../../shared/http/api.ts'
import { endpoints } from '../../shared/http/endpoint.ts'
import { fitToResponse } from '../../shared/http/payload.ts'
import { embedQuery } from './embed-query.ts'
import { knownAgents } from './known-agents.ts'
import { agentPath, hitExample, searchBody, searchResponse } from './schemas.ts'
import { search } from './search.ts'
import { timeouts } from './timeouts.ts'

export interface Dependencies {
  db: Database
  embedder: Embedder
  /** Time limit for embedding a query, the provider's retries included. */
  embeddingSeconds?: number
  now?: () => number
}

export function searchApp({ db, embedder, embeddingSeconds = timeouts.embeddingSeconds, now }: Dependencies) {
  const endpoint = endpoints(db, now)
  const requireAgent = knownAgents()
  return api().post(
    '/v1/agents/:agentId/knowledge-base/search',
    endpoint(
      {
        operationId: 'search',
        tag: 'Search',
        summary: 'Search an agent’s knowledge base',
        description:
          'Called by the agent’s `knowledge_base` tool. Returns the nearest chunks by cosine similarity, best first: fewer than `limit` if no more match or if more would not fit into one response (6 MB). If the embedding of a `query` is not available within 3 seconds, the response is 503, and `Retry-After` says when to try again; a search by `embedding` does not depend on the provider. A `query` that the provider rejects is 422.',
        permission: 'kb:read',
        params: agentPath,
        body: searchBody,
        examples: { text: { query: 'Are you open on Sunday?', limit: 3 } },
        responses: {
          200: { description: 'The matching chunks', schema: searchResponse, example: { data: [hitExample] } },
        },
        errors: ['agent_not_found'],
      },
      async ({ c, key, db, params, body }) => {
        const scope = { organizationId: key.organizationId, agentId: params.agentId }
        if (body.embedding === undefined) await requireAgent(db, scope)
        const vector = body.embedding ?? (await embedQuery(embedder, body.query!, embeddingSeconds))
        return c.json({ data: fitToResponse(await search(db, scope, vector, body)) })
      },
    ),
  )
}
