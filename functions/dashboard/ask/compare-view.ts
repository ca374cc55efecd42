import { html } from 'hono/html'
import type { Presence, SoughtWord } from '../../../shared/retrieval/explanation/sought-words.ts'
import type { Html } from '../layout.ts'
import { askPath } from '../paths.ts'
import { number } from '../sentences.ts'
import type { Titled } from '../titles.ts'
import { words } from '../words.ts'
import { passageView } from './passage-view.ts'
import type { AskQuery, Compared } from './trial.ts'

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
  return html`<section class="compare panel" id="compare"><h2>Did you expect another document?</h2><p class="hint">Choose it to see where it ranks and what it’s missing.</p>
<search><form method="get" action="${askPath(agentId)}#compare">
<input type="hidden" name="q" value="${q}">${mode !== 'hybrid' && html`<input type="hidden" name="mode" value="${mode}">`}${at && html`<input type="hidden" name="at" value="${at}">`}
<label for="title">Part of its title</label>
<div class="line"><input id="title" type="search" name="title" value="${title}" autocomplete="off" hx-get="${askPath(agentId, { q, mode, at })}" hx-trigger="input changed delay:200ms" hx-target="#titles" hx-swap="outerHTML"><button class="plain">Find</button></div>
</form></search>
${titlesView({ agentId, query, titles })}
${document && !compared && html`<p class="notice bad">The document you compared is no longer available.</p>`}
${compared && comparedView(agentId, sought, compared)}</section>`
}

export function titlesView({ agentId, query, titles }: Pick<Comparison, 'agentId' | 'query' | 'titles'>): Html {
  const { q, mode, at, document } = query
  return html`<ul class="choices" id="titles">${titles.map(
    ({ id, title }) =>
      html`<li><a href="${askPath(agentId, { q, mode, at, document: id })}#compare"${id === document && html` aria-current="true"`}>${title}</a></li>`,
  )}${titles.length === 0 && html`<li>No titles match.</li>`}</ul>`
}

function comparedView(agentId: string, sought: SoughtWord[], compared: Compared): Html {
  const { best, compared: count, isExact, isServed, isValid, title } = compared
  const reason = !isServed
    ? 'It isn’t ready, so search can’t find it yet. Its own page shows what it’s waiting for.'
    : isValid
      ? 'None of its words match.'
      : 'Its first and last day leave it out at this time.'
  if (!best) return html`<div class="hit panel"><h3>${title}</h3><p>${reason}</p></div>`
  const place = isExact
    ? `Its best passage ranks ${number(best.place)} of ${number(count)}. Your agent gets the first 5.`
    : `Its best passage ranks ${number(best.place)} or lower. Your agent gets the first 5.`
  return html`<p class="verdict"><b>${place}</b> ${best.place === 1 ? 'This is what your agent finds first.' : lackText(sought, best.passage.presences)}</p>
<div class="hit panel">${passageView(agentId, sought, best.passage)}</div>`
}

/** The words that the passage doesn't have; empty if search used none. */
function lackText(sought: SoughtWord[], presences: Presence[]): string {
  const lacking = sought.filter((_, i) => presences[i] === 'none').map(({ text }) => `“${text}”`)
  if (sought.length === 0) return ''
  if (lacking.length === 0)
    return 'It has every word that counts. The passages above it have them more often or in fewer words, or are closer in meaning.'
  return lacking.length === sought.length
    ? `None of its words match ${listed.format(lacking)}.`
    : `It doesn’t have ${listed.format(lacking)}.`
}
