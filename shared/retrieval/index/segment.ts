import { sketchBytes } from '../../embedding/sketch.ts'
import type { DocumentId } from '../../ids.ts'
import { indexedTerms } from '../../terms/indexed-terms.ts'
import { unpackTerms } from '../../terms/packed-terms.ts'

/** A document as search serves it. */
export interface Pack {
  documentId: DocumentId
  /** The agent's version when it was changed last. */
  version: number
  revision: number
  title: string
  /** In milliseconds of the epoch; infinite where the document has no limit. */
  validFrom: number
  validUntil: number
  /** The chunks by place: see `entries`. */
  chunks: Uint8Array
}

export interface IndexedDocument extends Omit<Pack, 'chunks'> {
  /** Its chunks in the segment are [from, to). */
  from: number
  to: number
}

/** Documents and their chunks, by terms and by sketch. It never changes. */
export interface Segment {
  documents: readonly IndexedDocument[]
  /** True if one of them is valid for a time only. */
  isDated: boolean
  /** The document of each chunk, by its place in `documents`. */
  documentOf: Uint32Array
  /** `chunk_index` and `revision` of each chunk. */
  places: Uint32Array
  revisions: Uint32Array
  /** The words of each chunk: at most 65,535 count. */
  lengths: Uint16Array
  sketches: Uint8Array
  /** The terms' keys, sorted. The postings of term i are [starts[i], starts[i + 1]): four times a chunk plus the frequency, by chunk. */
  terms: Uint32Array
  starts: Uint32Array
  postings: Uint32Array
}

/** @param packs of different documents */
export function segmentOf(packs: readonly Pack[]): Segment {
  const chunks = packs.reduce((sum, pack) => sum + countEntries(pack.chunks), 0)
  const segment = emptySegment(chunks)
  const bytesOfAll = packs.reduce((sum, { chunks }) => sum + chunks.length, 0)
  const postings = new Postings(Math.ceil((bytesOfAll - chunks * entryBytes) / bytesPerTerm) + 64)
  const documents: IndexedDocument[] = []
  let chunk = 0
  for (const { chunks: bytes, ...document } of packs) {
    const from = chunk
    const titled = indexedTerms(document.title).entries
    for (const { place, revision, sketchAt, termsAt, termsEnd } of entries(bytes)) {
      segment.documentOf[chunk] = documents.length
      segment.places[chunk] = place
      segment.revisions[chunk] = revision
      segment.sketches.set(bytes.subarray(sketchAt, sketchAt + sketchBytes), chunk * sketchBytes)
      // The terms of the title and of the chunk are merged: both come by key.
      let next = 0
      const addTitle = (end: number) => {
        for (; next < titled.length && titled[next]![0] < end; next++)
          postings.add(titled[next]![0], chunk, titled[next]![1])
      }
      const length = unpackTerms(bytes, termsAt, termsEnd, (key, frequency) => {
        addTitle(key)
        const isTitled = titled[next]?.[0] === key
        postings.add(key, chunk, isTitled ? frequency | titled[next++]![1] : frequency)
      })
      addTitle(Infinity)
      segment.lengths[chunk] = Math.min(length, 0xffff)
      chunk++
    }
    documents.push({ ...document, from, to: chunk })
  }
  return { ...segment, documents, isDated: areDated(documents), ...inverted(postings) }
}

/** One segment instead of several, without their documents that are gone. */
export function merged(layers: readonly { segment: Segment; gone: ReadonlySet<number> }[]): Segment {
  const kept = layers.flatMap(({ segment, gone }) =>
    segment.documents.flatMap((document, i) => (gone.has(i) ? [] : [{ segment, document }])),
  )
  const target = emptySegment(kept.reduce((sum, { document }) => sum + document.to - document.from, 0))
  const documents: IndexedDocument[] = []
  const moved = new Map(layers.map(({ segment }) => [segment, new Int32Array(segment.places.length).fill(-1)]))
  let chunk = 0
  for (const { segment, document } of kept) {
    const { from, to } = document
    target.documentOf.fill(documents.length, chunk, chunk + to - from)
    for (const part of ['places', 'revisions', 'lengths'] as const)
      target[part].set(segment[part].subarray(from, to), chunk)
    target.sketches.set(segment.sketches.subarray(from * sketchBytes, to * sketchBytes), chunk * sketchBytes)
    const places = moved.get(segment)!
    documents.push({ ...document, from: chunk, to: chunk + to - from })
    for (let i = from; i < to; i++) places[i] = chunk++
  }
  const postings = new Postings(layers.reduce((sum, { segment }) => sum + segment.postings.length, 64))
  for (const [{ terms, starts, postings: own }, places] of moved)
    for (let term = 0; term < terms.length; term++)
      for (let i = starts[term]!; i < starts[term + 1]!; i++) {
        const place = places[own[i]! >>> 2]!
        if (place >= 0) postings.add(terms[term]!, place, own[i]! & 3)
      }
  return { ...target, documents, isDated: areDated(documents), ...inverted(postings) }
}

function areDated(documents: readonly IndexedDocument[]): boolean {
  return documents.some(({ validFrom, validUntil }) => validFrom > -Infinity || validUntil < Infinity)
}

