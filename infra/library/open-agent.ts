import type * as v from 'valibot'
import { prefetchBody, searchBody, type searchResponse } from '../../functions/search/schemas.ts'
import { toBase64 } from '../../shared/embedding/vectors.ts'
import { ApiError, type ErrorCode } from '../../shared/http/errors.ts'
import { readBody } from '../../shared/http/input/validation.ts'
import { fitToResponse } from '../../shared/http/payload.ts'
import type { AgentId } from '../../shared/ids.ts'
import { type Found, toKeptHit } from '../../shared/retrieval/found.ts'
import { withinBudget } from '../../shared/retrieval/heard.ts'
import { hypothesesOf } from '../../shared/retrieval/in-context.ts'
import { countChunks } from '../../shared/retrieval/index/agent-index.ts'
import type { Asked } from '../../shared/retrieval/plan.ts'
import { inFormat } from '../../shared/retrieval/speech/in-format.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { sentenceOf } from '../command-line/sentence.ts'
import type {
  Agent,
  CuecardError as AgentError,
  AgentOptions,
  AgentStatus,
  PrefetchAnswer,
  PrefetchBody,
  SearchAnswer,
  SearchBody,
} from './agent.ts'
import { folderCache } from './cache.ts'
import { find } from './find.ts'
import { follow } from './follow.ts'
import type { Knowledge } from './knowledge.ts'
import { questionLog } from './question-log.ts'
import { questionVectors } from './question-vectors.ts'
import { service as serviceOf } from './service.ts'

export type * from './agent.ts'

export const CuecardError: new (code: ErrorCode, detail: string) => AgentError = ApiError

type Question = v.InferOutput<typeof searchBody>

/** An agent as this process keeps it. */
export interface OpenAgent extends Agent {
  /** The address of the agent at the service. */
  url: string
  /** What is known of the agent. @throws CuecardError if the service refuses the key; temporarily_unavailable if it is too old to answer */
  read(options?: { evenStale?: boolean }): Knowledge
}

/**
 * Opens an agent's knowledge in this process, and follows its changes until `close`. `search` answers as the service does.
 * @throws TypeError for a wrong option; CuecardError as the service answers, such as invalid_api_key; Error if there is neither a cache
 * nor an answer of the service
 */
export async function openAgent({
  url,
  key,
  agentId,
  folder,
  maxAgeSeconds = 60,
  answersStale = false,
  vectors: source = 'service',
}: AgentOptions): Promise<OpenAgent> {
  if (!URL.canParse(url)) throw new TypeError('`url` must be an address such as https://api.example.com')
  if (!(maxAgeSeconds >= 0)) throw new TypeError('`maxAgeSeconds` must be a number of at least 0')
  if (folder === '') throw new TypeError('`folder` must not be empty')
  const service = serviceOf({ url, key, agentId })
  const closing = new AbortController()
  const cache = folder === undefined ? undefined : folderCache(folder, agentId, { url: service.url, key })
  const vectors = questionVectors(source, service)
  const followed = await follow(agentId as AgentId, service, cache, closing.signal)
  const log = questionLog(service)

  const servingModel = () => followed.knowledge.index.agent.model
  const ageSeconds = () => (performance.now() - followed.confirmedAt) / 1000

  function requireOpen(): void {
    if (followed.refusal) throw followed.refusal
    if (closing.signal.aborted) throw unavailable('The agent is closed.')
  }

  async function search(sent: SearchBody): Promise<SearchAnswer> {
    requireOpen()
    const started = performance.now()
    const body = toJson(sent)
    const question = withinBudget(readBody(searchBody, body) as Question)
    if (ageSeconds() <= maxAgeSeconds) return await answer(question, started, false)
    try {
      const milliseconds = question.deadline_ms + timeouts.graceMilliseconds
      const answered = await service.post('/knowledge-base/search', body, milliseconds)
      return { ...(answered as v.InferOutput<typeof searchResponse>), from: 'service', stale: false }
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      if (answersStale) return await answer(question, started, true)
      throw tooOld(error)
    }
  }

  async function answer(question: Question, started: number, stale: boolean): Promise<SearchAnswer> {
    const { hits, hasVector, needsVector, ...found } = await findAnswer(question, started)
    const degraded = needsVector && !hasVector ? ('keyword_only' as const) : null
    const { answerable, status, value, dates } = found
    const { query, call_id, mode } = question
    if (followed.keepsQuestions && query !== undefined)
      log.add({
        question: query,
        call_id,
        mode,
        degraded,
        answerable: answerable!,
        status,
        value,
        milliseconds: Math.round(performance.now() - started),
        hits: hits.map(toKeptHit),
      })
    const data = fitToResponse(inFormat(question, hits, found))
    return { data, degraded, answerable, status, value, dates, from: 'process', stale }
  }

  async function findAnswer(question: Question, started: number): Promise<Found & { needsVector: boolean }> {
    const { mode, query, embedding, deadline_ms } = question
    const needsVector = mode !== 'keyword' && query !== undefined && !embedding
    const left = deadline_ms - (performance.now() - started)
    const made = needsVector ? await vectors.within({ ...question, query }, servingModel(), left) : undefined
    const { knowledge } = followed
    const { model } = knowledge.index.agent
    const own = made && (model ?? made.model) === made.model ? made.vectors : []
    if (needsVector && mode === 'semantic' && own.length === 0)
      throw unavailable('The vector of the `query` is not there in time, or is of another model than the agent’s.')
    const heard: Asked[] = query === undefined ? [{}] : hypothesesOf({ ...question, query })
    const hypotheses = heard.map((each, i) => ({ ...each, vector: embedding ?? own[i] }))
    return { ...find(knowledge, { mode, hypotheses, filters: question }), needsVector }
  }

  async function prefetch(body: PrefetchBody): Promise<PrefetchAnswer | undefined> {
    requireOpen()
    const asked = withinBudget(readBody(prefetchBody, body) as v.InferOutput<typeof prefetchBody>)
    const { model, vectors: made } = await vectors.of(asked, servingModel())
    return asked.vectors ? { model, vectors: made.map((each) => toBase64(Float32Array.from(each))) } : undefined
  }

  function status(): AgentStatus {
    const { failure, knowledge, confirmedAt, refusal } = followed
    const reason = failure ?? vectors.failure
    return {
      version: knowledge.index.version,
      chunks: countChunks(knowledge.index),
      ageSeconds: confirmedAt === -Infinity ? null : ageSeconds(),
      questionsLost: log.lost,
      refused: refusal !== undefined,
      failure: reason === undefined ? null : sentenceOf(reason),
    }
  }

  function read({ evenStale = answersStale } = {}): Knowledge {
    requireOpen()
    if (!evenStale && ageSeconds() > maxAgeSeconds) throw tooOld()
    return followed.knowledge
  }

  async function close(): Promise<void> {
    closing.abort()
    await log.close()
  }

  return { url: service.url, search, prefetch, read, status, close, [Symbol.asyncDispose]: close }
}

/** JSON has no Float32Array. */
function toJson(body: SearchBody): unknown {
  const { embedding } = Object(body) as SearchBody
  return embedding instanceof Float32Array ? { ...body, embedding: Array.from(embedding) } : body
}

function tooOld(cause?: unknown): ApiError {
  return unavailable(
    'The service can’t be reached, and what this process knows is not confirmed since `maxAgeSeconds`.',
    cause,
  )
}

function unavailable(detail: string, cause?: unknown): ApiError {
  return new ApiError('temporarily_unavailable', detail, { cause })
}
