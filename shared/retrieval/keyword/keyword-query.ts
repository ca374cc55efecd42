import { BoundedMap } from '../../bounded-map.ts'
import { conceptsOf } from '../../embedding/concepts/concepts.ts'
import { stopWords } from '../../terms/stop-words.ts'
import { joinedTerms, soundsOf, termsOf } from '../../terms/terms.ts'
import { fold, stem } from '../../terms/word-forms.ts'
import { unspaced, type Word, wordsOf } from '../../terms/words.ts'
import { normalForm } from '../../text/normal-form.ts'
import { commonWords } from './common-words.ts'
import { readings } from './spoken/readings.ts'

/** A question to be matched with chunks: groups of words, each in one of several ways (spelling, reading, sound) of one or more terms. */
export interface KeywordQuery {
  entries: Entry[]
  /** True for a group without which a chunk answers less of the question. */
  required: boolean[]
  terms: string[]
  /** The keyword arm's share of a hybrid score if the agent has all words of the question. */
  weight: number
  /** The words of the question that each group stands for, [from, to). */
  spans: Range[]
}

/** A term of one of the ways of a group. */
interface Entry {
  group: number
  way: number
  /** The index in `terms`. */
  slot: number
  weight: number
  /** True if the way counts only when no chunk of the agent matches the group in another. */
  isFallback: boolean
}

interface Range {
  from: number
  to: number
}

/** A question's later terms rarely matter, and each costs a search time. */
const maxTerms = 31

/** The weight of a code, relative to a word that is as rare. */
export const codeWeight = 3
const partWeight = 0.5
export const wordsShare = 0.6
/** Pairs of characters are often not words. */
const pairsShare = 0.1
const soundWeight = 0.5
const joinedSoundWeight = 0.4
/** A word's sounds, likeliest first: each costs a search time. */
const maxSounds = 2

/** A question with so many words has used all terms long before. */
const maxWords = 200
/** Words whose readings overlap, of which each way has all. */
const maxGroup = 64

interface Way {
  terms: { term: string; weight: number }[]
  isFallback: boolean
}
interface Group extends Range {
  ways: Way[]
  isRequired: boolean
}
interface Span extends Range {
  terms: string[]
  weight?: number
}

/** A search that waits for its vector reads a question twice, and the caller's next question has it as history. */
const recent = new BoundedMap<string, KeywordQuery | undefined>(200)

/** Reads a query. Returns undefined if it has only stop words. */
export function keywordQuery(query: string): KeywordQuery | undefined {
  return recent.getOrInsertComputed(query, toKeywordQuery)
}

function toKeywordQuery(query: string): KeywordQuery | undefined {
  const words = wordsOf(normalForm(query)).slice(0, maxWords)
  const slotOf = new Map<string, number>()
  const found: Omit<KeywordQuery, 'terms' | 'weight'> = { entries: [], required: [], spans: [] }
  for (const { ways, isRequired, from, to } of [...groupsOf(words), ...joinedSounds(words)]) {
    const group = found.required.length
    let way = 0
    for (const { terms, isFallback } of ways) {
      const added = new Set(terms.map(({ term }) => term).filter((term) => !slotOf.has(term)))
      if (terms.length === 0 || slotOf.size + added.size > maxTerms) continue
      for (const term of added) slotOf.set(term, slotOf.size)
      for (const { term, weight } of terms)
        found.entries.push({ group, way, slot: slotOf.get(term)!, weight, isFallback })
      way++
    }
    if (way === 0) continue
    found.required.push(isRequired)
    found.spans.push({ from, to })
  }
  if (found.required.length === 0) return undefined
  const terms = [...slotOf.keys()]
  return { ...found, terms, weight: unspaced.test(query) ? pairsShare : wordsShare }
}

function groupsOf(words: Word[]): Group[] {
  const spans: Span[] = [
    ...joinedTerms(words).map(({ from, to, text }) => ({ from, to, terms: [text] })),
    ...spokenSpans(words),
  ]
  const groups: Group[] = []
  for (let from = 0; from < words.length; ) {
    let to = from + 1
    for (let grown = true; grown; ) {
      const reach = Math.max(to, ...spans.filter((span) => span.from >= from && span.from < to).map((span) => span.to))
      grown = reach > to && reach <= from + maxGroup
      if (grown) to = reach
    }
    const literal = words.slice(from, to).map((word) => termsOf(word.text))
    const ownSpans = spans.filter((span) => span.from >= from && span.to <= to)
    const ways =
      to - from === 1 ? waysOfWord(words[from]!.text) : [wayOf(literal.flatMap((terms) => terms.slice(0, 1)))]
    for (const span of ownSpans) {
      const outside = literal.filter((_, i) => from + i < span.from || from + i >= span.to)
      ways.push(wayOf([...span.terms, ...outside.flatMap((terms) => terms.slice(0, 1))], span.weight))
      const parts = span.terms.flatMap((term) => termsOf(term).slice(1))
      if (parts.length > 0) ways.push(wayOf(parts, partWeight))
    }
    groups.push({
      ways,
      from,
      to,
      isRequired: literal.some((terms) => terms.length > 0 && !commonWords.has(terms[0]!)),
    })
    from = to
  }
  return groups
}

function wayOf(terms: string[], weight = 1, isFallback = false): Way {
  return {
    terms: [...new Set(terms)].map((term) => ({ term, weight: isCode(term) ? codeWeight * weight : weight })),
    isFallback,
  }
}

/** A caller who says a code means nothing else. */
export function isCode(term: string): boolean {
  return term.length >= 3 && /\p{N}/u.test(term) && !term.startsWith('~')
}

function waysOfWord(word: string): Way[] {
  const [whole, ...parts] = termsOf(word)
  if (whole === undefined) return []
  const ways = [wayOf([whole])]
  if (parts.length > 0) ways.push(wayOf(parts, partWeight))
  return isOrdinary(word)
    ? ways
    : [
        ...ways,
        ...soundsOf(word)
          .slice(0, maxSounds)
          .map((sound) => wayOf([sound], soundWeight, true)),
      ]
}

/** True if the word is not a name, and so not a misheard one. */
function isOrdinary(word: string): boolean {
  const folded = fold(word)
  const stemmed = stem(folded)
  return stopWords.has(folded) || commonWords.has(stemmed) || conceptsOf(folded, stemmed).length > 0
}

function spokenSpans(words: Word[]): Span[] {
  return readings(words.map((word) => word.text.toLowerCase())).map(({ from, to, text }) => ({
    from,
    to,
    terms: readTerms(text),
    // Who spells a name means nothing else.
    weight: to - from > 1 && /^\p{L}{3,}$/u.test(text) ? codeWeight : 1,
  }))
}

/** A reading's codes and numbers, each as one term. */
function readTerms(text: string): string[] {
  const words = wordsOf(normalForm(text))
  const codes = joinedTerms(words)
  const single = words.filter((_, i) => !codes.some((code) => i >= code.from && i < code.to))
  return [...codes.map(({ text }) => text), ...single.flatMap((word) => termsOf(word.text).slice(0, 1))]
}

/** Two words that may be one misheard name. */
function joinedSounds(words: Word[]): Group[] {
  return words.slice(1).flatMap((word, i) => {
    const before = words[i]!
    if (isOrdinary(before.text) || isOrdinary(word.text)) return []
    const sounds = soundsOf(before.text + word.text).slice(0, maxSounds)
    if (sounds.length === 0) return []
    const ways = sounds.map((sound) => wayOf([sound], joinedSoundWeight, true))
    return [{ ways, from: i, to: i + 2, isRequired: false }]
  })
}