/** Finds the postings of a term: [from, to), which is empty if no chunk has it. */
export function postingsOf({ terms, starts }: Segment, key: number): [from: number, to: number] {
  let low = 0
  let high = terms.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (terms[middle]! < key) low = middle + 1
    else high = middle
  }
  return terms[low] === key ? [starts[low]!, starts[low + 1]!] : [0, 0]
}

/** The memory that a segment takes. */
export function bytesOf({
  documents,
  documentOf,
  places,
  revisions,
  lengths,
  sketches,
  terms,
  starts,
  postings,
}: Segment) {
  const arrays = [documentOf, places, revisions, lengths, sketches, terms, starts, postings]
  return documents.length * bytesOfDocument + arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

/** An object of eight properties, its id and its title. */
const bytesOfDocument = 400

function emptySegment(chunks: number) {
  return {
    documentOf: new Uint32Array(chunks),
    places: new Uint32Array(chunks),
    revisions: new Uint32Array(chunks),
    lengths: new Uint16Array(chunks),
    sketches: new Uint8Array(chunks * sketchBytes),
  }
}

/** `chunk_index`, `revision`, and the length of the terms: 32 bits each, the highest byte first. The sketch stands before that length. */
const headBytes = 8
const entryBytes = headBytes + sketchBytes + 4
/** Most take more. */
const bytesPerTerm = 3

function* entries(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.length; ) {
    const sketchAt = at + headBytes
    const termsAt = at + entryBytes
    const termsEnd = termsAt + view.getUint32(termsAt - 4)
    yield { place: view.getUint32(at), revision: view.getUint32(at + 4), sketchAt, termsAt, termsEnd }
    at = termsEnd
  }
}

/** Packs chunks as `packed_chunks` in infra/migrations does. @param chunks by index */
export function packChunks(
  chunks: readonly { chunk_index: number; revision: number; sketch: Uint8Array; terms: Uint8Array }[],
): Uint8Array {
  const parts = chunks.flatMap(({ chunk_index, revision, sketch, terms }) => {
    const head = Buffer.alloc(headBytes)
    head.writeUInt32BE(chunk_index)
    head.writeUInt32BE(revision, 4)
    const size = Buffer.alloc(4)
    size.writeUInt32BE(terms.length)
    return [head, sketch, size, terms]
  })
  return Buffer.concat(parts)
}

function countEntries(bytes: Uint8Array): number {
  let count = 0
  for (const _ of entries(bytes)) count++
  return count
}

/** The postings of a segment's terms while it is made, in the order of the chunks. Terms have numbers in the order in which they come. */
class Postings {
  postings: Uint32Array
  /** The number of each posting's term. */
  numbers: Uint32Array
  count = 0
  keys: number[] = []
  /** The number of each term plus 1, by its key: a table with open addressing, at most half full. */
  #table = new Uint32Array(4096)

  /** @param capacity the number of postings that are likely to come */
  constructor(capacity: number) {
    this.postings = new Uint32Array(capacity)
    this.numbers = new Uint32Array(capacity)
  }

  add(key: number, chunk: number, frequency: number): void {
    if (this.count === this.postings.length) {
      this.postings = grown(this.postings)
      this.numbers = grown(this.numbers)
    }
    this.numbers[this.count] = this.#numberOf(key)
    this.postings[this.count++] = chunk * 4 + frequency
  }

  #numberOf(key: number): number {
    const mask = this.#table.length - 1
    let at = key & mask
    for (let number = this.#table[at]!; number > 0; number = this.#table[at]!) {
      if (this.keys[number - 1] === key) return number - 1
      at = (at + 1) & mask
    }
    this.#table[at] = this.keys.push(key)
    if (2 * this.keys.length > mask) this.#rehash()
    return this.keys.length - 1
  }

  #rehash(): void {
    this.#table = new Uint32Array(2 * this.#table.length)
    const mask = this.#table.length - 1
    for (const [number, key] of this.keys.entries()) {
      let at = key & mask
      while (this.#table[at]! > 0) at = (at + 1) & mask
      this.#table[at] = number + 1
    }
  }
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** Sorts postings by their terms' keys, and then by chunk: a counting sort. */
function inverted({ keys, numbers, postings, count }: Postings): Pick<Segment, 'terms' | 'starts' | 'postings'> {
  const counts = new Uint32Array(keys.length)
  for (let i = 0; i < count; i++) counts[numbers[i]!]!++
  const byKey = Array.from(keys.keys()).sort((one, other) => keys[one]! - keys[other]!)
  const starts = new Uint32Array(keys.length + 1)
  const next = new Uint32Array(keys.length)
  for (const [rank, number] of byKey.entries()) {
    next[number] = starts[rank]!
    starts[rank + 1] = starts[rank]! + counts[number]!
  }
  const sorted = new Uint32Array(count)
  for (let i = 0; i < count; i++) sorted[next[numbers[i]!]!++] = postings[i]!
  return { terms: Uint32Array.from(byKey, (number) => keys[number]!), starts, postings: sorted }
}
