import type { Database } from '../../shared/database/database.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { api } from '../../shared/http/api.ts'
import { endpoints } from '../../shared/http/endpoint.ts'
import { fitToResponse } from '../../shared/http/payload.ts'
import { embedQuery } from './embed-query.ts'
import { agentPath, hitExample, searchAnswer, searchBody } from './schemas.ts'
import { requireAgent, search } from './search.ts'
import { timeouts } from './timeouts.ts'

export interface Dependencies {
  db: Database
  embedder: Embedder
  /** The longest that the vector of a query may take, the provider's retries included. */
  embeddingSeconds?: number
  now?: () => number
}

export function searchApp({ db, embedder, embeddingSeconds = timeouts.embeddingSeconds, now }: Dependencies) {
  const endpoint = endpoints(db, now)
  return api().post(
    '/v1/agents/:agentId/knowledge-base/search',
    endpoint(
      {
        operationId: 'search',
        tag: 'Search',
        summary: 'Search an agent’s knowledge base',
        description:
          'What the agent’s `knowledge_base` tool calls: the nearest passages by cosine similarity, best first. There are fewer than `limit` when no more match, or when more would not fit into one answer (6 MB). Where the vector of a `query` is not there within 3 seconds the answer is 503, and `Retry-After` says when the embedding provider will be asked again; a search by `embedding` does without it. A `query` that the provider refuses is 422.',
        permission: 'kb:read',
        params: agentPath,
        body: searchBody,
        examples: { text: { query: 'Are you open on Sunday?', limit: 3 } },
        answers: { 200: { description: 'The passages found', schema: searchAnswer, example: { data: [hitExample] } } },
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
