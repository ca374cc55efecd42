import { BoundedMap } from '../bounded-map.ts'
import { conceptsIn, conceptsOf } from '../embedding/concepts/concepts.ts'
import { stopWords } from '../terms/stop-words.ts'
import { joinedTerms, termsOf } from '../terms/terms.ts'
import { fold, stem } from '../terms/word-forms.ts'
import { unspaced, wordsOf } from '../terms/words.ts'
import { normalForm } from '../text/normal-form.ts'
import { commonWords } from './keyword/common-words.ts'

/** A word of a question or passage. */
export interface ReadWord {
  stem: string
  /** Its terms, and its concepts with a `#`. */
  meanings: readonly string[]
  hasTerms: boolean
  isCommon: boolean
  /** Folded; empty for a stop word and an everyday one. */
  letters: string
}

export interface ReadText {
  words: readonly ReadWord[]
  /** Its codes of several words. */
  codes: readonly string[]
}

/** Later characters are not read. */
const maxCharacters = 8000
/** A caller who asks for a number wants to call it. */
const wordsForNumber = new Set(['number', 'numbers', 'nummer', 'numero'])

const wordsRead = new BoundedMap<string, ReadWord>(50_000)
/** Titles, cells and sentences are read as fast as they are found. */
const minKept = 200
/** The passages of a small agent come again in other questions. */
const textsRead = new BoundedMap<string, ReadText>(4000)

/** Reads a text's words once for all that compares texts. */
export function readText(text: string): ReadText {
  return text.length < minKept ? newText(text) : textsRead.getOrInsertComputed(text, newText)
}

function newText(text: string): ReadText {
  const words = wordsOf(normalForm(text.slice(0, maxCharacters)))
  return { words: words.map(({ text }) => readWord(text)), codes: joinedTerms(words).map(({ text }) => text) }
}

function readWord(text: string): ReadWord {
  return wordsRead.getOrInsertComputed(text, newWord)
}

function newWord(text: string): ReadWord {
  const folded = fold(text)
  const stemmed = stem(folded)
  const terms = termsOf(text)
  const isStopWord = stopWords.has(folded)
  const own = isStopWord ? [] : unspaced.test(folded) ? conceptsIn(folded) : conceptsOf(folded, stemmed)
  const concepts = wordsForNumber.has(folded) ? [...own, 'phone'] : own
  const isCommon = commonWords.has(stemmed)
  return {
    stem: stemmed,
    meanings: [...terms, ...concepts.map((concept) => `#${concept}`)],
    hasTerms: terms.length > 0,
    isCommon,
    letters: isStopWord || isCommon ? '' : folded,
  }
}
