import { type ReadText, readText } from './read-text.ts'

/** How much of a question the first found text has. */
export interface Coverage {
  /** The share of them that the text has, as a word or a concept, 0 to 1; one that fewer texts have weighs more. */
  share: number
  /** The weight of the question's concepts that the text has, 0 to 2. */
  concepts: number
}

const maxConcepts = 2

/** @param texts the parts of each text, such as its title; best first, at least one: the others tell which words are rare */
export function coverageOf(question: string, texts: readonly (readonly string[])[]): Coverage {
  const asked = readText(withSpelledWords(question))
  const words = asked.words.filter(({ hasTerms }) => hasTerms)
  const found = texts.map((parts) => parts.map(readText))
  const has = (meanings: readonly string[], parts = found[0]!) => hasAny(meanings, parts)
  const rarity = (meanings: readonly string[]) => {
    const having = found.filter((text) => has(meanings, text)).length
    return Math.log(1 + (texts.length - having + 0.5) / (having + 0.5))
  }
  const sum = (all: readonly (readonly string[])[]) => all.reduce((weight, meanings) => weight + rarity(meanings), 0)
  const met = sum(words.map(({ meanings }) => meanings).filter((each) => has(each)))
  const missing = sum(words.flatMap(({ meanings, isCommon }) => (isCommon || has(meanings) ? [] : [meanings])))
  const concepts = [...asked.meanings].filter((each) => each.startsWith('#') && has([each])).map((each) => [each])
  const share = met + missing > 0 ? met / (met + missing) : 0.5
  return { share, concepts: Math.min(maxConcepts, sum(concepts)) }
}

/** True if a text has each word of a question that is not an everyday one, as a word or a concept. @param parts of the text, such as its title */
export function hasAllWords(question: string, parts: readonly string[]): boolean {
  const texts = parts.map(readText)
  return readText(withSpelledWords(question)).words.every(
    ({ meanings, isCommon, hasTerms }) => isCommon || !hasTerms || hasAny(meanings, texts),
  )
}

/** Tells whether a part has one of a word's meanings. */
function hasAny(meanings: readonly string[], parts: readonly ReadText[]): boolean {
  return meanings.some((each) => parts.some((part) => part.meanings.has(each) || part.signs.includes(each)))
}

const spelled = /(?<![\p{L}\p{N}])\p{L}(?:[ .-]{1,2}\p{L}(?![\p{L}\p{N}])){2,}/gu

/** Letters that are said one by one are a word: "N O V A K", "n. o. v. a. k." */
function withSpelledWords(question: string): string {
  return question.replace(spelled, (letters) => letters.replaceAll(/[ .-]/g, ''))
}
