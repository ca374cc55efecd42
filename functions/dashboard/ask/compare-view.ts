import { html } from 'hono/html'
import type { Presence, SoughtWord } from '../../../shared/retrieval/explanation/sought-words.ts'
import type { Html } from '../layout.ts'
import { askPath } from '../paths.ts'
import type { Titled } from '../titles.ts'
import { words } from '../words.ts'
import { passageView } from './passage-view.ts'
import type { AskQuery, Compared } from './trial.ts'

const w = words.ask.compare
const listed = new Intl.ListFormat(words.lang, { type: 'disjunction' })

interface Comparison {
  agentId: string
  query: AskQuery
  titles: Titled[]
  words: SoughtWord[]
  compared: Compared | undefined
}

/** Shows how a document of the person's choice ranks for the question, and which words it doesn't have. */
export function compareView(comparison: Comparison): Html {
  const { agentId, query, titles, words: sought, compared } = comparison
  const { q, mode, at, document, title } = query
  return html`<section class="compare panel" id="compare"><h2>${w.title}</h2><p class="hint">${w.lead}</p>
<search><form method="get" action="${askPath(agentId)}#compare">
<input type="hidden" name="q" value="${q}">${mode !== 'hybrid' && html`<input type="hidden" name="mode" value="${mode}">`}${at && html`<input type="hidden" name="at" value="${at}">`}
<label for="title">${w.filter}</label>
<div class="line"><input id="title" type="search" name="title" value="${title}" autocomplete="off" hx-get="${askPath(agentId, { q, mode, at })}" hx-trigger="input changed delay:200ms" hx-target="#titles" hx-swap="outerHTML"><button class="plain">${w.find}</button></div>
</form></search>
${titlesView({ agentId, query, titles })}
${document && !compared && html`<p class="notice bad">${w.gone}</p>`}
${compared && comparedView(agentId, sought, compared)}</section>`
}

export function titlesView({ agentId, query, titles }: Pick<Comparison, 'agentId' | 'query' | 'titles'>): Html {
  const { q, mode, at, document } = query
  return html`<ul class="choices" id="titles">${titles.map(
    ({ id, title }) =>
      html`<li><a href="${askPath(agentId, { q, mode, at, document: id })}#compare"${id === document && html` aria-current="true"`}>${title}</a></li>`,
  )}${titles.length === 0 && html`<li>${w.noTitle}</li>`}</ul>`
}

function comparedView(agentId: string, sought: SoughtWord[], compared: Compared): Html {
  const { best, compared: count, isExact, isServed, isValid, title } = compared
  const reason = !isServed ? w.notServed : isValid ? w.noWord : w.notValid
  if (!best) return html`<div class="hit panel"><h3>${title}</h3><p>${reason}</p></div>`
  const place = isExact ? w.place(best.place, count) : w.placeAtBest(best.place)
  return html`<p class="verdict"><b>${place}</b> ${best.place === 1 ? w.isFirst : lackText(sought, best.passage.presences)}</p>
<div class="hit panel">${passageView(agentId, sought, best.passage)}</div>`
}

/** The words that the passage doesn't have; empty if search used none. */
function lackText(sought: SoughtWord[], presences: Presence[]): string {
  const lacking = sought.filter((_, i) => presences[i] === 'none').map(({ text }) => `“${text}”`)
  if (sought.length === 0) return ''
  if (lacking.length === 0) return w.hasAll
  return lacking.length === sought.length ? w.noneOf(listed.format(lacking)) : w.lacks(listed.format(lacking))
}
