import { diffArrays } from 'diff'
import { withoutToday } from './today.ts'

/** A text and when it was fetched. */
export interface Seen {
  text: string
  at: Date
}

/** The lines, and words of a line, that may differ: the time grows with the square of their number. */
const [maxEdits, maxEditsOfWords] = [2_000, 150]
/** Lines that share fewer of their words are different lines. */
const minShared = 1 / 2

/** True if a page says the same, apart from the date of the day and parts that differ at each request, which further fetches show. */
export function isSameText(before: Seen, now: Seen, ...again: string[]): boolean {
  const old = linesOf(before)
  const fetches = [now.text, ...again].map((text) => linesOf({ text, at: now.at }))
  if (fetches.some((lines) => isEqual(lines, old))) return true
  const isShuffled = !fetches.every((lines) => isEqual(lines, fetches[0]!))
  if (isShuffled && fetches.every((lines) => isEqual(lines.toSorted(), old.toSorted()))) return true
  return explains(fetches, old, isNoiseOfLines)
}

function linesOf({ text, at }: Seen): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return withoutToday(
    lines.filter((line) => line !== ''),
    at,
  )
}

/** True if the fetches' parts at one place explain the part that was there before. */
type IsNoise = (seen: readonly string[][], before: readonly string[]) => boolean

/** True if `before` differs from the fetches only at places where these differ from each other. */
function explains(fetches: readonly string[][], before: readonly string[], isNoise: IsNoise, max = maxEdits): boolean {
  const common = commonOf(fetches, max)
  const old = common && gapsOf(common, before)
  if (!old) return false
  const all = fetches.map((parts) => gapsOf(common, parts)!)
  return old.every((gap, at) => {
    const seen = all.map((gaps) => gaps[at]!)
    return seen.some((parts) => parts.length > 0) ? isNoise(seen, gap) : gap.length === 0
  })
}

/** False if the numbers of lines differ, since a line more would be one that was removed. */
function isNoiseOfLines(seen: readonly string[][], before: readonly string[]): boolean {
  if (seen.some(({ length }) => length !== before.length)) return false
  return before.every((line, at) => {
    const words = seen.map((lines) => lines[at]!.split(/\s+/))
    const old = line.split(/\s+/)
    if (explains(words, old, isNoiseOfWords, maxEditsOfWords)) return true
    const common = commonOf(words, maxEditsOfWords)
    if (!common) return false
    const isOther = words.some(({ length }) => common.length < length * minShared)
    return isOther && !bringsNumbers(words, old) && common.filter(hasNumber).every((word) => old.includes(word))
  })
}

function isNoiseOfWords(seen: readonly string[][], before: readonly string[]): boolean {
  return seen.some(({ length }) => length === before.length) && !bringsNumbers(seen, before)
}

/** True if prices or times were here, and none are now. */
function bringsNumbers(seen: readonly string[][], before: readonly string[]): boolean {
  return before.some(hasNumber) && !seen.flat().some(hasNumber)
}

function hasNumber(word: string): boolean {
  return /\d/.test(word)
}

/** The parts that all have in the same order; undefined if that takes too much work. */
function commonOf(all: readonly (readonly string[])[], maxEditLength = maxEdits): string[] | undefined {
  const [first = [], ...others] = all
  return others.reduce<string[] | undefined>(
    (common, parts) => {
      const changes = common && diffArrays(common, [...parts], { maxEditLength })
      return changes?.flatMap(({ added, removed, value }) => (added || removed ? [] : value))
    },
    [...first],
  )
}

/** The parts before, between and behind the common ones; undefined if a common one is missing. */
function gapsOf(common: readonly string[], parts: readonly string[]): string[][] | undefined {
  const gaps: string[][] = [[]]
  for (const part of parts) {
    if (part === common[gaps.length - 1]) gaps.push([])
    else gaps.at(-1)!.push(part)
  }
  return gaps.length === common.length + 1 ? gaps : undefined
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at])
}
