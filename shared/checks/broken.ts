import type { FoundPassage } from '../retrieval/found.ts'
import { paragraphsOf } from '../retrieval/speech/sentences.ts'
import { heaviest } from '../retrieval/speech/speech.ts'
import { type Check, hasValue, hasWords, type Result, withoutSigns } from './check.ts'

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
  /** The check, and what answers it without the change and with it. Only screens show them: the API leaves them out. */
  compared: { check: Check; before: Answer; after: Answer }
}

export interface Answer {
  /** Undefined if nothing answers. */
  passage: Pick<FoundPassage, 'document_id' | 'document_title' | 'content'> | undefined
  value: string | null
}

export function toBroken(before: Result, after: Result, moment?: Date): Broken {
  const { question, hits, rank, value } = before
  const [first] = after.hits
  const answer = rank === null ? undefined : hits[rank - 1]
  const was = question.expects_nothing ? { passage: undefined, value: null } : answerOf(before)
  return {
    golden_question_id: question.id,
    question: question.question,
    blocks: question.on_failure === 'block',
    as_of: moment?.toISOString() ?? null,
    lost: answer ? bestSentence(answer, question) : null,
    instead: first ? { document_title: first.document_title, text: bestSentence(first, question) } : null,
    value: hasValue(question, after.value) ? null : { lost: value, instead: after.value },
    compared: { check: question, before: was, after: answerOf(after, was.passage?.document_id) },
  }
}

/** What answers a check: the expected passage, or else the one with the value, of this document if it has any. */
export function answerOf({ question, hits, rank, value }: Result, documentId?: string): Answer {
  const own = hits.slice(0, question.within).filter(({ document_id }) => document_id === documentId)
  const valued = (some: FoundPassage[]) => some.find(({ content }) => value !== null && hasWords(content, value))
  return { passage: hits[(rank ?? 0) - 1] ?? valued(own) ?? own[0] ?? valued(hits) ?? hits[0], value }
}

const maxSentence = 200

/** The sentence or row that has the expected words, or else most of what the question says. */
export function bestSentence({ content }: { content: string }, { question, words }: Pick<Check, 'question' | 'words'>) {
  const sentences = sentencesIn(content)
  const having = words === null ? undefined : sentences.find((sentence) => hasWords(sentence, words))
  return shortened(having ?? heaviest([question, words ?? ''], sentences) ?? content.trim())
}

const maxWords = 1000

/** The words of a text that answer a question, for a check that expects them: a sentence, or a row of a table. */
export function answeringWords(question: string, content: string): string {
  const said = heaviest([question], sentencesIn(content)) ?? ''
  const words = hasWords(content, said) ? said : answeringLine(question, content)
  const plain = withoutSigns(words).replaceAll(/\s+/g, ' ')
  return [...plain.trim()].slice(0, maxWords).join('').trim()
}

/** The line of a text with most of the question's words; empty without one. A line above a table's rule only heads its columns. */
export function answeringLine(question: string, content: string): string {
  const isRule = (line = '') => /^[\s|:-]+$/.test(line)
  const lines = content
    .split('\n')
    .filter((line, i, lines) => /[\p{L}\p{N}]/u.test(line) && !isRule(lines[i + 1] || '…'))
  return heaviest([question], lines) ?? ''
}

/** The sentences that are no headings; the headings if there are no others. */
function sentencesIn(content: string): string[] {
  const paragraphs = paragraphsOf(content)
  const body = paragraphs.filter(({ isHeading }) => !isHeading)
  return (body.length > 0 ? body : paragraphs).flatMap(({ sentences }) => sentences)
}

const maxNamed = 5
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** Names up to five questions, each with the sentence that it found and the one that it would find. */
export function inWords(broken: readonly Broken[]): string {
  const count = broken.length === 1 ? '1 question' : `${broken.length} questions`
  const listed = broken.slice(0, maxNamed).map(({ question, lost, instead, value, as_of, compared }) => {
    const comes = instead ? `“${instead.text}” in “${instead.document_title}”` : 'nothing'
    const nothing = compared.check.expects_nothing ? ', though nothing should answer it' : ''
    const went = lost === null ? nothing : ` instead of “${lost}”`
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
