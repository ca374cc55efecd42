import { BoundedMap } from '../bounded-map.ts'
import { beginsPair, conceptsIn, conceptsOf, conceptsOfPair } from '../embedding/concepts/concepts.ts'
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

/** Concepts that a text has without a word for them. */
const signs: readonly [RegExp, string][] = [
  [/(?:\d[ ()/-]{0,2}){9}/, '#phone'],
  [/[€$£¥]/, '#price'],
  [/\d[:h]\d\d(?!\d)/, '#open'],
  [/\S@\S/, '#mail'],
]

/** Later characters are not read. */
const maxCharacters = 8000
/** A caller who asks for a number wants to call it. */
const wordsForNumber = new Set(['number', 'numbers', 'nummer', 'numero'])

const wordsRead = new BoundedMap<string, ReadWord>(50_000)
/** Titles, headings, cells and sentences. */
const maxShort = 200
const shortRead = new BoundedMap<string, ReadText>(20_000)
/** The passages of a small agent come again in other questions. */
const passagesRead = new BoundedMap<string, ReadText>(4000)

/** Reads a text's words once for all that compares texts. */
export function readText(text: string): ReadText {
  return (text.length < maxShort ? shortRead : passagesRead).getOrInsertComputed(text, () => new ReadText(text))
}

/** A text whose words are read. What few comparisons need of it is made when it is first needed. */
export class ReadText {
  readonly words: readonly ReadWord[]
  /** Its codes of several words. */
  readonly codes: readonly string[]
  readonly #text: string
  #line: string | undefined
  #letters: string | undefined
  #forms: ReadonlySet<string> | undefined
  #meanings: ReadonlySet<string> | undefined
  #signs: readonly string[] | undefined

  constructor(text: string) {
    const words = wordsOf(normalForm(text.slice(0, maxCharacters)))
    this.#text = text
    this.words = words.map(({ text }) => readWord(text))
    this.codes = joinedTerms(words).map(({ text }) => text)
  }

  /** The text with one space for each white space. */
  get line(): string {
    this.#line ??= this.#text.replaceAll(/\s+/g, ' ').trim()
    return this.#line
  }

  /** The letters of its words, without those of stop words and everyday ones. */
  get letters(): string {
    this.#letters ??= this.words.map(({ letters }) => letters).join('')
    return this.#letters
  }

  /** The stems of its words, fillers too, and its codes of several words. */
  get forms(): ReadonlySet<string> {
    this.#forms ??= new Set([...this.words.map(({ stem }) => stem), ...this.codes])
    return this.#forms
  }

  /** Its words' terms, and the concepts of its words with a `#`. */
  get meanings(): ReadonlySet<string> {
    this.#meanings ??= meaningsOf(this.words)
    return this.#meanings
  }

  /** Its concepts without a word for them, with a `#`. */
  get signs(): readonly string[] {
    this.#signs ??= signs.filter(([sign]) => sign.test(this.#text)).map(([, concept]) => concept)
    return this.#signs
  }
}

function meaningsOf(words: readonly ReadWord[]): ReadonlySet<string> {
  const has = new Set<string>()
  for (const [i, word] of words.entries()) {
    for (const meaning of word.meanings) has.add(meaning)
    for (const before of words.slice(Math.max(0, i - 2), i))
      if (beginsPair(before.stem)) for (const concept of conceptsOfPair(before.stem, word.stem)) has.add(`#${concept}`)
  }
  return has
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
