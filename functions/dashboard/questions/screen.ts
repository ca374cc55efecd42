import { html } from 'hono/html'
import { type SqlBool, sql } from 'kysely'
import * as v from 'valibot'
import type { AgentScope } from '../../../shared/database/scope.ts'
import { uuid } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import type { AnswerQuestion } from '../../../shared/retrieval/answer.ts'
import { whereabouts } from '../../../shared/retrieval/plan.ts'
import { agentPage } from '../layout.ts'
import { type Screens, valid } from '../screen.ts'
import { counted } from '../sentences.ts'
import { questionLogView, readSwitches } from '../switches.ts'
import { askAgain } from './asking-again.ts'
import { entriesOf, maxRead, readInbox } from './inbox.ts'
import { filterView, listQuery, listView, pausesView, shownPath } from './list-view.ts'

const base = '/dashboard/agents/:agentId/questions'

const ids = v.pipe(
  v.string(),
  v.transform((text) => text.split(',')),
  v.array(uuid),
  v.maxLength(maxRead),
)

/** An inbox of callers' questions: those without a good answer until one is added. Voice platforms' keys can't read it. */
export function addQuestionScreens(screens: Screens, answer: AnswerQuestion) {
  const permission = 'kb:write'
  screens
    .get(base, { permission: 'questions', tab: 'questions' }, async ({ c, db, meter, scope, may, agent }) => {
      const query = v.parse(listQuery, c.req.query())
      const [{ log_questions: isOn }, { version, rows, hasMore, pauses }] = await Promise.all([
        readSwitches(db, scope.organizationId),
        readInbox(db, scope, query.show),
      ])
      let entries = entriesOf(rows)
      if (await askAgain(answer, db, { ...scope, meter }, version, entries)) entries = entriesOf(rows)
      const listing = { place: whereabouts(await agent()), mayWrite: may(permission) }
      return {
        title: 'Questions',
        lead: 'What callers asked in the last 30 days, newest first.',
        modules: ['questions.js'],
        content: html`${!isOn && questionLogView(may('organization:write'))}
${pausesView(pauses)}
${filterView(scope, query, entries, !hasMore)}${await listView(db, scope, entries, query, listing)}
${listing.mayWrite && query.show === 'all' && rows.length > 0 && html`<details><summary>Delete all questions</summary><p>All questions of the last 30 days will be deleted. This can’t be undone.</p><form method="post" action="${agentPage(scope.agentId, 'questions')}/clear"><button class="danger">Delete all</button></form></details>`}`,
      }
    })
    .post(
      `${base}/wrong`,
      { permission, form: v.object({ ids, wrong: v.picklist(['true', 'false']) }) },
      async ({ c, db, scope, form }) => {
        await getAgent(db, scope)
        const { ids, wrong } = valid(form)
        const isWrong = wrong === 'true'
        const changes = { is_wrong: isWrong, ...(isWrong && { answered_since: null }) }
        await db.updateTable('question_log').set(changes).where(isOneOf(scope, ids)).execute()
        const text = isWrong ? 'Marked as wrong.' : 'No longer marked as wrong.'
        return { redirect: `${shownPath(scope, v.parse(listQuery, c.req.query()))}#asked-${ids[0]}`, flash: { text } }
      },
    )
    .post(`${base}/delete`, { permission, form: v.object({ ids }) }, async ({ c, db, scope, form }) => {
      await getAgent(db, scope)
      const { numDeletedRows: count } = await db
        .deleteFrom('question_log')
        .where(isOneOf(scope, valid(form).ids))
        .executeTakeFirstOrThrow()
      const flash = { text: deleted(Number(count)) }
      return { redirect: shownPath(scope, v.parse(listQuery, c.req.query())), flash }
    })
    .post(`${base}/clear`, { permission }, async ({ db, scope }) => {
      const { id } = await getAgent(db, scope)
      const { numDeletedRows } = await db.deleteFrom('question_log').where(isOneOf(scope)).executeTakeFirstOrThrow()
      return { redirect: agentPage(id, 'questions'), flash: { text: deleted(Number(numDeletedRows)) } }
    })
}

const deleted = (count: number) => `${counted(count, 'question')} ${count === 1 ? 'was' : 'were'} deleted.`

/** Selects the agent's questions, or those with these ids. */
function isOneOf({ organizationId, agentId }: AgentScope, ids?: readonly string[]) {
  return sql<SqlBool>`(organization_id = ${organizationId} and agent_id = ${agentId} and ${ids ? sql`id = any(${ids}::uuid[])` : sql`true`})`
}
