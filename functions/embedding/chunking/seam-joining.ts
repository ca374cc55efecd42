import type { Steps } from '../../../shared/steps.ts'
import { type Strength, strength } from './markdown-blocks.ts'

/** Parts of a text that are not cut any further, in order and without gaps. */
export interface Atoms {
  /** where each part begins; the last one ends with the text */
  starts: number[]
  /** of the seam before each part */
  strengths: Strength[]
  /** tokens of each part, roughly */
  sizes: number[]
}

const hashedUnits = 48
/** A sort key holds a strength, a hash and an index, 52 bits that a double keeps exactly. */
const hashRange = 2 ** 22
const indexRange = 2 ** 26
/** Sizes are sums up to this share of the limit, and counted beyond it. */
const SURE = 0.75
const seamsPerStep = 256

/**
 * Joins neighbouring atoms into groups of at most `limit` tokens and returns the index of the first atom of each group.
 *
 * Seams are visited from the weakest to the firmest, those of one strength in the order of a hash of the text behind them, and
 * each is joined if its two sides fit together. Whether a seam stays thus depends on the text around it, not on what comes
 * far before it: content-defined chunking as in LBFS (Muthitacharoen et al., 2001) and FastCDC (Xia et al., 2016), though with
 * random sequential joining in place of a hash mask, since a mask yields chunks of any size. Decisions reach as far as a
 * chain of ever later neighbours, and long chains are as rare as 1 / length!.
 */
export function* joinSeams(
  text: string,
  atoms: Atoms,
  limit: number,
  count: (start: number, end: number) => number,
): Steps<number[]> {
  const { starts } = atoms
  const total = starts.length
  const sizes = Float64Array.from(atoms.sizes)
  /** For the first atom of a group its last, and the other way round. */
  const partner = Int32Array.from(starts, (_, index) => index)
  const joined = new Uint8Array(total)
  let seams = 0
  for (const seam of yield* seamOrder(text, atoms)) {
    if (++seams % seamsPerStep === 0) yield
    const first = partner[seam - 1]!
    const last = partner[seam]!
    let size = sizes[first]! + sizes[seam]!
    if (size > limit * 2) continue
    if (size > limit * SURE) size = count(starts[first]!, starts[last + 1] ?? text.length)
    if (size > limit) continue
    joined[seam] = 1
    partner[first] = last
    partner[last] = first
    sizes[first] = size
  }
  const firsts: number[] = []
  for (let index = 0; index < total; index++) if (!joined[index]) firsts.push(index)
  return firsts
}

/** Indexes of the atoms whose seam may be joined, by strength and then by hash; equal hashes from left to right. */
function* seamOrder(text: string, { starts, strengths }: Atoms): Steps<Uint32Array> {
  const keys = new Float64Array(starts.length)
  let length = 0
  for (let index = 1; index < starts.length; index++) {
    if (index % seamsPerStep === 0) yield
    if (strengths[index] === strength.section) continue
    const start = starts[index]!
    const end = Math.min(text.length, Math.max(starts[index + 1] ?? text.length, start + hashedUnits))
    keys[length++] = (strengths[index]! * hashRange + (hash(text, start, end) >>> 10)) * indexRange + index
  }
  yield
  const sorted = keys.subarray(0, length).sort()
  yield
  const order = new Uint32Array(length)
  for (let i = 0; i < length; i++) order[i] = sorted[i]! - Math.floor(sorted[i]! / indexRange) * indexRange
  return order
}

function hash(text: string, start: number, end: number): number {
  let value = 0x811c9dc5
  for (let at = start; at < end; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return value ^ (value >>> 13)
}
