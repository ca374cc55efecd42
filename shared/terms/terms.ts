import { normalForm } from '../text/normal-form.ts'
import { hashOf } from './hashing.ts'
import { phoneticCodes } from './phonetic.ts'
import { stopWords } from './stop-words.ts'
import { fold, stem } from './word-forms.ts'
import { unspaced, type Word, wordsOf } from './words.ts'

/** The terms under which a text and a question meet; none for a stop word. */
export function termsOf(word: string): string[] {
  const folded = fold(word)
  if (stopWords.has(folded)) return []
  if (unspaced.test(folded)) return characterPairs(folded)
  const parts = (folded.match(/\p{N}+|[^\p{N}]+/gu) ?? []).filter(isTelling)
  if (parts.length === 0) return []
  return /\p{N}/u.test(folded) && folded !== parts[0] ? [folded, ...parts] : [stem(folded)]
}

/** The terms of all words of a text. */
export function termsIn(text: string): string[] {
  return wordsOf(normalForm(text)).flatMap((word) => termsOf(word.text))
}

function isTelling(part: string): boolean {
  return part.length > 1 || !/[a-z]/.test(part)
}

function characterPairs(word: string): string[] {
  const characters = [...word]
  const pairs = characters.length === 1 ? characters : characters.slice(1).map((next, i) => characters[i]! + next)
  return pairs.filter((pair) => !stopWords.has(pair))
}

/** The term of a code of several words, such as K-4471. */
export function joinedTerm(words: readonly string[]): string {
  return words.map(fold).join('')
}

/** The codes of several words in a text: their words [from, to), and their terms. */
export function joinedTerms(words: readonly Word[]): { from: number; to: number; text: string }[] {
  const codes: ReturnType<typeof joinedTerms> = []
  for (let to = 1; to < words.length; to++) {
    if (!words[to]!.isJoined) continue
    const from = to - 1
    while (words[to + 1]?.isJoined) to++
    codes.push({ from, to: to + 1, text: joinedTerm(words.slice(from, to + 1).map((word) => word.text)) })
  }
  return codes
}

export function soundsOf(word: string): string[] {
  return phoneticCodes(fold(word)).map((code) => `~${code}`)
}

/** Terms are stored as numbers below this: two of an agent's 20,000 words rarely share one. */
export const termCount = 100_000_000

export function keyOf(term: string): number {
  return (hashOf(term) % termCount) + 1
}
