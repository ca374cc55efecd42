import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { startTiming } from '../../../shared/http/server-timing.ts'
import { type AnswerQuestion, answering, type PayingAgent } from '../../../shared/retrieval/answer.ts'
import { systemClock } from '../../../shared/retrieval/clock.ts'
import { explainWords } from '../../../shared/retrieval/explanation/sought-words.ts'
import { searchModes } from '../../../shared/retrieval/schemas.ts'
import { heardOf } from '../../../shared/retrieval/speech/speech.ts'
import { timeouts } from '../../../shared/retrieval/timeouts.ts'
import { Unavailable } from '../../../shared/unavailable.ts'
import { oneLine } from '../forms.ts'
import { askPath } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { instantOf, isWallTime, zoneOf } from '../times.ts'
import { findExamples } from './examples.ts'
import { answerView, askForm, examplesView, timeView } from './view.ts'

const path = '/dashboard/agents/:agentId/ask'
const maxCharacters = 1000
/** A voice agent gets the same number. */
const passagesPerQuestion = 5

const askQuery = v.object({
  q: v.pipe(
    v.optional(v.string(), ''),
    v.transform((text) => [...oneLine(text)].slice(0, maxCharacters).join('')),
  ),
  mode: v.fallback(v.picklist(searchModes), 'hybrid'),
  /** The local date and time at which callers would ask; now if absent. */
  at: v.fallback(v.optional(v.pipe(v.string(), v.check(isWallTime))), undefined),
})
export type AskQuery = v.InferOutput<typeof askQuery>

/** The answer to a trial question, with its explanation. */
export type Trial = Awaited<ReturnType<typeof tryOut>>

/** Answers a question exactly like a voice agent's, explains the result and saves nothing. */
export function addAskScreens(screens: Screens, embedder: Embedder) {
  const { answer } = answering(embedder, systemClock, timeouts)
  screens.get(path, { permission: 'kb:read', tab: 'ask' }, async ({ c, db, meter, scope, may }) => {
    const query = v.parse(askQuery, c.req.query())
    const zone = zoneOf(c)
    const asOf = query.at && instantOf(query.at, zone)
    const content = async () => {
      if (query.q === '') return { content: examplesView(scope.agentId, await findExamples(db, scope)) }
      await meter.admit()
      const trial = await tryOut(answer, db, { ...scope, meter }, query, asOf)
      return { content: html`${asOf && timeView(asOf)}${answerView(scope.agentId, query, trial, may('kb:write'))}` }
    }
    const shown = await content().catch((error) => withoutAnswer(error, scope.agentId, query))
    return {
      title: 'Ask',
      lead: 'Type what a caller would say, and see what your agent would answer.',
      ...shown,
      content: html`${askForm(scope.agentId, query, zone)}${shown.content}`,
      modules: ['ask.js'],
    }
  })
}

/** @throws ApiError agent_not_found, validation_failed, rate_limited; Unavailable */
async function tryOut(
  answer: AnswerQuestion,
  db: Database,
  scope: PayingAgent,
  { q: query, mode }: AskQuery,
  asOf: string | undefined,
) {
  const timing = startTiming(systemClock)
  const { data, status, value, degraded, likenessOf } = await answer(
    db,
    { ...scope, logsQuestions: false },
    {
      ...{ query, mode, as_of: asOf },
      ...{ limit: passagesPerQuestion, deadline_ms: timeouts.deadlineMilliseconds },
    },
    timing,
  )
  const total = systemClock.now() - timing.arrivedAt
  const isByWords = mode !== 'semantic'
  const { words, presencesIn } = isByWords
    ? await explainWords(db, scope, query, data, asOf)
    : { words: [], presencesIn: () => [] }
  return {
    level: status,
    /** The answer that a caller would hear, with its source. Undefined if nothing was found. */
    heard: status === 'nothing' ? undefined : heardOf(query, data, value),
    /** The parts found, each with its share of each word. `likeness`: from 0 to 1, undefined if meaning wasn't compared. */
    passages: data.map((hit) => ({
      hit,
      likeness: hit.scores.semantic === null ? undefined : likenessOf(hit.scores.semantic),
      presences: presencesIn(hit),
    })),
    words,
    isEmpty: isByWords && words.length === 0 && status !== 'found',
    isDegraded: degraded !== null,
    milliseconds: { total, ...timing.spent },
  }
}

/** Search by meaning finds nothing while the provider is down; search by words still works. */
function withoutAnswer(error: unknown, agentId: string, { q }: AskQuery) {
  if (error instanceof ApiError && error.code === 'rate_limited')
    return { content: html`<p class="notice bad">${error.message}</p>`, status: 429 as const }
  if (!(error instanceof Unavailable) || error.service !== 'embedding_provider') throw error
  return {
    content: html`<p class="notice bad">Search by meaning isn’t available at the moment. <a href="${askPath(agentId, { q, mode: 'keyword' })}">Search by words instead</a>, or try again shortly.</p>`,
    status: 503 as const,
  }
}
