import { isHighSurrogate, isLowSurrogate, maxPreTokenUnits, pointAt } from './pre-tokens.ts'
import { SpanTable } from './span-table.ts'
import { tokenRanks } from './token-ranks.ts'

const cachedSlots = 2 ** 18
const maxCachedUnits = 2 ** 20
const noToken = 0x7fffffff
const replacementCharacter = 0xfffd

const ranks = tokenRanks()
/** Counts of the pieces before: most words of a text repeat. */
const counts = SpanTable.empty(cachedSlots, maxCachedUnits)

const bytes = new Uint16Array(maxPreTokenUnits * 3)
const starts = new Uint16Array(bytes.length + 1)
const pairRanks = new Int32Array(bytes.length + 1)

/**
 * cl100k tokens of the pre-token units[start, end), of at most `maxPreTokenUnits`. Right about U+FEFF, which gpt-tokenizer's
 * `countTokens` counts as two.
 */
export function tokensOf(units: Uint16Array, start: number, end: number): number {
  const known = counts.get(units, start, end)
  if (known >= 0) return known
  const size = writeUtf8(units, start, end)
  const count = rankOf(0, size) === noToken ? mergedParts(size) : 1
  counts.set(units, start, end, count)
  return count
}

/** Into `bytes`, as TextEncoder does. */
function writeUtf8(units: Uint16Array, start: number, end: number): number {
  let size = 0
  for (let at = start; at < end; at++) {
    let point = pointAt(units, at)
    if (point > 0xffff) at++
    if (isHighSurrogate(point) || isLowSurrogate(point) || at === end) point = replacementCharacter
    const following = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3
    bytes[size++] = following === 0 ? point : ((0xff80 >> following) & 0xff) | (point >> (following * 6))
    for (let shift = following * 6 - 6; shift >= 0; shift -= 6) bytes[size++] = 0x80 | ((point >> shift) & 0x3f)
  }
  return size
}

function rankOf(start: number, end: number): number {
  const rank = ranks.get(bytes, start, end)
  return rank < 0 ? noToken : rank
}

/** Byte-pair encoding: merges the neighbours whose union has the lowest rank until no union is a token. Quadratic in the size. */
function mergedParts(size: number): number {
  for (let i = 0; i <= size; i++) {
    starts[i] = i
    pairRanks[i] = i + 2 <= size ? rankOf(i, i + 2) : noToken
  }
  let parts = size
  for (let at = lowestPair(parts); at >= 0; at = lowestPair(parts)) {
    parts--
    for (let i = at + 1; i <= parts; i++) {
      starts[i] = starts[i + 1]!
      pairRanks[i] = pairRanks[i + 1]!
    }
    pairRanks[at] = at + 2 <= parts ? rankOf(starts[at]!, starts[at + 2]!) : noToken
    if (at > 0) pairRanks[at - 1] = rankOf(starts[at - 1]!, starts[at + 1]!)
  }
  return parts
}

/** -1 if no pair is a token. */
function lowestPair(parts: number): number {
  let lowest = noToken
  let at = -1
  for (let i = 0; i < parts - 1; i++) {
    const rank = pairRanks[i]!
    if (rank < lowest) {
      lowest = rank
      at = i
    }
  }
  return at
}
