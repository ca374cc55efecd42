import { fold } from './folding.ts'
import { hashOf } from './hashing.ts'
import { phoneticCodes } from './phonetic.ts'
import { stem } from './stemming.ts'
import { stopWords } from './stop-words.ts'
import { unspaced } from './words.ts'

/** What a word is found by: a text and a question meet in equal terms. Empty for a stop word. */
export function termsOf(word: string): string[] {
  const folded = fold(word)
  if (stopWords.has(folded)) return []
  if (unspaced.test(folded)) return characterPairs(folded)
  const parts = (folded.match(/\p{N}+|[^\p{N}]+/gu) ?? []).filter(isTelling)
  if (parts.length === 0) return []
  return /\p{N}/u.test(folded) && folded !== parts[0] ? [folded, ...parts] : [stem(folded)]
}

/** A letter by itself is a part of a code or of a contraction, and stands in every text. */
function isTelling(part: string): boolean {
  return part.length > 1 || !/[a-z]/.test(part)
}

/**
 * Overlapping pairs of characters (as Lucene's CJKBigramFilter): where a dictionary would cut depends on what stands around a
 * word, and a question would miss the text.
 */
function characterPairs(word: string): string[] {
  const characters = [...word]
  const pairs = characters.length === 1 ? characters : characters.slice(1).map((next, i) => characters[i]! + next)
  return pairs.filter((pair) => !stopWords.has(pair))
}

/** The term of words that form one code or number, whatever stands between them. */
export function joinedTerm(words: readonly string[]): string {
  return words.map(fold).join('')
}

/** How a name sounds, apart from terms that are spelt so. */
export function soundsOf(word: string): string[] {
  return phoneticCodes(fold(word)).map((code) => `~${code}`)
}

/** Terms are kept as numbers: two of the 20,000 words of a large agent share one in one case of 5,000. */
export const termCount = 100_000_000

/** @returns 1 to termCount */
export function keyOf(term: string): number {
  return (hashOf(term) % termCount) + 1
}
