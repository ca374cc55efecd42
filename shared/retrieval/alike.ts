import { BoundedMap } from '../bounded-map.ts'
import { isFillerStem } from '../terms/fillers.ts'
import { soundsOf } from '../terms/terms.ts'
import { commonWords } from './keyword/common-words.ts'
import { rangesIn } from './quantities.ts'

const minLength = 5
const minEnding = 4
const negated = /^(?:nicht|non)/
const soundsOfStems = new BoundedMap<string, string[]>(20_000)
const soundsIn = (stem: string) => soundsOfStems.getOrInsertComputed(stem, soundsOf)

/** True if a word that no passage has may be meant by another: one is a part of the other, or they sound alike. */
export function isAlike(stem: string, other: string): boolean {
  const isLong = Math.min(stem.length, other.length) >= minLength
  if (negated.test(stem) !== negated.test(other)) return false
  if (isLong && (other.startsWith(stem) || stem.startsWith(other))) return true
  // “Karfreitag” is not any Friday.
  if (isLong && stem.endsWith(other)) return rangesIn(other).length === 0
  if (stem.length >= minEnding && other.endsWith(stem)) return true
  const isName = isLong && !commonWords.has(stem) && !commonWords.has(other) && !isFillerStem(other)
  return isName && soundsIn(other).some((sound) => soundsIn(stem).includes(sound))
}
