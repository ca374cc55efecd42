import { html } from 'hono/html'
import * as v from 'valibot'
import type { KeptHit } from '../../../shared/database/tables.ts'
import { type KeptQuestion, listQuestions } from '../../../shared/questions/questions.ts'
import type { Place } from '../../../shared/retrieval/dates/calendar.ts'
import { whereabouts } from '../../../shared/retrieval/plan.ts'
import { callId } from '../../../shared/retrieval/schemas.ts'
import { agentPage, type Html } from '../layout.ts'
import { emptyView } from '../list.ts'
import { markedText } from '../passage-text.ts'
import type { Screens } from '../screen.ts'
import { counted, number } from '../sentences.ts'
import { localTime } from '../times.ts'
import { answeringPassage, findGiven, type GivenOf, givenPath, heardThen } from './past-passages.ts'
import { stateView, waysView } from './ways.ts'

const path = '/dashboard/agents/:agentId/call'
const maxQuestions = 100
const modes = { hybrid: 'by words and meaning', semantic: 'by meaning', keyword: 'by words' }

/** Shows a caller's questions in a call, with the agent's answers. */
export function addCallScreens(screens: Screens) {
  screens.get(path, { permission: 'questions', tab: 'questions' }, async ({ c, db, scope, may, agent }) => {
    const sought = v.safeParse(callId, c.req.query('id')?.trim())
    const id = scope.agentId
    const asked = sought.success
      ? await listQuestions(db, scope, { call_id: sought.output, limit: maxQuestions })
      : undefined
    const questions = asked?.questions.toReversed() ?? []
    const hits = questions.flatMap((question) => question.hits)
    const givenOf = await findGiven(db, scope, hits)
    const place = whereabouts(await agent())
    const view = (each: KeptQuestion) => questionView(id, each, givenOf, place, may('kb:write'))
    return {
      title: 'Call',
      ...(questions[0] && {
        lead: html`${localTime(questions[0].asked_at)}${asked?.hasMore && `. Only the last ${number(maxQuestions)} questions are shown.`}`,
      }),
      crumbs: [['Questions', agentPage(id, 'questions')]],
      content:
        questions.length > 0
          ? html`<ol class="hits">${questions.map((each) => html`<li class="hit panel" id="asked-${each.id}">${view(each)}</li>`)}</ol>`
          : emptyView(
              'calls',
              'No questions from this call',
              'Questions are saved for 30 days if “Save callers’ questions” is on. You’ll find them here if your platform sent the call’s ID with them.',
            ),
    }
  })
}

function questionView(agentId: string, asked: KeptQuestion, givenOf: GivenOf, place: Place, mayWrite: boolean): Html {
  const { id, question, call_id, status, mode, is_degraded, is_wrong, milliseconds, asked_at, hits } = asked
  const state = is_wrong ? 'wrong' : status
  const hit = answeringPassage(asked)
  const heard = status === 'nothing' ? undefined : heardThen(asked, givenOf, place)
  return html`<header><h2>“${question}”</h2>${stateView(state)}</header>
<p class="hint">${localTime(asked_at)}</p>
${status === 'nothing' ? html`<p>Your agent was told that nothing was found.</p>` : html`${heard?.text && html`<blockquote>${heard.text}</blockquote>`}${hit && websiteView(agentId, hit, givenOf)}`}
${hits[0] && html`<details><summary>Why?</summary><p class="hint">${counted(hits.length, 'part')} found ${is_degraded ? 'by words only, as the meaning wasn’t available in time' : modes[mode]}, in ${number(milliseconds)} ms. The first has a score of ${hits[0].score.toFixed(2)}.</p>${hits.map((hit) => html`<div class="given">${websiteView(agentId, hit, givenOf)}${markedText({ text: givenOf(hit)?.text ?? '', places: [] })}</div>`)}</details>`}
${waysView(agentId, {
  ...asked,
  ids: [id],
  state,
  mayWrite,
  shown: { call: call_id ?? undefined },
  given: heard && { hit: heard.hit, path: givenPath(agentId, heard.hit, heard.given) },
})}`
}

function websiteView(agentId: string, hit: KeptHit, givenOf: GivenOf): Html {
  const given = givenOf(hit)
  if (!given) return html`<p class="hint">From a deleted document.</p>`
  const changed =
    given.text === undefined ? 'no longer saved as it was then' : 'as it was then: the text has changed since'
  return html`<p class="hint">From <a href="${givenPath(agentId, hit, given)}">${given.title}</a>${!given.isUnchanged && `, ${changed}`}</p>`
}
