import { html } from 'hono/html'
import { answeringWords } from '../../../shared/checks/broken.ts'
import { dayOf } from '../../../shared/organizations/time-zone.ts'
import type { Hit } from '../../../shared/retrieval/schemas.ts'
import { placesOf } from '../../../shared/terms/term-places.ts'
import { heardView, type Source, sourceView } from '../answer-view.ts'
import { agentPage, type Html } from '../layout.ts'
import { emptyView } from '../list.ts'
import { markedText } from '../passage-text.ts'
import { askPath, checksPage, correctionPath, newDocumentPath, passagePath } from '../paths.ts'
import { counted } from '../sentences.ts'
import { daysInWords, timeIn } from '../times.ts'
import type { AskQuery, Trial } from './trial.ts'

/** When a question is asked: an ISO time, and the agent's time zone. */
interface Asking {
  at: string
  zone: string
}

export function askForm(agentId: string, { q, at }: AskQuery, asking: Asking): Html {
  return html`<search><form class="ask" method="get" action="${askPath(agentId)}">
<label for="q">What a caller would say</label>
<div class="line"><input id="q" type="search" name="q" value="${q}" maxlength="1000" autocomplete="off" enterkeyhint="search" required${q === '' && html` autofocus`}><button>Ask</button></div>
<details${at && html` open`}><summary>${q && html`Asked as of ${timeIn(new Date(asking.at), asking.zone)} · `}Ask at another time</summary>
<label for="at">As of</label><input id="at" type="datetime-local" name="at" value="${at}" min="1900-01-01T00:00" max="9998-12-31T23:59" aria-describedby="at-hint"><p id="at-hint" class="hint">See what callers would be told at that time, in the time zone ${asking.zone}, from the documents that are valid then. Leave it empty to ask about now.</p></details>
</form></search>`
}

export function nothingServedView(agentId: string): Html {
  return emptyView(
    'document',
    'There is nothing to find yet',
    'As soon as a document is ready, you can ask about it.',
    html`<a class="button" href="${agentPage(agentId, 'documents')}">Go to documents</a>`,
  )
}

/** Asks again by itself until the document that was written for the question is ready. */
export function waitingView(agentId: string, query: AskQuery, title: string): Html {
  return html`<section class="answer panel" aria-label="Answer" hx-get="${askPath(agentId, query)}" hx-trigger="every 2s" hx-swap="outerHTML">
<p class="state work" role="status">Processing</p><p>“${title}” is being processed. The answer appears here once it’s ready.</p></section>`
}

const verdicts = {
  found: ['good', 'Your agent would say this'],
  uncertain: ['wait', 'Your agent isn’t sure'],
  nothing: ['', 'Your agent would say that it doesn’t know'],
} as const

/** Shows the answer that a caller would hear, the days that it is for, actions if the session may write, and a closed explanation. */
export function answerView(agentId: string, question: string, trial: Trial, asking: Asking, mayWrite: boolean): Html {
  const { status, heard, dates, dispute, isEmpty, isDegraded } = trial
  const [tone, verdict] = dispute ? ['wait', 'Your documents disagree'] : verdicts[status]
  return html`${isDegraded && html`<p class="notice warn">The meaning of the question wasn’t available in time, so this was found by words only. The same can happen in a call.</p>`}
<section class="answer panel" aria-label="Answer"><p class="state ${tone}">${verdict}</p>
${dates.length > 0 && daysView(dates, asking)}
${isEmpty && html`<p>These words are said in every call, so there is nothing to search for.</p>`}
${dispute ? disputeView(agentId, dispute) : heard && heardView(heard.text, sourceOf(agentId, heard.source))}
${mayWrite && !isEmpty && html`<div class="actions">${actionsView(agentId, question, trial, asking)}</div>`}</section>
${whyView(agentId, trial)}`
}

/** Shows the days that the question means, without the year in which it is asked. */
function daysView(dates: Trial['dates'], { at, zone }: Asking): Html {
  const year = dayOf(new Date(at), zone).slice(0, 'yyyy'.length)
  const days = dates.map((each) => `${each.from === each.to ? '' : 'the days '}${daysInWords(each, year)}`)
  return html`<p class="hint">Asked for ${days.join(' and ')}</p>`
}

/** Shows what two documents say, side by side. */
function disputeView(agentId: string, statements: NonNullable<Trial['dispute']>): Html {
  return html`<p>Callers hear that your agent isn’t sure, until both say the same.</p>
<ul class="rows">${statements.map(
    ({ text, document_id, document_title: title, chunk_index }) =>
      html`<li class="what">${heardView(text, { title, path: passagePath(agentId, document_id, chunk_index), details: [] })}</li>`,
  )}</ul>`
}

function sourceOf(agentId: string, { document_id, document_title: title, chunk_index, source }: Hit): Source {
  const page = typeof source.page === 'number' ? `page ${source.page}` : source.page
  const details = [page, source.heading].flatMap((detail) => (detail == null || detail === title ? [] : detail))
  return { title, path: passagePath(agentId, document_id, chunk_index), details }
}

function actionsView(
  agentId: string,
  question: string,
  { status, heard, value, dates, dispute }: Trial,
  asking: Asking,
): Html {
  const at = dates.length > 0 ? asking.at : undefined
  const source = heard?.source
  const valued = status === 'found' ? value?.text : undefined
  const words = source && !valued ? answeringWords(question, source.content) : ''
  const check = { question, document_id: source?.document_id, words, value: valued, as_of: at }
  const keep = html`<form method="post" action="${checksPage(agentId)}">${Object.entries(check).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}
<button${status !== 'found' && html` class="plain"`}>${status === 'nothing' ? 'Right, it has no answer' : 'Right, keep it'}</button></form>`
  if (status === 'found') return html`${keep} ${source && correctView(agentId, source, question, at)}`
  // A text is corrected only where it answered: any other may be about something else.
  return html`<a class="button" href="${newDocumentPath(agentId, question, 'ask')}">Add an answer</a> ${source && dispute && correctView(agentId, source, question, at)} ${keep}`
}

function correctView(agentId: string, source: Hit, question: string, at: string | undefined): Html {
  return html`<a class="button plain" href="${correctionPath(agentId, source, question, at)}">Correct it</a>`
}

/** Shows the words that were searched for, and the parts found with these words marked. */
function whyView(agentId: string, { words, passages }: Trial): Html {
  const sought = words.map(
    ({ text, isKnown }, i) =>
      html`${i > 0 && ', '}<b>${text}</b>${!isKnown && html` <span class="fault">(in no document)</span>`}`,
  )
  const terms = new Set(words.flatMap(({ terms }) => [...terms]))
  return html`<details><summary>Why?</summary>
<p class="sought">${sought.length > 0 && html`Searched for ${sought}. `}${counted(passages.length, 'part')} found.</p>
<ol class="hits">${passages.map((hit) => html`<li class="panel">${sourceView(sourceOf(agentId, hit))}${markedText({ text: hit.content, places: placesOf(terms, hit.content) })}</li>`)}</ol></details>`
}
