import { html } from 'hono/html'
import type { Presence, SoughtWord } from '../../../shared/retrieval/explanation/sought-words.ts'
import type { Hit } from '../../../shared/retrieval/schemas.ts'
import { placesOf, type Range } from '../../../shared/terms/term-places.ts'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { type Marked, markedSlice, passageText, wholeRows } from '../passage-text.ts'
import { words } from '../words.ts'
import type { Passage } from './trial.ts'

const w = words.ask

/** Likenesses at which a person would call a passage close in meaning to a question, or somewhat close. */
const closeLikeness = 0.6
const someLikeness = 0.3

const stateOf = { good: 'good', possible: 'wait', weak: '' } as const

export function passageView(
  agentId: string,
  sought: SoughtWord[],
  { hit, strength, likeness, presences }: Passage,
): Html {
  const terms = new Set(sought.flatMap(({ terms }) => [...terms]))
  const headings = headingsOf(hit)
  const number = hit.chunk_index + 1
  const address = `${agentPage(agentId, 'documents')}/${hit.document_id}?passage=${number}#passage-${number}`
  const marked = (text: string) => whole(marking(text, terms))
  const passage = marking(hit.content, terms)
  const excerpt = excerptRange(passage)
  const isWhole = excerpt.start === 0 && excerpt.end === hit.content.length
  const shown = (range: Range) => passageText(passage.text, range, (part) => markedSlice(passage, part))
  return html`<header><h2><a href="${address}">${marked(hit.document_title)}</a></h2><span class="state ${stateOf[strength]}">${words.strengths[strength]}</span></header>
${headings.length > 0 && html`<p class="headings">${headings.map((heading, i) => html`${i > 0 && ' › '}${marked(heading)}`)}</p>`}
<div class="said${excerpt.start > 0 && ' goes-before'}${excerpt.end < hit.content.length && ' goes-on'}">${shown(excerpt)}</div>
${!isWhole && html`<details><summary>${w.whole}</summary><div class="said">${shown({ start: 0, end: hit.content.length })}</div></details>`}
<ul class="has">${sought.map(({ text }, i) => presenceView(text, presences[i]!))}${
    likeness !== undefined && html`<li class="meaning">${w.meaning[meaningOf(likeness)]}</li>`
  }</ul>
<details class="exact"><summary>${w.exact}</summary><dl>${(
    [
      [w.score, hit.score],
      [w.byWords, hit.scores.keyword],
      [w.byMeaning, hit.scores.semantic],
    ] as const
  ).map(
    ([name, score]) => html`<div><dt>${name}</dt><dd>${score === null ? w.notCompared : score.toFixed(4)}</dd></div>`,
  )}</dl></details>`
}

function whole(marked: Marked): Html {
  return markedSlice(marked, { start: 0, end: marked.text.length })
}

function presenceView(word: string, presence: Presence): Html {
  switch (presence) {
    case 'whole':
      return html`<li class="whole">${icon('check')} <span class="unseen">${w.has(word)}</span><span aria-hidden="true">${word}</span></li>`
    case 'part':
      return html`<li class="part">${w.hasPart(word)}</li>`
    case 'none':
      return html`<li class="none"><span class="unseen">${w.lacks(word)}</span><s aria-hidden="true">${word}</s></li>`
  }
}

function meaningOf(likeness: number): keyof typeof w.meaning {
  if (likeness >= closeLikeness) return 'close'
  return likeness >= someLikeness ? 'some' : 'far'
}

/** Leaves out what is shown beside it: the title, and headings in the passage itself. */
function headingsOf({ metadata: { headings }, document_title, content }: Hit): string[] {
  // Whoever uploads chunks may keep anything under this name.
  const all = Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : []
  const own = new Set([...content.matchAll(/^#{1,6}\s+(.*?)\s*$/gm)].map(([, heading]) => heading))
  return all.filter((heading, i) => !(i === 0 && heading === document_title) && !own.has(heading))
}

function marking(text: string, terms: ReadonlySet<string>): Marked {
  return { text, places: placesOf(terms, text) }
}

const maxCharacters = 700
const before = 160

/** The part of a text to show at first: where most marks are, with whole rows of tables. The whole of a short text. */
function excerptRange({ text, places }: Marked): Range {
  if (text.length <= maxCharacters * 1.3) return { start: 0, end: text.length }
  const starts = [0, ...places.map(({ start }) => lineStart(text, Math.max(0, start - before)))]
  const marksFrom = (start: number) =>
    places.filter((place) => place.start >= start && place.end <= start + maxCharacters).length
  const start = starts.reduce((best, start) => (marksFrom(start) > marksFrom(best) ? start : best))
  return wholeRows(text, { start, end: wordEnd(text, start + maxCharacters) })
}

function lineStart(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at) + 1
  if (at - line <= before) return line
  const next = text.slice(at, at + before).search(/\s/)
  return next < 0 ? line : at + next + 1
}

/** The next white space, if one is near: a text without spaces is cut anywhere but in a pair of surrogates. */
function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length
  const ahead = text.slice(at, at + before).search(/\s/)
  if (ahead >= 0) return at + ahead
  return /[\udc00-\udfff]/.test(text[at]!) ? at + 1 : at
}
