import { searchApp } from '../../../functions/search/app.ts'
import { type Embedder, EmbeddingError } from '../../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../../shared/embedding/lexical-embedder.ts'
import { openAiEmbedder } from '../../../shared/embedding/openai-embedder.ts'
import type { AnsweringDependencies } from '../../../shared/retrieval/answer.ts'
import { callerOf } from './app-caller.ts'
import type { Answer, Tenant } from './stand.ts'
import { databaseAs } from './worker.ts'

/** An embedder that asks the fake provider for the stand's model. @param now its breaker's clock */
export function newEmbedder({ baseUrl }: { baseUrl: string }, now: () => number = () => 0): Embedder {
  return openAiEmbedder({
    baseUrl,
    model: lexicalEmbedder().model,
    apiKey: () => 'sk-test-key',
    timeoutSeconds: 20,
    now,
  })
}

/** An embedder that never answers, and ends when it is aborted; `called` gets each call's time limit in seconds. */
export function hangingEmbedder(called: (timeoutSeconds: number) => void): Embedder {
  return {
    model: lexicalEmbedder().model,
    mayHedge: () => false,
    embed(_, { timeoutSeconds, signal } = {}) {
      const { promise, reject } = Promise.withResolvers<never>()
      signal!.addEventListener('abort', () => reject(new EmbeddingError('unavailable', 'aborted')))
      called(timeoutSeconds!)
      return promise
    },
  }
}

/** An instance of the search Lambda of a test's own. */
export function newSearch(provider: { baseUrl: string }, more: Partial<AnsweringDependencies> = {}) {
  const app = searchApp({ db: databaseAs('cuecard_search'), embedder: newEmbedder(provider), ...more })
  const post = (tenant: Tenant, path: string, body: object): Promise<Answer> =>
    callerOf(app, tenant.apiKey)('POST', `${tenant.knowledgeBase}${path}`, body)
  return {
    search: (tenant: Tenant, body: object = { query: 'a question' }) => post(tenant, '/search', body),
    prefetch: (tenant: Tenant, query: string, alternatives?: string[], history?: string[]) =>
      post(tenant, '/search/prefetch', { query, alternatives, history }),
  }
}
