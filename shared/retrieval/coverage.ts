import { BoundedMap } from '../bounded-map.ts'
import { beginsPair, conceptsOfPair } from '../embedding/concepts/concepts.ts'
import { type ReadWord, readText } from './read-text.ts'

/** How much of a question the first found text has. */
export interface Coverage {
  /** The number of the question's words that are not stop words. */
  words: number
  /** The share of them that the text has, as a word or a concept, 0 to 1; one that fewer texts have weighs more. */
  share: number
  /** The weight of the question's concepts that the text has, 0 to 2. */
  concepts: number
}

/** Concepts that a text has without a word for them. */
const signs: readonly [RegExp, string][] = [
  [/(?:\d[ ()/-]{0,2}){9}/, '#phone'],
  [/[€$£¥]/, '#price'],
  [/\d[:h]\d\d(?!\d)/, '#open'],
  [/\S@\S/, '#mail'],
]
const maxConcepts = 2

/** @param texts the parts of each text, such as its title; best first, at least one: the others tell which words are rare */
export function coverageOf(question: string, texts: readonly (readonly string[])[]): Coverage {
  const asked = new Set<string>()
  const words = readMeanings(withSpelledWords(question), (meaning) => asked.add(meaning)).filter(
    ({ hasTerms }) => hasTerms,
  )
  const found = texts.map((parts) => parts.map(meaningsIn))
  const has = (meanings: readonly string[], parts = found[0]!) =>
    meanings.some((each) => parts.some((part) => part.has(each)))
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

/** @returns the text's words @param see called with each term, and with each concept with a `#` */
export function readMeanings(text: string, see: (meaning: string) => void): readonly ReadWord[] {
  const { words } = readText(text)
  for (const [i, word] of words.entries()) {
    for (const meaning of word.meanings) see(meaning)
    for (const before of words.slice(Math.max(0, i - 2), i))
      if (beginsPair(before.stem)) for (const concept of conceptsOfPair(before.stem, word.stem)) see(`#${concept}`)
  }
  return words
}
