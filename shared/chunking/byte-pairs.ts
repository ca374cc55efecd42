import { MinHeap } from './min-heap.ts'
import { isHighSurrogate, isLowSurrogate, maxPreTokenUnits, pointAt } from './pre-tokens.ts'
import { tokenRanks } from './token-ranks.ts'

const offsetBits = 10
const replacementCharacter = 0xfffd

const ranks = tokenRanks()

const bytes = new Uint16Array(maxPreTokenUnits * 3)
/** A linked list: maps the offset of a part to that of the next part. */
const next = new Uint16Array(bytes.length + 1)
const previous = new Int16Array(bytes.length + 1)
/** The rank of a part joined with the next one; -1 if they form no token. */
const pairRanks = new Int32Array(bytes.length)
const pairs = new MinHeap(bytes.length * 3)

/** Counts the cl100k tokens of the pre-token units[start, end), at most `maxPreTokenUnits` long. */
export function encodedLength(units: Uint16Array, start: number, end: number): number {
  const size = writeUtf8(units, start, end)
  return ranks.get(bytes, 0, size) < 0 ? mergedParts(size) : 1
}

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

/**
 * Byte-pair encoding: merges the neighbours whose union has the lowest rank until no union is a token. The merge of
 * gpt-tokenizer is quadratic.
 */
function mergedParts(size: number): number {
  for (let at = 0; at < size; at++) {
    next[at] = at + 1
    previous[at] = at - 1
  }
  for (let at = 0; at < size; at++) rankPair(at, size)
  let parts = size
  for (let pair = pairs.pop(); pair >= 0; pair = pairs.pop()) {
    const at = pair & (2 ** offsetBits - 1)
    if (pairRanks[at] !== pair >> offsetBits) continue
    const merged = next[at]!
    pairRanks[merged] = -1
    next[at] = next[merged]!
    previous[next[at]!] = at
    rankPair(at, size)
    if (at > 0) rankPair(previous[at]!, size)
    parts--
  }
  return parts
}

function rankPair(at: number, size: number): void {
  const second = next[at]!
  const rank = second < size ? ranks.get(bytes, at, next[second]!) : -1
  pairRanks[at] = rank
  if (rank >= 0) pairs.push((rank << offsetBits) | at)
}
