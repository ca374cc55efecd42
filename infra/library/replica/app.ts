import { createHash, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type * as v from 'valibot'
import { answerMessage } from '../../../functions/mcp/answer-message.ts'
import { type Message, message } from '../../../functions/mcp/schemas.ts'
import { ApiError, type InputError, noStore } from '../../../shared/http/errors.ts'
import { fields } from '../../../shared/http/input/fields.ts'
import { bodyLimit, readJson } from '../../../shared/http/input/json-body.ts'
import { readBody, readParameters, requireValid, singleValues } from '../../../shared/http/input/validation.ts'
import { answerProblems } from '../../../shared/http/problem-responses.ts'
import type { Schema } from '../../../shared/http/route-metadata.ts'
import { invalidKey, requireKey } from '../../../shared/http/sent-key.ts'
import { idsIn, newId } from '../../../shared/ids.ts'
import { platformQuery } from '../../../shared/retrieval/schemas.ts'
import { Unavailable } from '../../../shared/unavailable.ts'
import { sentenceOf } from '../../command-line/sentence.ts'
import type { OpenAgent, PrefetchBody, SearchBody } from '../open-agent.ts'
import { servedBy } from './served.ts'

/** Comes with a request, which has no body, so that nothing copies it. */
export interface Sent {
  /** The body as it arrived; undefined if it is too large. */
  sent: Uint8Array | undefined
}

interface Env {
  Bindings: Sent
  Variables: { requestId: string }
}

const agentPath = '/v1/agents/:agentId'
const params = idsIn(agentPath)!
const noQuery = fields({})

/** Serves agents at the paths of the HTTP API, and `GET /healthz`. @param agents by id @param key the API key that callers send */
export function replicaApp(agents: ReadonlyMap<string, OpenAgent>, key: string) {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const digestOfKey = digest(key)

  /** The agent and the query of a request. @throws ApiError missing_api_key, invalid_api_key, invalid_parameter, agent_not_found */
  function requestOf<const Query extends Schema>(c: Context<Env>, querySchema: Query) {
    if (!timingSafeEqual(digest(requireKey((name) => c.req.header(name))), digestOfKey)) throw invalidKey()
    const errors: InputError[] = []
    readParameters(params, c.req.param(), 'parameter', errors)
    const query = readParameters(querySchema, singleValues(c.req.queries()), 'parameter', errors)
    requireValid(errors)
    const agent = agents.get(c.req.param('agentId')!.toLowerCase())
    if (!agent) throw new ApiError('agent_not_found', 'The replica serves no agent with this id.')
    return { agent, query: query as v.InferOutput<Query> }
  }

  const app = new Hono<Env>()
  answerProblems(app, logFailure)
  return app
    .use(async (c, next) => {
      c.set('requestId', newId())
      await next()
      c.header('x-request-id', c.get('requestId'))
      c.header('cache-control', noStore)
    })
    .get('/healthz', (c) => {
      const all = Array.from(agents, ([agent_id, agent]) => ({ agent_id, ...agent.status() }))
      const isHealthy = all.every(({ refused, ageSeconds }) => !refused && ageSeconds !== null)
      const data = all.map(({ ageSeconds: age_seconds, questionsLost: questions_lost, ...status }) => {
        return { ...status, age_seconds, questions_lost }
      })
      return c.json({ data }, isHealthy ? 200 : 503)
    })
    .post(`${agentPath}/knowledge-base/search`, async (c) => {
      const { agent } = requestOf(c, noQuery)
      const { from, stale, ...answer } = await agent.search(jsonOf(c) as SearchBody)
      return c.json(answer, { headers: { 'cuecard-from': from, 'cuecard-stale': String(stale) } })
    })
    .post(`${agentPath}/knowledge-base/search/prefetch`, async (c) => {
      const { agent } = requestOf(c, noQuery)
      const made = await agent.prefetch(jsonOf(c) as PrefetchBody)
      return made ? c.json(made) : c.body(null, 202)
    })
    .post(`${agentPath}/mcp`, async (c) => {
      const { agent, query } = requestOf(c, platformQuery)
      const call = { ...query, ...servedBy(agent) }
      return await answerMessage(c.req.raw, readBody(message, jsonOf(c)) as Message, call, logFailure)
    })
}

function logFailure(error: unknown): void {
  console.error(error instanceof Unavailable ? sentenceOf(error) : error)
}

/** @throws ApiError unsupported_media_type, payload_too_large, invalid_json */
function jsonOf(c: Context<Env>): unknown {
  const { sent } = c.env
  if (sent) return readJson(sent, c.req.raw.headers)
  throw new ApiError('payload_too_large', `The request body is too large. The limit is ${bodyLimit} bytes.`)
}
