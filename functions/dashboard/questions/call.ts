import { html } from 'hono/html'
import * as v from 'valibot'
import { listQuestions } from '../../../shared/questions/questions.ts'
import { whereabouts } from '../../../shared/retrieval/plan.ts'
import { callId } from '../../../shared/retrieval/schemas.ts'
import { sourceView } from '../answer-view.ts'
import { agentPage } from '../layout.ts'
import { emptyView, rowsView } from '../list.ts'
import { markedText } from '../passage-text.ts'
import type { Screens } from '../screen.ts'
import { counted, number } from '../sentences.ts'
import { localTime } from '../times.ts'
import { findGiven, heardThen, sourceThen } from './past-passages.ts'
import { rowView } from './row-view.ts'

const path = '/dashboard/agents/:agentId/call'
const maxQuestions = 100

/** Shows a caller's questions in a call, with the agent's answers and the passages that it was given. */
export function addCallScreens(screens: Screens) {
  screens.get(path, { permission: 'questions', tab: 'questions' }, async ({ c, db, scope, may, agent }) => {
    const { agentId } = scope
    const call = v.parse(v.fallback(v.optional(callId), undefined), c.req.query('id')?.trim())
    const asked =
      call === undefined ? undefined : await listQuestions(db, scope, { call_id: call, limit: maxQuestions })
    const questions = asked?.questions.toReversed() ?? []
    const givenOf = await findGiven(
      db,
      scope,
      questions.flatMap(({ hits }) => hits),
    )
    const place = whereabouts(await agent())
    const rows = questions.map((each) => {
      const passages = each.hits.map(
        (hit) =>
          html`${sourceView(sourceThen(agentId, hit, givenOf))}${markedText({ text: givenOf(hit)?.text ?? '', places: [] })}`,
      )
      const why = html`<details><summary>Why?</summary><p class="hint">${counted(passages.length, 'part')} found${each.is_degraded && ' by words only, as the meaning wasn’t available in time'}.</p>${passages}</details>`
      return rowView(agentId, {
        asked: each,
        same: [each],
        state: each.is_wrong ? 'wrong' : each.status,
        heard: heardThen(agentId, each, givenOf, place),
        why: passages.length > 0 && why,
        shown: { call },
        mayWrite: may('kb:write'),
      })
    })
    return {
      title: 'Call',
      ...(questions[0] && {
        lead: html`${localTime(questions[0].asked_at)}${asked?.hasMore && `. Only the last ${number(maxQuestions)} questions are shown.`}`,
      }),
      crumbs: [['Questions', agentPage(agentId, 'questions')]],
      content:
        rows.length > 0
          ? rowsView(rows)
          : emptyView(
              'calls',
              'No questions from this call',
              'Questions are saved for 30 days if “Save callers’ questions” is on. You’ll find them here if your platform sent the call’s ID with them.',
            ),
    }
  })
}
