import { html } from 'hono/html'
import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { MissingHoliday } from '../../shared/database/tables.ts'
import { contradictingDocument } from '../../shared/documents/client/disagreements.ts'
import { isHeld } from '../../shared/documents/processing/guards.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { type AgentRow, listAgents } from '../../shared/organizations/agents.ts'
import { dayText } from '../../shared/organizations/time-zone.ts'
import { agentPage, type Html } from './layout.ts'
import { emptyView } from './list.ts'
import { checksPage, closedPath, documentPath, withQuery } from './paths.ts'
import type { Screens } from './screen.ts'
import { counted, number } from './sentences.ts'

const path = '/dashboard/agents'
const maxAgents = 100
const days = 7

/** What a person can mend. */
interface Troubles {
  agent_id: string
  checks: number
  /** Documents that wait until somebody says whether they replace another. */
  held: number
  /** Documents whose new text a check has stopped. */
  stopped: number
  websites: number
  contradicting_id: string | null
  missing_holidays: MissingHoliday[]
}

/** How many questions had an answer of a kind on a day: 0 for the last 24 hours, 1 for those before. */
interface Answered {
  agent_id: string
  answer: keyof typeof answers
  day: number
  count: number
}
const answers = {
  found: ['good', 'answered'],
  uncertain: ['wait', 'uncertain'],
  nothing: ['bad', 'unanswered'],
  wrong: ['bad', 'marked wrong'],
} as const

/** Lists the agents on the first screen, each with its last week and what there is to mend. */
export function addHomeScreen(screens: Screens) {
  screens.get('/dashboard', { permission: 'kb:read' }, async ({ db, session: { organizationId }, may }) => {
    const [mayChange, mayWrite] = [may('organization:write'), may('kb:write')]
    const [{ agents }, { troubles, answered, saved }] = await Promise.all([
      listAgents(db, organizationId, { limit: maxAgents }),
      readWeek(db, organizationId, may('questions')),
    ])
    const first = mayChange
      ? html`<a class="button" href="${path}/new">New agent</a>`
      : 'Someone who can change settings has to add the first one.'
    const card = (agent: AgentRow) => {
      const ofAgent = ({ agent_id }: { agent_id: string }) => agent_id === agent.id
      const week = answered && weekView(agent.id, answered.filter(ofAgent), saved[0]?.log_questions === true)
      const open = answered?.filter((each) => ofAgent(each) && each.answer !== 'found') ?? []
      const unanswered = open.reduce((sum, { count }) => sum + count, 0)
      const found = troubles.find(ofAgent)
      const needs = needsOf(agent, { ...found, unanswered }, { mayWrite, mayChange })
      return agentCard(agent, needs, { week, mayChange, mayWrite, held: found?.held ?? 0 })
    }
    return {
      title: 'Agents',
      lead: 'Each voice agent answers callers from its own documents.',
      actions: mayChange && agents.length > 0 && html`<a class="button plain" href="${path}/new">New agent</a>`,
      content:
        agents.length > 0
          ? html`<ul class="cards">${agents.map(card)}</ul>`
          : emptyView('agents', 'No agents yet', 'An agent is one voice on the phone, with its own documents.', first),
    }
  })
}

/** Reads the newest agents' troubles and answers, from indexes that have little else. The log gets at most 200 questions an hour. */
async function readWeek(db: Database, organizationId: OrganizationId, mayReadQuestions: boolean) {
  return await db.batch({
    troubles: sql<Troubles>`
      select a.id as agent_id, a.missing_holidays, ${contradictingDocument} as contradicting_id,
        (select count(*)::int from documents d
          where d.organization_id = a.organization_id and d.agent_id = a.id and ${isHeld} and d.deleted_at is null) as held,
        (select count(*)::int from golden_questions g
          where g.organization_id = a.organization_id and g.agent_id = a.id and not g.passed) as checks,
        (select count(*)::int from sources s
          where s.organization_id = a.organization_id and s.agent_id = a.id and s.status = 'error' and s.deleted_at is null) as websites,
        (select count(*)::int from documents d where d.organization_id = a.organization_id and d.agent_id = a.id
          and d.status = 'error' and d.error_code = 'golden_questions_fail' and d.deleted_at is null) as stopped
      from agents a where a.organization_id = ${organizationId} order by a.id desc limit ${maxAgents}`,
    saved: sql<{ log_questions: boolean }>`select log_questions from organizations where id = ${organizationId}`,
    ...(mayReadQuestions && {
      answered: sql<Answered>`
        select q.agent_id, floor(extract(epoch from now() - q.asked_at) / 86400)::int as day,
          case when q.is_answered_since then 'found' when q.is_wrong then 'wrong' else q.status end as answer, count(*)::int
        from question_log q
        where q.organization_id = ${organizationId} and q.asked_at > now() - make_interval(days => ${days}) and q.asked_at <= now()
        group by 1, 2, 3`,
    }),
  })
}

type Need = readonly [path: string, says: string]

