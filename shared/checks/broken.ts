import type { FoundPassage } from '../retrieval/found.ts'
import { termsIn } from '../terms/terms.ts'
import { hasValue, normalized, type Result } from './check.ts'

/** A check that a change would break. */
export interface Broken {
  golden_question_id: string
  question: string
  blocks: boolean
  /** The moment from which it would fail; null for at once. */
  as_of: string | null
  /** The sentence that answered it; null if no passage should. */
  lost: string | null
  /** The passage that would come first instead; null if there is none. */
  instead: { document_title: string; text: string } | null
  /** The texts of the expected value and of the one that would come instead, null for none; null unless the value makes it fail. */
  value: { lost: string | null; instead: string | null } | null
}

export function toBroken({ question, hits, rank, value }: Result, after: Result, moment?: Date): Broken {
  const [first] = after.hits
  const answer = rank === null ? undefined : hits[rank - 1]
  return {
    golden_question_id: question.id,
    question: question.question,
    blocks: question.on_failure === 'block',
    as_of: moment?.toISOString() ?? null,
    lost: answer ? bestSentence(answer, question) : null,
    instead: first ? { document_title: first.document_title, text: bestSentence(first, question) } : null,
    value: hasValue(question, after.value) ? null : { lost: value, instead: after.value },
  }
}

const maxSentence = 200

/** The sentence or row that has the expected words, or else most words of the question. */
function bestSentence({ content }: FoundPassage, { question, words }: Result['question']): string {
  const sentences = content.split(/(?<=[.!?。！？])\s+|\n+/).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
  const terms = new Set(termsIn(question))
  const has = (sentence: string) => words !== null && normalized(sentence).includes(normalized(words))
  const overlap = (sentence: string) => termsIn(sentence).filter((term) => terms.has(term)).length
  const best = sentences.find(has) ?? sentences.toSorted((a, b) => overlap(b) - overlap(a))[0] ?? content
  return shortened(best.trim())
}

const maxNamed = 5
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** Names up to five questions, each with the sentence that it found and the one that it would find. The dashboard shows it too. */
export function inWords(broken: readonly Broken[]): string {
  const count = broken.length === 1 ? '1 question' : `${broken.length} questions`
  const listed = broken.slice(0, maxNamed).map(({ question, lost, instead, value, as_of }) => {
    const comes = instead ? `“${instead.text}” in “${instead.document_title}”` : 'nothing'
    const went = lost === null ? '' : ` instead of “${lost}”`
    const finds = value
      ? `answer ${valueText(value.instead)} instead of ${valueText(value.lost)}`
      : `find ${comes}${went}`
    return `“${shortened(question)}” would ${finds}${as_of ? ` as of ${times.format(new Date(as_of))} UTC` : ''}`
  })
  const more = broken.length > maxNamed ? [`and ${broken.length - maxNamed} more`] : []
  return `The change would make ${count} fail: ${[...listed, ...more].join('; ')}.`
}

/** A value in a sentence. */
export function valueText(text: string | null): string {
  return text === null ? 'no value' : `“${shortened(text)}”`
}

function shortened(text: string): string {
  return text.length > maxSentence ? `${text.slice(0, maxSentence).toWellFormed()}…` : text
}
