import { normalForm } from '../text/normal-form.ts'
import { hashOf } from './hashing.ts'
import { phoneticCodes } from './phonetic.ts'
import { withSimplifiedCharacters } from './simplified.ts'
import { stopWords } from './stop-words.ts'
import { fold, stem } from './word-forms.ts'
import { unspaced, type Word, wordsOf } from './words.ts'

/** The terms under which a text and a question meet; none for a stop word. */
export function termsOf(word: string): string[] {
  const folded = fold(word)
  if (stopWords.has(folded)) return []
  if (unspaced.test(folded)) return characterPairs(withSimplifiedCharacters(folded))
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

const letters = /^\p{L}+$/u
const beginsWithNumber = /^\p{N}/u
const numberWithUnit = /^\p{N}+(?=\p{L}{1,3}$)/u
const numberBelowTen = /^0\p{N}$/u
const ofTwoDigits = /^\p{N}{2}$/u

/** The term of a code of several words, such as K-4471. 08:15 is 8:15. */
function joinedTerm(words: readonly string[]): string {
  const joined = words.map(fold).join('')
  return words.length === 2 && numberBelowTen.test(words[0]!) && ofTwoDigits.test(words[1]!) ? joined.slice(1) : joined
}

/** The terms of a code: all its words, and its numbers without a word before and without a unit: "at 8:15am" is 8:15. */
export function codeTerms(words: readonly string[]): string[] {
  const numbers = letters.test(words[0]!) ? words.slice(1) : [...words]
  const terms = [joinedTerm(words)]
  if (numbers.length < 2 || !beginsWithNumber.test(numbers[0]!)) return terms
  if (numbers.length < words.length) terms.push(joinedTerm(numbers))
  const last = numberWithUnit.exec(numbers.at(-1)!)
  if (last) terms.push(joinedTerm(numbers.with(-1, last[0])))
  return terms
}

/** The codes of several words in a text: their words [from, to), and their terms. */
export function joinedTerms(words: readonly Word[]): { from: number; to: number; text: string }[] {
  const codes: ReturnType<typeof joinedTerms> = []
  for (let to = 1; to < words.length; to++) {
    if (!words[to]!.isJoined) continue
    const from = to - 1
    while (words[to + 1]?.isJoined) to++
    const code = words.slice(from, to + 1).map((word) => word.text)
    for (const text of codeTerms(code)) codes.push({ from, to: to + 1, text })
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
