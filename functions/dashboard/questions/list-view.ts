import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope } from '../../../shared/database/scope.ts'
import type { KeptHit } from '../../../shared/database/tables.ts'
import { uuid } from '../../../shared/ids.ts'
import type { Place } from '../../../shared/retrieval/dates/calendar.ts'
import { callId } from '../../../shared/retrieval/schemas.ts'
import { agentPage, type Html } from '../layout.ts'
import { emptyView, filtersView, pagesView, rowsView } from '../list.ts'
import { callPath, withQuery } from '../paths.ts'
import { counted, number } from '../sentences.ts'
import { localTime } from '../times.ts'
import { type Entry, maxPerHour, maxRead, type Part, parts, readWhole, type WholeQuestion } from './inbox.ts'
import { answeringPassage, findGiven, heardThen } from './past-passages.ts'
import { rowView } from './row-view.ts'

const perPage = 50
/** Characters of an answer: the sentence that answered. */
const maxSaid = 110

const names: Record<Part, string> = { open: 'Open', since: 'Answered since', all: 'All' }

/** Invalid values count as absent: an address may be cut off or typed. */
export const listQuery = v.object({
  show: v.fallback(v.picklist(Object.keys(parts) as Part[]), 'open'),
  /** The newest question of the previous page's last group. */
  before: v.fallback(v.optional(uuid), undefined),
  /** The call whose screen sent the form. */
  call: v.fallback(v.optional(callId), undefined),
})
export type ListQuery = v.InferOutput<typeof listQuery>

export function shownPath({ agentId }: AgentScope, { call, show, ...query }: ListQuery): string {
  const shown = { ...query, show: show === 'open' ? undefined : show }
  return call === undefined ? withQuery(agentPage(agentId, 'questions'), shown) : callPath(agentId, call)
}

/** The groups of a page, and whether more follow. */
function pageOf(entries: readonly Entry[], { show, before }: ListQuery) {
  const matching = entries.filter(
    ({ state, newestId }) => parts[show].includes(state) && (before === undefined || newestId < before),
  )
  return { page: matching.slice(0, perPage), hasMore: matching.length > perPage }
}

export async function listView(
  db: Database,
  scope: AgentScope,
  entries: readonly Entry[],
  query: ListQuery,
  { place, mayWrite }: { place: Place; mayWrite: boolean },
): Promise<Html> {
  const { page, hasMore } = pageOf(entries, query)
  if (page.length === 0) return nothingView(scope, query)
  const whole = await readWhole(db, scope, page)
  const shown = page.flatMap((entry) => {
    const asked = whole.get(entry.rows[0].id)
    return asked ? [{ entry, asked: asAnswered(entry, asked) }] : []
  })
  const hits = shown.flatMap(({ asked }) => answeringPassage(asked) ?? [])
  const givenOf = await findGiven(db, scope, hits)
  const rows = shown.map(({ entry: { state, rows: same }, asked }) =>
    rowView(scope.agentId, {
      asked,
      same,
      state,
      heard: heardThen(scope.agentId, asked, givenOf, place, maxSaid),
      shown: { show: query.show, before: query.before },
      mayWrite,
    }),
  )
  const pageAfter = (before?: string) => shownPath(scope, { ...query, before })
  return html`${rowsView(rows)}
${pagesView(['Newest questions', query.before && pageAfter()], ['Older questions', hasMore && pageAfter(page.at(-1)!.newestId)])}
<p class="hint keys" hidden><kbd>j</kbd> next <kbd>k</kbd> previous <kbd>a</kbd> add an answer <kbd>c</kbd> correct it <kbd>w</kbd> was wrong</p>`
}

/** A question that is answered since, with the answer that callers hear by now. */
function asAnswered({ state }: Entry, asked: WholeQuestion): WholeQuestion {
  if (state !== 'since' || !asked.answered_since) return asked
  const { hit, value } = asked.answered_since
  const served: KeptHit = { ...hit, revision: maxRevision, score: 0 }
  return { ...asked, status: 'found', hits: [served], value, asked_at: new Date() }
}

/** Stands for the revision that search serves. */
const maxRevision = 2 ** 31 - 1

function nothingView({ agentId }: AgentScope, { show }: ListQuery): Html {
  const all = html`<a href="${withQuery(agentPage(agentId, 'questions'), { show: 'all' })}">Show all questions</a>`
  if (show === 'open')
    return emptyView('check', 'No open questions', 'Questions that your agent couldn’t answer well appear here.', all)
  return html`<p class="none">No questions yet. ${show !== 'all' && all}</p>`
}

/** @param isWhole false if older questions were not read, which then are not counted */
export function filterView(scope: AgentScope, query: ListQuery, entries: readonly Entry[], isWhole: boolean): Html {
  const countOf = (part: Part) => entries.filter(({ state }) => parts[part].includes(state)).length
  const links = (Object.keys(parts) as Part[]).map((part) => ({
    name: names[part],
    path: shownPath(scope, { ...query, show: part, before: undefined }),
    isCurrent: part === query.show,
    ...(part !== 'all' && isWhole && { count: countOf(part) }),
  }))
  return html`${filtersView('Filter by answer', links)}
${!isWhole && html`<p class="hint">Only the newest ${number(maxRead)} questions are listed.</p>`}`
}

/** Says when questions were not saved. @param pauses newest first */
export function pausesView(pauses: readonly Date[]): Html | '' {
  if (pauses.length === 0) return ''
  const times = pauses.map((at, i) => html`${i > 0 && ' and '}${localTime(at)}`)
  return html`<div class="notice warn"><p>Saving paused on ${times} for the rest of that hour, because ${counted(maxPerHour, 'question')} had been saved in it. What callers asked meanwhile is missing here.</p></div>`
}
