import { html } from 'hono/html'
import { answeringWords } from '../../../shared/checks/broken.ts'
import { dayOf } from '../../../shared/organizations/time-zone.ts'
import type { Presence, SoughtWord } from '../../../shared/retrieval/explanation/sought-words.ts'
import { type Hit, searchModes } from '../../../shared/retrieval/schemas.ts'
import { languageOf } from '../../../shared/retrieval/speech/languages.ts'
import { placesOf } from '../../../shared/terms/term-places.ts'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { emptyView } from '../list.ts'
import { type Marked, markedSlice, markedText } from '../passage-text.ts'
import { askPath, checksPage, correctionPath, newDocumentPath, passagePath } from '../paths.ts'
import { counted } from '../sentences.ts'
import { statementView } from '../statement.ts'
import { daysInWords, timeIn } from '../times.ts'
import type { AskQuery, Trial } from './trial.ts'

export function askForm(agentId: string, { q, at }: AskQuery, zone: string): Html {
  return html`<search><form class="ask" method="get" action="${askPath(agentId)}">
<label for="q">What a caller would say</label>
<div class="line"><input id="q" type="search" name="q" value="${q}" maxlength="1000" autocomplete="off" enterkeyhint="search" required${q === '' && html` autofocus`}><button type="button" class="plain" data-listen aria-pressed="false" aria-label="Speak the question" hidden>${icon('microphone')}</button><button>Ask</button></div>
<details${at && html` open`}><summary>${q && !at && html`Asked as of now, ${timeIn(new Date(), zone)} · `}Ask at another time</summary>
<label for="at">As of</label><input id="at" type="datetime-local" name="at" value="${at}" min="1900-01-01T00:00" max="9998-12-31T23:59" aria-describedby="at-hint"><p id="at-hint" class="hint">See what callers would be told at that time, in the time zone ${zone}. Leave it empty to ask about now.</p><button class="plain">Ask at this time</button></details>
</form></search>`
}

/** Shows the time of the answer. */
export function timeView(asOf: string, zone: string): Html {
  return html`<div class="notice"><p>As of ${timeIn(new Date(asOf), zone)}, from the documents that are valid then.</p></div>`
}

/** Says that a document that was just saved is not served yet. */
export function inWorkView(agentId: string, { q, saved }: AskQuery, title: string): Html {
  return html`<p class="notice warn">“${title}” is still being processed, so callers don’t get answers from it yet. <a href="${askPath(agentId, { q, saved })}">Ask again</a></p>`
}

export function nothingServedView(agentId: string): Html {
  return emptyView(
    'document',
    'There is nothing to find yet',
    'As soon as a document is ready, you can ask about it.',
    html`<a class="button" href="${agentPage(agentId, 'documents')}">Go to documents</a>`,
  )
}

const verdicts = {
  found: ['good', 'Your agent would say this'],
  uncertain: ['wait', 'Your agent isn’t sure'],
  nothing: ['', 'Your agent would say that it doesn’t know'],
} as const

/** When a question is asked: an ISO time, and the agent's time zone. */
interface Asking {
  at: string
  zone: string
}

/** Shows the answer that a caller would hear, the days that it is for, actions if the session may write, and a closed explanation. */
export function answerView(agentId: string, query: AskQuery, trial: Trial, asking: Asking, mayWrite: boolean): Html {
  const { status, heard, dates, dispute, isEmpty, isDegraded } = trial
  const [tone, verdict] = dispute ? ['wait', 'Your documents disagree'] : verdicts[status]
  return html`${isDegraded && html`<p class="notice warn">The meaning of the question wasn’t available in time, so this was found by words only. The same can happen in a call.</p>`}
<section class="answer panel" aria-label="Answer"><p class="state ${tone}">${verdict}</p>
${dates.length > 0 && daysView(dates, asking)}
${isEmpty && html`<p>These words are said in every call, so there is nothing to search for.</p>`}
${dispute ? disputeView(agentId, dispute) : heard && heardView(agentId, heard)}
<div class="actions">${mayWrite && !isEmpty && actionsView(agentId, query.q, trial, asking)}${heard && !dispute && html`<button type="button" class="quiet" data-speak hidden>${icon('speaker')} Hear it</button>`}</div></section>
${whyView(agentId, query, trial)}`
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
    (statement) => html`<li>${statementView(agentId, `“${statement.document_title}”`, statement)}</li>`,
  )}</ul>`
}

function heardView(agentId: string, { text, source: hit }: NonNullable<Trial['heard']>): Html {
  const { page, heading } = hit.source
  const place = [typeof page === 'number' ? `page ${page}` : page, heading].filter(Boolean)
  const language = languageOf(`${hit.document_title} ${text}`)?.code
  return html`<blockquote id="heard"${language && html` lang="${language}"`}>${text}</blockquote>
