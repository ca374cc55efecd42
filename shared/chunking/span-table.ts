import { hashSeed, mixed } from '../terms/hashing.ts'

const valueBits = 17

export type Entry = number
export const lengthIn = (entry: Entry) => entry >>> valueBits
export const valueIn = (entry: Entry) => entry & (2 ** valueBits - 1)

/** Maps spans of 16-bit units to numbers below 131,072, without making strings: FNV-1a, linear probing. */
export class SpanTable {
  readonly #slots: Int32Array
  readonly #pool: Uint16Array
  readonly #mask: number
  #poolLength = 0
  #spans = 0

  constructor(slots: Int32Array, pool: Uint16Array) {
    this.#slots = slots
    this.#pool = pool
    this.#mask = slots.length - 2
  }

  /** Holds up to half as many spans as slots. */
  static empty(slotCount: number, maxUnits: number): SpanTable {
    return new SpanTable(new Int32Array(slotCount * 2), new Uint16Array(maxUnits))
  }

  static ofFile(file: Buffer, slotCount: number): SpanTable {
    const slots = new Int32Array(file.buffer, file.byteOffset, slotCount * 2)
    return new SpanTable(slots, new Uint16Array(file.subarray(slots.byteLength)))
  }

  /** The input of `ofFile`; all units must be below 256. */
  toFile(): Buffer {
    const { buffer, byteOffset, byteLength } = this.#slots
    return Buffer.concat([
      new Uint8Array(buffer, byteOffset, byteLength),
      Uint8Array.from(this.#pool.subarray(0, this.#poolLength)),
    ])
  }

  get(units: Uint16Array, start: number, end: number): number {
    const entry = this.find(units, start, end, hashOf(units, start, end))
    return entry === 0 ? -1 : valueIn(entry)
  }

  find(units: Uint16Array, start: number, end: number, hash: number): Entry {
    const pool = this.#pool
    const slots = this.#slots
    const mask = this.#mask
    for (let slot = slotOf(hash) & mask; ; slot = (slot + 2) & mask) {
      const entry = slots[slot]!
      if (entry === 0) return 0
      if (lengthIn(entry) !== end - start) continue
      const shift = slots[slot + 1]! - start
      let at = start
      while (at < end && pool[at + shift] === units[at]) at++
      if (at === end) return entry
    }
  }

  /** Adds an unknown span. A full table drops all others first. */
  set(units: Uint16Array, start: number, end: number, value: number): void {
    if (this.#spans >= this.#slots.length >> 2 || this.#poolLength + end - start > this.#pool.length) {
      this.#slots.fill(0)
      this.#spans = 0
      this.#poolLength = 0
    }
    let slot = slotOf(hashOf(units, start, end)) & this.#mask
    while (this.#slots[slot] !== 0) slot = (slot + 2) & this.#mask
    this.#slots[slot] = ((end - start) << valueBits) | value
    this.#slots[slot + 1] = this.#poolLength
    this.#spans++
    for (let at = start; at < end; at++) this.#pool[this.#poolLength++] = units[at]!
  }
}

function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = hashSeed
  for (let at = start; at < end; at++) hash = mixed(hash, units[at]!)
  return hash
}

const slotOf = (hash: number) => (hash ^ (hash >>> 15)) << 1
