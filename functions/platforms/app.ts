import type { Context } from 'hono'
import type { Database } from '../../shared/database/database.ts'
import { type ApiEnv, api, idsOf, sentBody } from '../../shared/http/api.ts'
import { ApiError } from '../../shared/http/errors.ts'
import type { Meter } from '../../shared/http/request-meter.ts'
import { router } from '../../shared/http/router.ts'
import { serverTiming, timingOf } from '../../shared/http/server-timing.ts'
import { type AnsweringDependencies, type AskedAgent, answering } from '../../shared/retrieval/answer.ts'
import { systemClock } from '../../shared/retrieval/clock.ts'
import { callIdIn, platformQuery } from '../../shared/retrieval/schemas.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'
import { logFailure } from '../../shared/telemetry/log-failure.ts'
import { report } from '../../shared/telemetry/metrics.ts'
import { faultText } from './answer-text.ts'
import { type Asked, consult } from './consultation.ts'
import { retellExamples, vapiAnswerExample, vapiExamples } from './examples.ts'
import { answerRetell } from './retell.ts'
import { retellCall, retellHeaders, vapiAnswer, vapiMessage } from './schemas.ts'
import { requireSignature } from './signature.ts'
import { signingSecrets } from './signing-secrets.ts'
import { answerVapi } from './vapi.ts'

/** Answers voice platforms that call a server in their own form. Other platforms call the API or MCP. */
export function platformsApp({ db, embedder, clock = systemClock, limits = timeouts, now }: AnsweringDependencies) {
  const { answer } = answering(embedder, clock, limits)
  const findSecret = signingSecrets(now)
  /** Counts each search but the first, which the request has counted. */
  function consultant(
    c: Context<ApiEnv>,
    db: Database,
    scope: AskedAgent & { meter: Meter },
    how: Pick<Asked, 'call_id' | 'format' | 'document_metadata'>,
  ) {
    let searches = 0
    return async (asked: Asked) => {
      if (searches++ > 0) await scope.meter.admit()
      return await consult(answer, db, scope, { ...asked, ...how }, timingOf(c))
    }
  }

  return router('Platforms', { db, now }, api().use(serverTiming(clock)))
    .post(
      '/v1/agents/:agentId/knowledge-base/vapi',
      {
        operationId: 'answerVapi',
        summary: 'Answer Vapi',
        description:
          'The server URL of a custom knowledge base or of a function tool in Vapi. A knowledge base’s question is the caller’s last turn, with the ten turns before as its `history`; a tool’s is its argument `query`, and `alternatives` are searched too. A knowledge base gets its answer within 1 s and a tool within 3 s, by words only if the question’s vector is not there by then. Vapi ignores responses whose status is not 200. After the checks of key, parameters and JSON, a failure is therefore an `error` in a 200. A message may have ten tool calls.',
        permission: 'kb:read',
        query: platformQuery,
        body: vapiMessage,
        examples: vapiExamples,
        responses: {
          200: {
            description: 'Documents, results or nothing, as the message asks',
            schema: vapiAnswer,
            example: vapiAnswerExample,
            headers: ['Server-Timing'],
          },
        },
        answersErrorsWith200: true,
      },
      async ({ c, key, meter, db, scope: ids, query, body }) => {
        const scope = { ...ids, logsQuestions: key.logsQuestions, meter }
        const explain = (error: unknown) => {
          if (!(error instanceof ApiError)) {
            logFailure(error, idsOf(c))
            report({ AdapterErrors: 1 })
          }
          return faultText(error, c.get('requestId'))
        }
        const consult = consultant(c, db, scope, { ...query, call_id: callIdIn(body, 'message', 'call', 'id') })
        return c.json(await answerVapi(body.message, { consult, explain }))
      },
    )
    .post(
      '/v1/agents/:agentId/knowledge-base/retell',
      {
        operationId: 'answerRetell',
        summary: 'Answer Retell',
        description:
          'The URL of a custom function in Retell. The question is the argument `query`, or the only argument that is a text; `alternatives` are searched too. The response is text: whole passages, the best first, at most 15,000 characters. It takes at most 3 s, and passages are found by words only if the question’s vector is not there by then.',
        permission: 'kb:read',
        query: platformQuery,
        headers: retellHeaders,
        body: retellCall,
        examples: retellExamples,
        responses: {
          200: { description: 'The text that the model reads', mediaTypes: ['text/plain'], headers: ['Server-Timing'] },
        },
        errors: ['invalid_signature'],
      },
      async ({ c, key, meter, db, scope: ids, query, headers, body }) => {
        const scope = { ...ids, logsQuestions: key.logsQuestions, meter }
        const secret = await timingOf(c).measure('db', () => findSecret(db, scope))
        if (secret) requireSignature(await sentBody(c), headers['x-retell-signature'], secret, (now ?? Date.now)())
        return c.text(
          await answerRetell(body, consultant(c, db, scope, { ...query, call_id: callIdIn(body, 'call', 'call_id') })),
        )
      },
    ).app
}