<p class="hint">From <a href="${passagePath(agentId, hit.document_id, hit.chunk_index)}">${hit.document_title}</a>${place.length > 0 && `, ${place.join(', ')}`}</p>`
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
  const check = { question, expected: source?.document_id ?? 'nothing', words, value: valued, as_of: at }
  const keep = html`<form method="post" action="${checksPage(agentId)}/new">${Object.entries({ ...check, within: 3, on_failure: 'block' }).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}
<button${status !== 'found' && html` class="plain"`}>${status === 'nothing' ? 'Right, it has no answer' : 'Right, keep it'}</button></form>`
  // Any other text may be about something else.
  const correct = source &&
    (status === 'found' || dispute) && ['Correct it', correctionPath(agentId, source, question, at)]
  const add = status !== 'found' && ['Add an answer', newDocumentPath(agentId, question, 'ask')]
  const ways = [add, correct].flatMap((way) => (way ? [way] : []))
  const links = ways.map(
    ([name, path]) => html`<a class="button${name !== 'Add an answer' && ' plain'}" href="${path}">${name}</a> `,
  )
  return html`${status === 'found' ? [keep, links] : [links, keep]}`
}

const modes = {
  hybrid: 'By words and meaning, like your agent',
  semantic: 'By meaning only',
  keyword: 'By words only',
}

function whyView(agentId: string, { q, at, mode }: AskQuery, { words, passages, milliseconds }: Trial): Html {
  const shown = (milliseconds: number) => milliseconds.toFixed(milliseconds < 10 ? 1 : 0)
  const sought = words.map(
    ({ text, isKnown }, i) =>
      html`${i > 0 && ', '}<b>${text}</b>${!isKnown && html` <span class="fault">(in no document)</span>`}`,
  )
  return html`<details class="why"${mode !== 'hybrid' && html` open`}><summary>Why?</summary>
<p class="sought">${sought.length > 0 && html`Searched for ${sought}. `}${counted(passages.length, 'part')} found in ${shown(milliseconds.total)} ms: ${shown(milliseconds.embed)} ms for the meaning of the question, ${shown(milliseconds.db)} ms in the database.</p>
<ul class="choices">${searchModes.map((each) => html`<li><a href="${askPath(agentId, { q, at, mode: each })}"${each === mode && html` aria-current="true"`}>${modes[each]}</a></li>`)}</ul>
<ol class="hits">${passages.map((passage) => html`<li class="hit panel">${passageView(agentId, words, passage)}</li>`)}</ol></details>`
}

/** The minimum likenesses at which people call a passage close, or somewhat close, in meaning to a question. */
const closeLikeness = 0.6
const someLikeness = 0.3

function passageView(
  agentId: string,
  sought: SoughtWord[],
  { hit, likeness, presences }: Trial['passages'][number],
): Html {
  const terms = new Set(sought.flatMap(({ terms }) => [...terms]))
  const headings = headingsOf(hit)
  const marking = (text: string): Marked => ({ text, places: placesOf(terms, text) })
  const marked = (text: string) => markedSlice(marking(text), { start: 0, end: text.length })
  const scores = { Score: hit.score, 'By words': hit.scores.keyword, 'By meaning (cosine)': hit.scores.semantic }
  const meaning =
    likeness === undefined || likeness < someLikeness
      ? 'Different'
      : likeness < closeLikeness
        ? 'Somewhat close'
        : 'Close'
  return html`<header><h2><a href="${passagePath(agentId, hit.document_id, hit.chunk_index)}">${marked(hit.document_title)}</a></h2></header>
${headings.length > 0 && html`<p class="headings">${headings.map((heading, i) => html`${i > 0 && ' › '}${marked(heading)}`)}</p>`}
${markedText(marking(hit.content))}
<ul class="has">${sought.map(({ text }, i) => presenceView(text, presences[i]!))}${likeness !== undefined && html`<li>${meaning} in meaning</li>`}</ul>
<details class="exact"><summary>Exact scores</summary><dl>${Object.entries(scores).map(
    ([name, score]) => html`<div><dt>${name}</dt><dd>${score === null ? 'not compared' : score.toFixed(4)}</dd></div>`,
  )}</dl></details>`
}

function presenceView(word: string, presence: Presence): Html {
  if (presence === 'whole')
    return html`<li class="whole">${icon('check')} <span class="unseen">has “${word}”</span><span aria-hidden="true">${word}</span></li>`
  if (presence === 'part') return html`<li class="part">has part of “${word}”</li>`
  return html`<li class="none"><span class="unseen">doesn’t have “${word}”</span><s aria-hidden="true">${word}</s></li>`
}

/** Leaves out the title and the passage's own headings, which are shown anyway. */
function headingsOf({ metadata: { headings }, document_title, content }: Hit): string[] {
  // Clients may store anything under this name.
  const all = Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : []
  const own = new Set([...content.matchAll(/^#{1,6}[ \t]+(.*)$/gm)].map(([, heading]) => heading!.trim()))
  return all.filter((heading, i) => !(i === 0 && heading === document_title) && !own.has(heading))
}
