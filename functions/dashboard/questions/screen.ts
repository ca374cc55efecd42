import { html } from 'hono/html'
import { type SqlBool, sql } from 'kysely'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope } from '../../../shared/database/scope.ts'
import { uuid } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import { doubtful, type KeptQuestion, listQuestions } from '../../../shared/questions/questions.ts'
import { callId } from '../../../shared/retrieval/schemas.ts'
import { confirmView } from '../form-view.ts'
import { agentPage, type Html } from '../layout.ts'
import { emptyView, filtersView, pagesView, rowsView, searchText, searchView, wordsIn } from '../list.ts'
import { askPath, callPath, withQuery } from '../paths.ts'
import { type Screens, valid } from '../screen.ts'
import { counted, number } from '../sentences.ts'
import { questionLogView, readSwitches } from '../switches.ts'
import { ago } from '../times.ts'
import { type Group, groupQuestions } from './grouping.ts'
import { answeringPassage, findGiven, type GivenOf, givenPath, heardThen } from './past-passages.ts'
import { stateView, waysView } from './ways.ts'

const base = '/dashboard/agents/:agentId/questions'
const perPage = 50
const maxExamples = 3
/** Characters of an answer. */
const maxSaid = 160
/** The maximum number of earlier texts that a page looks up, each with a request. */
const maxReplaced = 10

const filters = { all: 'All', nothing: 'Nothing found', uncertain: 'Uncertain', wrong: 'Marked wrong' } as const

/** Invalid values count as absent: an address may be cut off or typed. */
const listQuery = v.object({
  show: v.fallback(v.optional(v.picklist(Object.keys(doubtful) as (keyof typeof doubtful)[])), undefined),
  q: searchText,
  /** The previous page's last question. */
  before: v.fallback(v.optional(uuid), undefined),
  /** The call whose screen sent the form. */
  call: v.fallback(v.optional(callId), undefined),
})
type ListQuery = v.InferOutput<typeof listQuery>

const ids = v.pipe(
  v.string(),
  v.transform((text) => text.split(',')),
  v.array(uuid),
  v.maxLength(perPage),
)

