import type * as v from 'valibot'
import type { prefetchBody, prefetchResponse, searchBody, searchResponse } from '../../functions/search/schemas.ts'
import type { ErrorCode, InputError } from '../../shared/http/errors.ts'

// The package's index.d.ts is this file, and the types of the schemas.

export interface AgentOptions {
  /** The address of the service, such as https://api.example.com. */
  url: string
  /** An API key with `kb:read`. */
  key: string
  agentId: string
  /** A folder for the knowledge, from which the next start has it at once. Without one, each start loads it from the service. */
  folder?: string | undefined
  /** Past this age, 60 seconds by default, a search goes to the service. */
  maxAgeSeconds?: number | undefined
  /** True to answer from older knowledge if the service can't be reached; otherwise such a search fails. */
  answersStale?: boolean | undefined
  /** What makes the vectors of questions: the service (the default), the built-in encoder in a worker thread, or a function of yours. */
  vectors?: 'service' | 'encoder' | VectorSource | undefined
}

/** What makes the vectors of questions. */
export interface VectorSource {
  /** The model that the agent's documents have, too: where it has another one, only words are compared. */
  model: string
  /** @returns a vector of 1,536 numbers for each text, in order */
  embed(texts: string[]): Promise<ArrayLike<number>[]>
}

/** The body of `POST …/knowledge-base/search`. Its `embedding` may be a Float32Array, too. */
export type SearchBody = Omit<v.InferInput<typeof searchBody>, 'embedding'> & {
  embedding?: number[] | string | Float32Array | undefined
}

/** The body of `POST …/knowledge-base/search/prefetch`. */
export type PrefetchBody = v.InferInput<typeof prefetchBody>

/** The vectors of a question, as `POST …/knowledge-base/search/prefetch` sends them. */
export type PrefetchAnswer = v.InferOutput<typeof prefetchResponse>

/** The service's answer to a search. */
export type SearchAnswer = v.InferOutput<typeof searchResponse> & {
  from: 'process' | 'service'
  /** True if the knowledge is older than `maxAgeSeconds`. */
  stale: boolean
}

export interface AgentStatus {
  version: number
  chunks: number
  /** Seconds since the service last said that this version is the newest; null if it has not yet. */
  ageSeconds: number | null
  /** Questions that could not be sent to the service, and were dropped. */
  questionsLost: number
  /** True once the service refuses the key or the agent: from then on nothing is answered. */
  refused: boolean
  /** Why the last request for changes or the last vector of a question failed; null if neither did. */
  failure: string | null
}

/** An agent's knowledge in this process. */
export interface Agent {
  /** @throws CuecardError, as the service's errors; temporarily_unavailable if there is no vector for `semantic`, or only stale knowledge */
  search(body: SearchBody): Promise<SearchAnswer>
  /** Makes the vector of a question, so that a search for it is answered at once. @returns it, if `vectors` is true */
  prefetch(body: PrefetchBody): Promise<PrefetchAnswer | undefined>
  status(): AgentStatus
  /** Stops to follow the agent, and sends the questions that are still kept. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** An error of the service, or of this process in its words. */
export interface CuecardError extends Error {
  code: ErrorCode
  /** Every fault of the input. */
  errors: InputError[] | undefined
  /** Headers of the response, such as `retry-after`. */
  headers: Record<string, string>
}
