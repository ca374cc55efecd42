import { html } from 'hono/html'
import * as v from 'valibot'
import type { ChunkSize } from '../../../shared/chunking/chunker.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope } from '../../../shared/database/scope.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import type { Meter } from '../../../shared/http/request-meter.ts'
import { agentPath } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import { answering } from '../../../shared/retrieval/answer.ts'
import { systemClock } from '../../../shared/retrieval/clock.ts'
import { timeouts } from '../../../shared/retrieval/timeouts.ts'
import { Unavailable } from '../../../shared/unavailable.ts'
import type { Screens } from '../screen.ts'
import { instantOf, zoneOf } from '../times.ts'
import { findExpected, findTitles } from '../titles.ts'
import { compareView, titlesView } from './compare-view.ts'
import { type AskQuery, askQuery, trials } from './trial.ts'
import { askForm, examplesView, timeView, trialView } from './view.ts'

const examples = 3

/** Answers a question as a voice agent's is answered, explains the result, and saves nothing. */
export function addAskScreens(screens: Screens, { embedder, chunkSize }: { embedder: Embedder; chunkSize: ChunkSize }) {
  const { answer } = answering(embedder, systemClock, timeouts)
  const tryOut = trials(embedder, chunkSize, answer)

  async function contentFor(
    db: Database,
    scope: AgentScope & { meter: Meter },
    query: AskQuery,
    { mayWrite, zone }: { mayWrite: boolean; zone: string },
  ) {
    const { agentId } = scope
    const asOf = query.at && instantOf(query.at, zone)
    if (query.q === '') {
      const titles = await findTitles(db, scope, { areServed: true, limit: examples })
      return { content: examplesView(agentId, titles), status: 200 as const }
    }
    const expected = query.document && (await findExpected(db, scope, query.document, asOf))
    await scope.meter.admit(expected ? 2 : 1)
    const [titles, trial] = await Promise.all([
      findTitles(db, scope, { part: query.title }),
      tryOut(db, scope, query, expected, asOf),
    ])
    const content = html`${asOf && timeView(asOf)}${trialView(agentId, { question: query.q, mayWrite }, trial)}
${compareView({ agentId, query, titles, ...trial })}`
    return { content, status: 200 as const }
  }

  screens.get(
    '/dashboard/agents/:agentId/ask',
    { permission: 'kb:read', params: agentPath },
    async ({ c, db, meter, scope: path, isPartial, may }) => {
      const scope = { ...path, meter }
      const { agentId } = scope
      const query = v.parse(askQuery, c.req.query())
      const zone = zoneOf(c)
      if (isPartial) {
        const [titles] = await Promise.all([findTitles(db, scope, { part: query.title }), getAgent(db, scope)])
        return { fragment: titlesView({ agentId, query, titles }) }
      }
      const [{ id, name }, { content, status }] = await Promise.all([
        getAgent(db, scope),
        contentFor(db, scope, query, { mayWrite: may('kb:write'), zone }).catch(withoutMeaning),
      ])
      return {
        title: 'Ask',
        lead: 'Type what a caller would say and see what your agent finds.',
        agent: { id, name, tab: 'ask' },
        content: html`${askForm(agentId, query, zone)}${content}`,
        status,
      }
    },
  )
}

/** Search by meaning shows nothing while the provider is down; search by words still works. */
function withoutMeaning(error: unknown) {
  if (error instanceof ApiError && error.code === 'rate_limited')
    return { content: html`<p class="notice bad">${error.message}</p>`, status: 429 as const }
  if (!(error instanceof Unavailable) || error.service !== 'embedding_provider') throw error
  return {
    content: html`<p class="notice bad">Search by meaning isn’t available at the moment. Search by words instead, or try again shortly.</p>`,
    status: 503 as const,
  }
}
