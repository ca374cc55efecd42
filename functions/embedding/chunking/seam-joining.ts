import type { Steps } from '../../../shared/steps.ts'
import { type Strength, strength } from './markdown-blocks.ts'

/** Parts of a text that are not cut further, in order and without gaps. */
export interface Atoms {
  starts: number[]
  /** of the seam before each part */
  strengths: Strength[]
  estimatedTokens: number[]
}

/** A seam's hash covers at least this many UTF-16 units, however short the atom. */
const minHashedUnits = 48
const hashBits = 22
/** A radix sort's digit: two of them hold a strength and a hash. */
const digitBits = 13
const digits = 2 ** digitBits
const keyBits = digitBits * 2
/** Up to this share of the room, estimated sizes are good enough; above it the group is counted. */
const maxEstimatedShare = 0.75
const seamsPerStep = 256

/**
 * Joins neighbouring atoms into groups of at most as many tokens as there is room behind what the first of them repeats, and
 * returns the index of the first atom of each group.
 * Visits the seams from weakest to firmest, those of one strength by a hash of the text behind them, and joins where both sides
 * fit together. Whether a seam stays thus depends on the text around it: content-defined chunking as in LBFS (Muthitacharoen et
 * al., 2001) and FastCDC (Xia et al., 2016), but by random sequential joining, since their hash mask yields chunks of any size.
 * Decisions reach as far as a chain of ever later neighbours, and long chains are as rare as 1 / length!.
 * @param limit the largest room
 * @param roomOf room of a group by its first atom, at least three quarters of the limit
 */
export function* joinSeams(
  units: Uint16Array,
  atoms: Atoms,
  limit: number,
  roomOf: (first: number) => number,
  count: (start: number, end: number) => number,
): Steps<number[]> {
  const { starts } = atoms
  const total = starts.length
  const sizes = new Float64Array(atoms.estimatedTokens)
  /** For a group's first atom its last, and vice versa. */
  const partner = new Int32Array(total).map((_, index) => index)
  const joined = new Uint8Array(total)
  let seams = 0
  for (const seam of yield* seamOrder(units, atoms)) {
    if (++seams % seamsPerStep === 0) yield
    const first = partner[seam - 1]!
    const last = partner[seam]!
    let size = sizes[first]! + sizes[seam]!
    if (size > limit * 2) continue
    // Up to half of the limit there is room in any case.
    const room = size > limit / 2 ? roomOf(first) : limit
    if (size > room * maxEstimatedShare) size = count(starts[first]!, starts[last + 1] ?? units.length)
    if (size > room) continue
    joined[seam] = 1
    partner[first] = last
    partner[last] = first
    sizes[first] = size
  }
  const firsts: number[] = []
  for (let index = 0; index < total; index++) if (!joined[index]) firsts.push(index)
  return firsts
}

/** By strength and then by hash; equal ones from left to right. */
function* seamOrder(units: Uint16Array, { starts, strengths }: Atoms): Steps<Uint32Array> {
  const keys = new Uint32Array(starts.length)
  const seams = new Uint32Array(starts.length)
  let length = 0
  for (let index = 1; index < starts.length; index++) {
    if (index % seamsPerStep === 0) yield
    if (strengths[index] === strength.section) continue
    const start = starts[index]!
    const end = Math.min(units.length, Math.max(starts[index + 1] ?? units.length, start + minHashedUnits))
    keys[index] = (strengths[index]! << hashBits) | (hash(units, start, end) >>> (32 - hashBits))
    seams[length++] = index
  }
  let order = seams.subarray(0, length)
  for (let shift = 0; shift < keyBits; shift += digitBits) {
    yield
    order = sortedByDigit(order, keys, shift)
  }
  return order
}

/** A pass of a radix sort: stable, and for millions of seams several times faster than sorting with a comparator. */
function sortedByDigit(indexes: Uint32Array, keys: Uint32Array, shift: number): Uint32Array<ArrayBuffer> {
  const places = new Uint32Array(digits + 1)
  for (let i = 0; i < indexes.length; i++) places[((keys[indexes[i]!]! >>> shift) & (digits - 1)) + 1]!++
  for (let digit = 0; digit < digits; digit++) places[digit + 1]! += places[digit]!
  const sorted = new Uint32Array(indexes.length)
  for (let i = 0; i < indexes.length; i++) {
    const index = indexes[i]!
    sorted[places[(keys[index]! >>> shift) & (digits - 1)]!++] = index
  }
  return sorted
}

function hash(units: Uint16Array, start: number, end: number): number {
  let value = 0x811c9dc5
  for (let at = start; at < end; at++) value = Math.imul(value ^ units[at]!, 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return value ^ (value >>> 13)
}
