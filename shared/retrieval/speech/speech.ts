import { withoutMarks } from '../../text/plain-line.ts'
import { readText } from '../read-text.ts'
import type { Value } from '../schemas.ts'
import type { PassageTable } from '../tables.ts'
import { languageOf } from './languages.ts'
import { ended, sentencesOf } from './sentences.ts'

const maxSampled = 600
/** Longer passages are a client’s own. */
const maxRead = 16_000
const valueWeight = 100

/** A passage as it would be said, within `maxCharacters`: the sentences around the best one, or around the value if the passage has it. */
export function spokenPassage(
  queries: readonly string[],
  hit: PassageTable['hit'],
  value: Value | null,
  maxCharacters = 600,
): string {
  const content = hit.content.slice(0, maxRead)
  const speak =
    languageOf(`${queries[0] ?? ''} ${hit.document_title} ${content.slice(0, maxSampled)}`)?.speak ?? asWritten
  const sentences = sentencesOf(content)
  const valueTexts = value?.chunk_id === hit.chunk_id ? [value.row.at(-1) ?? '', value.text] : undefined
  const weights = weightsOf(queries, sentences).map((weight, i) =>
    valueTexts?.every((text) => sentences[i]!.includes(text)) ? weight + valueWeight : weight,
  )
  const [from, to] = around(sentences, weights, maxCharacters)
  const said = speak(withoutMarks(sentences.slice(from, to).join('\n')))
    .split('\n')
    .map(ended)
  return cut(said.slice(...around(said, weights.slice(from, to), maxCharacters)).join(' '), maxCharacters)
}

/** The text that a caller would hear and its passage: the value, or the best sentences of the first passage. Undefined without passages. */
export function heardOf<P extends PassageTable['hit']>(
  question: string,
  passages: readonly P[],
  value: Value | null,
  maxCharacters?: number,
): { text: string; source: P } | undefined {
  const said = saidOf(passages, value)
  const source = (said && passages.find(({ chunk_id }) => chunk_id === value?.chunk_id)) || passages[0]
  return source && { text: said ?? (source.content && spokenPassage([question], source, value, maxCharacters)), source }
}

/** The beginning of an answer with these hits: “Large, Diavola: £14.20”; undefined without hits or a value. */
export function saidOf(hits: readonly unknown[], value: Value | null): string | undefined {
  if (!value || hits.length === 0) return undefined
  return `${[...value.column, ...value.row].join(', ')}: ${value.text}`
}

/** The sentence with most of the questions’ words and concepts, rarer ones first. Undefined without sentences. */
export function heaviest(questions: readonly string[], sentences: readonly string[]): string | undefined {
  const weights = weightsOf(questions, sentences)
  return sentences[weights.indexOf(Math.max(...weights))]
}

const asWritten = (text: string) => text

/** The weight of each sentence: the questions’ words and concepts that it has, of which rarer ones weigh more. */
function weightsOf(queries: readonly string[], sentences: readonly string[]): number[] {
  const asked = new Set(queries.flatMap((query) => [...readText(query).meanings]))
  const having = sentences.map((sentence) => [...readText(sentence).meanings].filter((meaning) => asked.has(meaning)))
  const counts = new Map<string, number>()
  for (const has of having) for (const meaning of has) counts.set(meaning, (counts.get(meaning) ?? 0) + 1)
  return having.map((has) =>
    has.reduce((sum, meaning) => sum + Math.log(1 + sentences.length / counts.get(meaning)!), 0),
  )
}

/** The range of the best sentence and as many neighbours as fit; at each step the better neighbour is added. */
function around(
  sentences: readonly string[],
  weights: readonly number[],
  maxCharacters: number,
): [from: number, to: number] {
  const best = Math.max(0, weights.indexOf(Math.max(...weights)))
  let [from, to] = [best, best + 1]
  let length = sentences[best]?.length ?? 0
  while (from > 0 || to < sentences.length) {
    const isNext = to < sentences.length && (from === 0 || weights[to]! >= weights[from - 1]!)
    length += 1 + sentences[isNext ? to : from - 1]!.length
    if (length > maxCharacters) break
    if (isNext) to++
    else from--
  }
  return [from, to]
}

/** A sentence that is too long ends with a part of it, or a word. */
function cut(sentence: string, maxCharacters: number): string {
  if (sentence.length <= maxCharacters) return sentence
  const start = sentence.slice(0, maxCharacters)
  const end = Math.max(start.lastIndexOf(', '), start.lastIndexOf('; '))
  const word = start.lastIndexOf(' ')
  return start.slice(0, end > maxCharacters / 2 ? end : word > 0 ? word : maxCharacters).toWellFormed()
}
