/** Counts up with every change of the terms that a text has, or of their packing: see `unpackTerms`. */
export const termsVersion = 2

/** The highest frequency that is kept: further occurrences of a term count for nothing. */
export const maxFrequency = 3

/** The terms of a text. */
export interface Terms {
  /** Words other than stop words. */
  length: number
  /** Pairs of a term's key and its frequency, 1 to `maxFrequency`, by key. */
  entries: readonly (readonly [key: number, frequency: number])[]
}

/**
 * Packs terms: a byte for the version, then varints (LEB128) of the length and, for each term, of four times its distance from the key
 * before it plus its frequency.
 */
export function packTerms({ length, entries }: Terms): Buffer {
  const bytes = Buffer.allocUnsafe(1 + maxVarint * (1 + entries.length))
  bytes[0] = termsVersion
  let at = writeVarint(bytes, 1, length)
  let before = 0
  for (const [key, frequency] of entries) {
    at = writeVarint(bytes, at, (key - before) * (maxFrequency + 1) + frequency)
    before = key
  }
  return bytes.subarray(0, at)
}

/**
 * Reads packed terms of any version: the words of an older one may be cut differently, and are better than none.
 * @param see gets each term's key and frequency, by key @returns the length
 */
export function unpackTerms(
  bytes: Uint8Array,
  from: number,
  to: number,
  see: (key: number, frequency: number) => void,
): number {
  let at = from + 1
  let length = -1
  let key = 0
  while (at < to) {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    value >>>= 0
    if (length < 0) length = value
    else {
      key += value >>> 2
      see(key, value & maxFrequency)
    }
  }
  return length
}

/** Keys have 27 bits, and a frequency has two. */
const maxVarint = 5

function writeVarint(bytes: Buffer, from: number, number: number): number {
  let at = from
  let rest = number
  for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80
  bytes[at++] = rest
  return at
}