/** Lists callers' questions and the agent's answers. Needs `kb:write`, which voice platforms' keys don't have. */
export function addQuestionScreens(screens: Screens) {
  const permission = 'kb:write'
  screens
    .get(base, { permission, tab: 'questions' }, async ({ c, db, scope, may }) => {
      const query = v.parse(listQuery, c.req.query())
      const id = scope.agentId
      const [{ log_questions: isOn }, { questions, hasMore }] = await Promise.all([
        readSwitches(db, scope.organizationId),
        listQuestions(db, scope, { limit: perPage, after: query.before, only: query.show, words: wordsIn(query.q) }),
      ])
      const pageAfter = (before?: string) => shownPath(scope, { ...query, before })
      const isWhole = !query.show && !query.q && !query.before
      return {
        title: 'Questions',
        lead: 'What callers asked in the last 30 days, newest first.',
        content: html`${!isOn && questionLogView(may('organization:write'), scope.agentId)}
${
  isWhole && questions.length === 0
    ? isOn && emptyView('clock', 'No questions yet', 'What your agent’s callers ask will appear here.')
    : html`${filterView(id, query)}${await listView(db, scope, questions, query)}
${pagesView(['Newest questions', query.before && pageAfter()], ['Older questions', hasMore && pageAfter(questions.at(-1)?.id)])}
<p><a class="button quiet danger" href="${agentPage(id, 'questions')}/clear">Delete all questions</a></p>`
}`,
      }
    })
    .post(
      `${base}/wrong`,
      { permission, form: v.object({ ids, wrong: v.picklist(['true', 'false']) }) },
      async ({ c, db, scope, form }) => {
        await getAgent(db, scope)
        const { ids, wrong } = valid(form)
        const isWrong = wrong === 'true'
        await db.updateTable('question_log').set({ is_wrong: isWrong }).where(isOneOf(scope, ids)).execute()
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
      const gone = { text: 'These questions are no longer available.', isError: true }
      const flash = count > 0n ? { text: deleted(Number(count)) } : gone
      return { redirect: shownPath(scope, v.parse(listQuery, c.req.query())), flash }
    })
    .get(`${base}/clear`, { permission, tab: 'questions' }, async ({ db, scope }) => {
      const { count } = await db
        .selectFrom('question_log')
        .select(sql<number>`count(*)::int`.as('count'))
        .where(isOneOf(scope))
        .executeTakeFirstOrThrow()
      const address = agentPage(scope.agentId, 'questions')
      const says = html`<p>${count === 1 ? 'The one question' : `All ${number(count)} questions`} of the last 30 days will be deleted. This can’t be undone.</p>`
      const content = confirmView(says, 'Delete all', address)
      return { title: 'Delete all questions from this agent’s callers?', crumbs: [['Questions', address]], content }
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

function shownPath({ agentId }: AgentScope, { call, ...query }: ListQuery): string {
  return call === undefined ? withQuery(agentPage(agentId, 'questions'), query) : callPath(agentId, call)
}

async function listView(db: Database, scope: AgentScope, questions: KeptQuestion[], query: ListQuery) {
  if (questions.length === 0)
    return html`<p class="none">No questions match. <a href="${agentPage(scope.agentId, 'questions')}">Show all questions</a></p>`
  const groups = groupsOf(questions)
  const hits = groups.flatMap(([first]) => (first.status === 'nothing' ? [] : (answeringPassage(first) ?? [])))
  const givenOf = await findGiven(db, scope, hits, maxReplaced)
  return rowsView(groups.map((group) => groupView(scope.agentId, group, givenOf, query)))
}

/** Groups only questions of the same state, because their actions depend on it. */
function groupsOf(questions: KeptQuestion[]): Group<KeptQuestion>[] {
  const order = new Map(questions.map((question, i) => [question, i]))
  const placeOf = (group: Group<KeptQuestion>) => Math.min(...group.map((question) => order.get(question)!))
  return [...Map.groupBy(questions, ({ status, is_wrong }) => `${status} ${is_wrong}`).values()]
    .flatMap((alike) => groupQuestions(alike))
    .sort((a, b) => placeOf(a) - placeOf(b))
}

function groupView(agentId: string, group: Group<KeptQuestion>, givenOf: GivenOf, shown: ListQuery): Html {
  const [first] = group
  const { question, call_id, status, value, asked_at, is_wrong: isWrong } = first
  const others = [...new Set(group.map(({ question }) => question.trim()))].filter((other) => other !== question.trim())
  const newest = group.reduce((newest, { asked_at }) => (asked_at > newest ? asked_at : newest), first.asked_at)
  const isGiven = status !== 'nothing'
  const heard = isGiven ? heardThen(first, givenOf, maxSaid) : undefined
  return html`<li id="asked-${first.id}"><div class="what"><p class="name"><a href="${call_id === null ? askPath(agentId, { q: question }) : callPath(agentId, call_id)}">“${question}”</a> ${stateView(status, isWrong)}</p>
${others.length > 0 && html`<p class="hint">Also ${others.slice(0, maxExamples).map((other, i) => html`${i > 0 && ' · '}“${other}”`)}${others.length > maxExamples && ` · ${number(others.length - maxExamples)} more`}</p>`}
${isGiven && html`<p>${heard ? html`${heard.title}: ${heard.text === '' ? 'its text has changed since' : `“${heard.text}”`}` : 'From a deleted document'}</p>`}
<p class="hint">${group.length === 1 ? 'Asked' : `Asked ${number(group.length)} times, last`} ${ago(newest)}</p></div>
${waysView(agentId, {
  ids: group.map(({ id }) => id),
  question,
  call_id,
  status,
  value,
  asked_at,
  isWrong,
  shown,
  given: heard && { documentId: heard.hit.document_id, path: givenPath(agentId, heard.hit, heard.given) },
})}</li>`
}

function filterView(agentId: string, { show, q }: ListQuery): Html {
  const address = agentPage(agentId, 'questions')
  const links = Object.entries(filters).map(([each, name]) => {
    const only = each === 'all' ? undefined : each
    return { name, path: withQuery(address, { q, show: only }), isCurrent: only === show }
  })
  return html`${searchView(address, 'Search questions', q, show)}
${filtersView('Filter by answer', links)}`
}
