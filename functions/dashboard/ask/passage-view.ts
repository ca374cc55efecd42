import { html } from 'hono/html'
import type { Presence, SoughtWord } from '../../../shared/retrieval/explanation/sought-words.ts'
import type { Hit } from '../../../shared/retrieval/schemas.ts'
import { placesOf } from '../../../shared/terms/term-places.ts'
import { excerptView } from '../excerpt.ts'
import { icon } from '../icons.ts'
import type { Html } from '../layout.ts'
import { type Marked, markedSlice } from '../passage-text.ts'
import { passagePath } from '../paths.ts'
import { words } from '../words.ts'
import type { Passage } from './trial.ts'

const w = words.ask

/** Likenesses at which a person would call a passage close in meaning to a question, or somewhat close. */
const closeLikeness = 0.6
const someLikeness = 0.3

export function passageView(agentId: string, sought: SoughtWord[], { hit, likeness, presences }: Passage): Html {
  const terms = new Set(sought.flatMap(({ terms }) => [...terms]))
  const headings = headingsOf(hit)
  const address = passagePath(agentId, hit.document_id, hit.chunk_index)
  const marked = (text: string) => whole(marking(text, terms))
  return html`<header><h2><a href="${address}">${marked(hit.document_title)}</a></h2></header>
${headings.length > 0 && html`<p class="headings">${headings.map((heading, i) => html`${i > 0 && ' › '}${marked(heading)}`)}</p>`}
${excerptView(marking(hit.content, terms))}
<ul class="has">${sought.map(({ text }, i) => presenceView(text, presences[i]!))}${
    likeness !== undefined && html`<li class="meaning">${w.meaning[meaningOf(likeness)]}</li>`
  }</ul>
<details class="exact"><summary>Exact scores</summary><dl>${(
    [
      ['Score', hit.score],
      ['By words', hit.scores.keyword],
      ['By meaning (cosine)', hit.scores.semantic],
    ] as const
  ).map(
    ([name, score]) => html`<div><dt>${name}</dt><dd>${score === null ? 'not compared' : score.toFixed(4)}</dd></div>`,
  )}</dl></details>`
}

function whole(marked: Marked): Html {
  return markedSlice(marked, { start: 0, end: marked.text.length })
}

function presenceView(word: string, presence: Presence): Html {
  switch (presence) {
    case 'whole':
      return html`<li class="whole">${icon('check')} <span class="unseen">has “${word}”</span><span aria-hidden="true">${word}</span></li>`
    case 'part':
      return html`<li class="part">has part of “${word}”</li>`
    case 'none':
      return html`<li class="none"><span class="unseen">doesn’t have “${word}”</span><s aria-hidden="true">${word}</s></li>`
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
  const own = new Set([...content.matchAll(/^#{1,6}[ \t]+(.*)$/gm)].map(([, heading]) => heading!.trim()))
  return all.filter((heading, i) => !(i === 0 && heading === document_title) && !own.has(heading))
}

function marking(text: string, terms: ReadonlySet<string>): Marked {
  return { text, places: placesOf(terms, text) }
}
