import { hashSeed, mixed } from '../terms/hashing.ts'
import { encodedLength } from './byte-pairs.ts'
import { classes, letter, newline, otherClass, pieceUnits, space } from './pre-tokens.ts'
import { type Entry, SpanTable } from './span-table.ts'

const slotCount = 2 ** 18
const maxUnits = 2 ** 20
const maxWordUnits = pieceUnits - 2

const counts = SpanTable.empty(slotCount, maxUnits)

export function tokensOf(units: Uint16Array, start: number, end: number): number {
  const known = counts.get(units, start, end)
  if (known >= 0) return known
  const count = encodedLength(units, start, end)
  counts.set(units, start, end, count)
  return count
}

/** The length and tokens of the pre-token at `start`; 0 if it is unknown. One pass finds its end and its hash. */
export function knownWord(units: Uint16Array, start: number): Entry {
  const limit = Math.min(units.length, start + maxWordUnits + 1)
  let at = start
  let hash = hashSeed
  let run = classes[units[at]!]!
  if (run === space || run === otherClass) {
    hash = mixed(hash, units[at]!)
    at++
    const next = at < limit ? classes[units[at]!]! : 0
    if (next === letter || next === otherClass) run = next
  }
  if (run !== letter && run !== otherClass) return 0
  for (; at < limit && classes[units[at]!] === run; at++) hash = mixed(hash, units[at]!)
  for (; run === otherClass && at < limit && classes[units[at]!] === newline; at++) hash = mixed(hash, units[at]!)
  return at === limit || classes[units[at]!] === 0 ? 0 : counts.find(units, start, at, hash)
}
