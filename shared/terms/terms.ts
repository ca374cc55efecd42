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

/** Words [from, to) that are one code, and its term. */
interface Code {
  from: number
  to: number
  text: string
}

/** The codes of several words in a text. */
export function joinedTerms(words: readonly Word[]): Code[] {
  const codes: Code[] = []
  for (let from = 0, to = 1; from < words.length; from = to++) {
    while (words[to]?.joint) to++
    if (to - from === 1) continue
    for (const code of codesIn(words.slice(from, to)))
      codes.push({ ...code, from: from + code.from, to: from + code.to })
  }
  return codes
}

/**
 * The codes in words that are joined: the whole, and each number and decimal or time of several words, since a short word may stand ahead
 * (“at 8:15”), another time behind (“8:15–9:30”), and a unit at its end (“8:15am”).
 */
export function codesIn(words: readonly JoinedWord[]): Code[] {
  const numbers = words.map(({ text }) => number.exec(text)?.[0])
  const isNumber = (at: number) => numbers[at - 1] !== undefined && numbers[at] !== undefined
  const runs = [
    ...runsOf(words.length, isNumber),
    ...runsOf(words.length, (at) => isNumber(at) && marks.includes(words[at]!.joint)),
  ]
  const whole = { from: 0, to: words.length, text: termOf(words.map(({ text }) => text)) }
  const parts = runs.map(({ from, to }) => ({ from, to, text: termOf(numbers.slice(from, to) as string[]) }))
  return [...new Map([whole, ...parts].map((code) => [`${code.from} ${code.to} ${code.text}`, code])).values()]
}

type JoinedWord = Pick<Word, 'text' | 'joint'>

/** The digits of a number, which may have a unit. */
const number = /^\p{N}+(?=\p{L}{0,3}$)/u

/** The marks between hours and minutes, and in decimals. */
const marks = '.,:'

/** The runs of at least two words, each of which goes on from the word before. */
function runsOf(count: number, goesOn: (at: number) => boolean): Omit<Code, 'text'>[] {
  const runs: Omit<Code, 'text'>[] = []
  for (let from = 0, to = 1; from < count; from = to++) {
    while (to < count && goesOn(to)) to++
    if (to - from > 1) runs.push({ from, to })
  }
  return runs
}

/** 08:15 is 8:15. */
function termOf(words: readonly string[]): string {
  const texts = words.map(fold)
  return texts.length === 2 && twoDigits.test(texts[0]!) && twoDigits.test(texts[1]!)
    ? texts.join('').replace(/^0/, '')
    : texts.join('')
}

const twoDigits = /^\p{N}{2}$/u

export function soundsOf(word: string): string[] {
  return phoneticCodes(fold(word)).map((code) => `~${code}`)
}

/** Terms are stored as numbers below this: two of an agent's 20,000 words rarely share one. */
export const termCount = 100_000_000

export function keyOf(term: string): number {
  return (hashOf(term) % termCount) + 1
}
