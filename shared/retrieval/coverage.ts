import { BoundedMap } from '../bounded-map.ts'
import { beginsPair, conceptsIn, conceptsOf, conceptsOfPair } from '../embedding/concepts/concepts.ts'
import { stopWords } from '../terms/stop-words.ts'
import { termsOf } from '../terms/terms.ts'
import { fold, stem } from '../terms/word-forms.ts'
import { forEachWord, unspaced } from '../terms/words.ts'
import { normalForm } from '../text/normal-form.ts'
import { commonWords } from './keyword/common-words.ts'

/** How much of a question the first found text has. */
export interface Coverage {
  /** The number of the question's words that are not stop words. */
  words: number
  /** The share of them that the text has, as a word or a concept, 0 to 1; one that fewer texts have weighs more. */
  share: number
  /** The weight of the question's concepts that the text has, 0 to 2. */
  concepts: number
}

interface MeantWord {
  folded: string
  stem: string
  /** Its terms, and its concepts with a `#`. */
  meanings: readonly string[]
  isStopWord: boolean
  isCommon: boolean
}

/** Concepts that a text has without a word for them. */
const signs: readonly [RegExp, string][] = [
  [/(?:\d[ ()/-]{0,2}){9}/, '#phone'],
  [/[€$£¥]/, '#price'],
  [/\d[:h]\d\d(?!\d)/, '#open'],
  [/\S@\S/, '#mail'],
]
/** A caller who asks for a number wants to call it. */
const wordsForNumber = new Set(['number', 'numbers', 'nummer', 'numero'])
const maxConcepts = 2
/** Later characters are not read. */
const maxCharacters = 8000

/** @param texts best first, at least one; the others tell which words are rare */
export function coverageOf(question: string, texts: readonly string[]): Coverage {
  const asked = new Set<string>()
  const words = readMeanings(withSpelledWords(question), (meaning) => asked.add(meaning)).filter(
    ({ isStopWord }) => !isStopWord,
  )
  const found = texts.map(meaningsIn)
  const has = (meanings: readonly string[], text = found[0]!) => meanings.some((each) => text.has(each))
  const rarity = (meanings: readonly string[]) => {
    const having = found.filter((text) => has(meanings, text)).length
    return Math.log(1 + (texts.length - having + 0.5) / (having + 0.5))
  }
  const sum = (all: readonly (readonly string[])[]) => all.reduce((weight, meanings) => weight + rarity(meanings), 0)
  const met = sum(words.map(({ meanings }) => meanings).filter((each) => has(each)))
  const missing = sum(words.flatMap(({ meanings, isCommon }) => (isCommon || has(meanings) ? [] : [meanings])))
  const concepts = [...asked].filter((each) => each.startsWith('#') && has([each])).map((each) => [each])
  const share = met + missing > 0 ? met / (met + missing) : 0.5
  return { words: words.length, share, concepts: Math.min(maxConcepts, sum(concepts)) }
}

const spelled = /(?<![\p{L}\p{N}])\p{L}(?:[ .-]{1,2}\p{L}(?![\p{L}\p{N}])){2,}/gu

/** Letters that are said one by one are a word: "N O V A K", "n. o. v. a. k." */
function withSpelledWords(question: string): string {
  return question.replace(spelled, (letters) => letters.replaceAll(/[ .-]/g, ''))
}

/** The passages of a small agent come again in other questions. */
const textsRead = new BoundedMap<string, ReadonlySet<string>>(4000)

/** All that a text means: its words' terms, and concepts with a `#`. */
export function meaningsIn(text: string): ReadonlySet<string> {
  return textsRead.getOrInsertComputed(text, () => {
    const has = new Set<string>()
    readMeanings(text, (meaning) => has.add(meaning))
    for (const [sign, concept] of signs) if (sign.test(text)) has.add(concept)
    return has
  })
}

export function readMeanings(text: string, see: (meaning: string) => void): MeantWord[] {
  const words: MeantWord[] = []
  forEachWord(normalForm(text.slice(0, maxCharacters)), (each) => {
    const word = wordsRead.getOrInsertComputed(each, toMeantWord)
    for (const meaning of word.meanings) see(meaning)
    for (const before of words.slice(-2))
      if (beginsPair(before.stem)) for (const concept of conceptsOfPair(before.stem, word.stem)) see(`#${concept}`)
    words.push(word)
  })
  return words
}

const wordsRead = new BoundedMap<string, MeantWord>(50_000)

function toMeantWord(text: string): MeantWord {
  const folded = fold(text)
  const stemmed = stem(folded)
  const terms = termsOf(text)
  const own = stopWords.has(folded) ? [] : unspaced.test(folded) ? conceptsIn(folded) : conceptsOf(folded, stemmed)
  const concepts = wordsForNumber.has(folded) ? [...own, 'phone'] : own
  return {
    folded,
    stem: stemmed,
    meanings: [...terms, ...concepts.map((concept) => `#${concept}`)],
    isStopWord: terms.length === 0,
    isCommon: commonWords.has(stemmed),
  }
}
