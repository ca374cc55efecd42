import type { Steps } from '../concurrency/steps.ts'
import { hashSeed, mixed } from '../terms/hashing.ts'
import { type Strength, strength } from './markdown-blocks.ts'

export interface Atoms {
  starts: number[]
  strengths: Strength[]
  /** An estimate of each atom's tokens. */
  sizes: number[]
}

const minHashedUnits = 48
const hashBits = 22
const digitBits = 13
const digits = 2 ** digitBits
const keyBits = digitBits * 2
/** Groups up to this share of the room are estimated, larger ones counted. */
const maxEstimatedShare = 0.75
const seamsPerStep = 256

/**
 * Joins neighbouring atoms into groups that fit into `roomOf` their first atom. Content-defined (as FastCDC): seams are joined from
 * weakest to firmest, equal ones by a hash of the text behind them, so an edit changes only the cuts around it.
 * @param limit the largest room; every room is at least three quarters of it @returns each group's first atom
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
  const sizes = new Float64Array(atoms.sizes)
  /** The last atom of a group by its first, and the first by its last. */
  const partner = new Int32Array(total).map((_, index) => index)
  const joined = new Uint8Array(total)
  let seams = 0
  for (const seam of yield* seamOrder(units, atoms)) {
    if (++seams % seamsPerStep === 0) yield
    const first = partner[seam - 1]!
    const last = partner[seam]!
    let size = sizes[first]! + sizes[seam]!
    if (size > limit * 2) continue
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

/** The seams, sorted by strength, then by hash, then from left to right. */
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

/** A pass of a radix sort, several times faster than a comparator for millions of seams. */
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
  let value = hashSeed
  for (let at = start; at < end; at++) value = mixed(value, units[at]!)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return value ^ (value >>> 13)
}