/** What there is to mend, each with the address where that is done. */
function needsOf(
  { id, documents, time_zone }: AgentRow,
  found: Partial<Troubles> & { unanswered: number },
  { mayWrite, mayChange }: { mayWrite: boolean; mayChange: boolean },
): Need[] {
  const page = agentPage(id, 'documents')
  const needing = withQuery(page, { show: 'needs' })
  const { checks = 0, held = 0, stopped = 0, websites = 0, contradicting_id, missing_holidays = [], unanswered } = found
  const [holiday] = missing_holidays
  const failed = documents.error - stopped
  const undecided = held + stopped
  const needs: (Need | false | undefined)[] = [
    unanswered > 0 && [agentPage(id, 'questions'), `Asked ${counted(unanswered, 'time')} without a good answer`],
    checks > 0 && [checksPage(id), `${counted(checks, 'check')} ${checks === 1 ? 'fails' : 'fail'}`],
    failed > 0 && [needing, `${counted(failed, 'document')} failed`],
    undecided > 0 && [needing, `${counted(undecided, 'document')} ${undecided === 1 ? 'needs' : 'need'} your decision`],
    websites > 0 && [agentPage(id, 'sources'), `${counted(websites, 'website')} couldn’t be read`],
    !!contradicting_id && [
      `${documentPath(id, contradicting_id)}#disagreements`,
      'Two documents contradict each other',
    ],
    time_zone === null && mayChange && [`${path}/${id}/edit`, 'Nobody has chosen its time zone'],
    holiday && [
      mayWrite ? closedPath(id, holiday.day) : page,
      `No text says what you do on ${holiday.name}, ${dayText(holiday.day, holiday.day.slice(0, 'yyyy'.length))}`,
    ],
  ]
  return needs.filter((need) => !!need)
}

/** Draws each day's questions as a bar of its answers, the last day on the right, beside their sums. @param isSaving false if no questions are saved */
function weekView(agentId: string, answered: readonly Answered[], isSaving: boolean): Html {
  const page = agentPage(agentId, 'questions')
  const countOf = (fits: (each: Answered) => boolean) =>
    answered.filter(fits).reduce((sum, { count }) => sum + count, 0)
  const kinds = Object.keys(answers) as (keyof typeof answers)[]
  const sums = kinds
    .map((kind) => [kind, countOf(({ answer }) => answer === kind)] as const)
    .filter(([, sum]) => sum > 0)
  if (sums.length === 0)
    return html`<p class="counts"><a href="${page}">${isSaving ? 'No questions in the last week' : 'Questions aren’t saved'}</a></p>`
  const most = Math.max(...Array.from({ length: days }, (_, day) => countOf((each) => each.day === day)))
  const bars = Array.from({ length: days }, (_, day) => {
    let top = 24
    return kinds.map((kind) => {
      const height = (countOf((each) => each.day === day && each.answer === kind) / most) * 24
      top -= height
      return (
        height > 0 &&
        html`<rect class="${answers[kind][0]}" x="${(days - 1 - day) * 12}" y="${top}" width="9" height="${height}"/>`
      )
    })
  })
  return html`<div class="week"><svg viewBox="0 0 81 24" width="81" height="24" aria-hidden="true">${bars}</svg><p class="counts">Last week: ${sums.map(
    ([kind, sum]) =>
      html`<a href="${withQuery(page, { show: kind === 'found' ? 'all' : undefined })}">${number(sum)} ${answers[kind][1]}</a> `,
  )}</p></div>`
}

export const isOff = {
  none: 'No documents yet',
  pending: 'Processing its first documents',
  failed: 'None of its documents could be read',
} as const

/** @param week undefined unless the session may read questions */
function agentCard(
  { id, name, knowledge_base_enabled: isOn, documents }: AgentRow,
  needs: readonly Need[],
  { week, mayChange, mayWrite, held }: { week: Html | undefined; mayChange: boolean; mayWrite: boolean; held: number },
): Html {
  const { pending, processing, completed, error } = documents
  const unfinished = pending + processing - held
  const count = unfinished + held + completed + error
  const off = count === 0 ? 'none' : unfinished > 0 ? 'pending' : 'failed'
  const on =
    needs.length > 0
      ? ['wait', `Answers callers, needs ${mayWrite ? 'you' : 'an editor'}`]
      : ['good', 'Answers callers']
  const [tone, state] = isOn ? on : [{ none: '', pending: 'wait', failed: 'bad' }[off], isOff[off]]
  return html`<li class="card agent"><h2><a href="${agentPage(id, 'documents')}">${name}</a></h2>
<p class="state ${tone}">${state}</p>
<p class="counts"><span>${count === 0 ? 'Add the first document' : counted(count, 'document')}</span>
${completed > 0 && completed < count && html`<span>${number(completed)} ready</span>`}
${unfinished > 0 && html`<span>${number(unfinished)} processing</span>`}</p>
${week}
${needs.length > 0 && html`<ul class="notice warn">${needs.map(([path, says]) => html`<li><a href="${path}">${says}</a></li>`)}</ul>`}
${mayChange && html`<a class="button plain" href="${path}/${id}/edit" aria-label="Settings of “${name}”">Settings</a>`}</li>`
}
