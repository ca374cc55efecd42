import { tokenCallers } from '../../shared/connections/access-tokens.ts'
import { api, idsOf } from '../../shared/http/api.ts'
import { originOf } from '../../shared/http/origin.ts'
import { router } from '../../shared/http/router.ts'
import { serverTiming, timingOf } from '../../shared/http/server-timing.ts'
import { type AnsweringDependencies, answering } from '../../shared/retrieval/answer.ts'
import { systemClock } from '../../shared/retrieval/clock.ts'
import { loadedAgents } from '../../shared/retrieval/index/loaded-agents.ts'
import { platformQuery } from '../../shared/retrieval/schemas.ts'
import { logFailure } from '../../shared/telemetry/log-failure.ts'
import { report } from '../../shared/telemetry/metrics.ts'
import { answerMessage } from './answer-message.ts'
import {
  callHeader,
  errorResponse,
  invalidRequest,
  message,
  methodNotFound,
  response,
  responseExample,
} from './schemas.ts'
import { servedByDatabase } from './served.ts'
import { timeouts } from './timeouts.ts'

/** Messages with which a client begins: its first search then finds the agent loaded. */
const opens: ReadonlySet<string> = new Set(['initialize', 'tools/list'])

export function mcpApp({ db, embedder, clock = systemClock, limits = timeouts, now }: AnsweringDependencies) {
  const { answer } = answering(embedder, clock, limits)

  return router('Platforms', { db, now }, api().use(serverTiming(clock))).post(
    '/v1/agents/:agentId/mcp',
    {
      operationId: 'answerMcp',
      summary: 'Model Context Protocol',
      description:
        'For clients of the [Model Context Protocol](https://modelcontextprotocol.io), streamable HTTP: give them this URL and your API key, in `X-API-Key` or `Authorization: Bearer`. Stateless: no session, no stream, hence no GET and DELETE. Serves the protocol of 2026-07-28 and those from 2024-10-07 to 2025-11-25. The tools are `search` (the best passages for a question, each with its text) and `fetch` (more around a passage, or a document); while search serves nothing of the agent, `tools/list` is empty. A failed tool returns a result with `isError`, whose text tells the model what to do. A message without an `id` is a notification and returns 202.',
      permission: 'kb:read',
      alsoAt: { path: '/v1/agents/:agentId/connect/mcp', callers: tokenCallers },
      headers: callHeader,
      query: platformQuery,
      body: message,
      examples: {
        list: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        search: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'search', arguments: { query: 'Are you open on Sunday?' } },
        },
      },
      responses: {
        200: {
          description: 'The result, or an error of JSON-RPC',
          schema: response,
          example: responseExample,
          headers: ['Server-Timing'],
        },
        202: { description: 'The notification was received', headers: ['Server-Timing'] },
        400: {
          description: 'A JSON-RPC error: the protocol does not allow the message',
          schema: errorResponse,
          example: invalidRequest,
        },
        404: { description: 'A JSON-RPC error: the method is unknown', schema: errorResponse, example: methodNotFound },
      },
    },
    async ({ c, key, meter, db, scope: ids, query, body }) => {
      const scope = { ...ids, logsQuestions: key.logsQuestions, meter }
      const timing = timingOf(c)
      const served = servedByDatabase({ db, scope, timing, answer, clock, limits })
      const documentsUrl = `${originOf(c.req)}/v1/agents/${scope.agentId}/knowledge-base`
      const answered = answerMessage(c.req.raw, body, { served, documentsUrl, ...query }, (error) => {
        logFailure(error, idsOf(c))
        report({ AdapterErrors: 1 })
      })
      const loading = opens.has(body.method) && timing.measure('db', () => loadedAgents.of(db, scope))
      return (await Promise.all([answered, loading]))[0]
    },
  ).app
}
