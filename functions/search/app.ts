import { toBase64 } from '../../shared/embedding/vectors.ts'
import { api } from '../../shared/http/api.ts'
import { fitToResponse } from '../../shared/http/payload.ts'
import { router } from '../../shared/http/router.ts'
import { serverTiming, timingOf } from '../../shared/http/server-timing.ts'
import { type AnsweringDependencies, answering } from '../../shared/retrieval/answer.ts'
import { systemClock } from '../../shared/retrieval/clock.ts'
import { withinBudget } from '../../shared/retrieval/heard.ts'
import { hypothesesOf } from '../../shared/retrieval/in-context.ts'
import { hitExample } from '../../shared/retrieval/schemas.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'
import { prefetchBody, prefetchResponse, searchBody, searchResponse } from './schemas.ts'

export function searchApp({ db, embedder, clock = systemClock, limits = timeouts, now }: AnsweringDependencies) {
  const { answer, prefetch } = answering(embedder, clock, limits)
  return router('Search', { db, now }, api().use(serverTiming(clock)))
    .post(
      '/v1/agents/:agentId/knowledge-base/search',
      {
        operationId: 'search',
        summary: 'Search an agent’s knowledge base',
        description:
          'Called by the agent’s `knowledge_base` tool. Returns the best chunks first: fewer than `limit` if no more match or if more would not fit into one response (6 MB). Of documents’ equal passages it returns the newest document’s. `hybrid` finds by words and by meaning, `keyword` and `semantic` by one of them. If the vector of a `query` is not there by `deadline_ms`, or the embedding provider is down, `hybrid` answers by words only, and `degraded` says so; `semantic` returns 503, and `Retry-After` says when to try again. `keyword`, and a search by `embedding`, do not depend on the provider. A `query` that the provider rejects returns 422.',
        permission: 'kb:read',
        body: searchBody,
        examples: {
          text: {
            query: 'And are you open on Sunday?',
            history: ['When do you open?'],
            as_of: '2026-12-24T09:30:00Z',
            format: 'speech',
            limit: 3,
          },
        },
        responses: {
          200: {
            description: 'The matching chunks',
            schema: searchResponse,
            example: {
              data: [hitExample],
              degraded: null,
              answerable: 0.991,
              status: 'found',
              value: null,
              dates: [{ said: 'on Sunday', from: '2026-12-27', to: '2026-12-27' }],
            },
            headers: ['Server-Timing'],
          },
        },
      },
      async ({ c, key, meter, db, scope: ids, body }) => {
        const scope = { ...ids, logsQuestions: key.logsQuestions, meter }
        const { data, degraded, answerable, status, value, dates } = await answer(db, scope, body, timingOf(c))
        return c.json({ data: fitToResponse(data), degraded, answerable, status, value, dates })
      },
    )
    .post(
      '/v1/agents/:agentId/knowledge-base/search/prefetch',
      {
        operationId: 'prefetchSearch',
        summary: 'Prepare a search',
        description:
          'Fetches the vector of a `query`, so that a search for the same words (except case, punctuation and white space) needs no call to the embedding provider. Add `history` for a search with the same `history`. Send the caller’s words so far while they are still speaking.',
        permission: 'kb:read',
        body: prefetchBody,
        examples: { text: { query: 'Are you open on Sunday?' } },
        responses: {
          200: {
            description: 'The vectors, if `vectors` is true',
            schema: prefetchResponse,
            example: { model: 'text-embedding-3-small', vectors: ['AAAAAA=='] },
            headers: ['Server-Timing'],
          },
          202: { description: 'The vector is ready', headers: ['Server-Timing'] },
        },
      },
      async ({ c, meter, db, scope, body }) => {
        const said = hypothesesOf(withinBudget(body)).map(({ inContext }) => inContext)
        const made = await prefetch(db, { ...scope, meter }, said, timingOf(c), body.vectors)
        return body.vectors && made ? c.json({ ...made, vectors: made.vectors.map(toBase64) }) : c.body(null, 202)
      },
    ).app
}
