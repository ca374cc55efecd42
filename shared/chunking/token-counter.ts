import { atOnce, type Steps } from '../concurrency/steps.ts'
import { knownWord, tokensOf } from './known-words.ts'
import { isPiece, isSpace, maxPreTokenUnits, preTokenEnd } from './pre-tokens.ts'
import { lengthIn, valueIn } from './span-table.ts'

const knownWordsPerStep = 256
const unknownWordsPerStep = 16

/**
 * Counts the cl100k tokens of any part of a text after one pass: exactly, or an upper estimate for runs of 256 letters, signs or blanks.
 * Cutting 400,000 characters takes 6,300 counts and 20 to 80 ms; with gpt-tokenizer's counts, 180 to 330 ms. For 40,000 letters without
 * a break, this takes 3 ms and gpt-tokenizer over a second.
 */
export class TokenCounter {
  readonly units: Uint16Array
  /** The tokens up to each offset at which a pre-token ends; 0 at other offsets. */
  readonly #through: Int32Array

  private constructor(text: string) {
    const { buffer, byteOffset } = Buffer.from(text, 'utf16le')
    this.units = new Uint16Array(buffer, byteOffset, text.length)
    this.#through = new Int32Array(text.length + 1)
  }

  static of(text: string): TokenCounter {
    return atOnce(TokenCounter.reading(text))
  }

  static *reading(text: string): Steps<TokenCounter> {
    const counter = new TokenCounter(text)
    yield* counter.#read()
    return counter
  }

  *#read(): Steps<void> {
    for (let start = 0; start < this.units.length; yield)
      for (let words = 0; words < unknownWordsPerStep && start < this.units.length; words++)
        start = this.#readUnknown(this.#readKnown(start))
  }

  /** A function of its own because V8 compiles a short loop better. */
  #readKnown(from: number): number {
    const units = this.units
    const through = this.#through
    let start = from
    let total = through[from]!
    for (let words = 0; words < knownWordsPerStep; words++) {
      const known = knownWord(units, start)
      if (known === 0) break
      start += lengthIn(known)
      total += valueIn(known)
      through[start] = total
    }
    return start
  }

  #readUnknown(start: number): number {
    if (start === this.units.length) return start
    const end = preTokenEnd(this.units, start, this.units.length)
    this.#through[end] = this.#through[start]! + this.#tokens(start, end, this.units.length)
    return end
  }

  isEdge(at: number): boolean {
    return at === 0 || this.#through[at] !== 0
  }

  estimate(start: number, end: number): number {
    return this.#tokensThrough(end) - this.#tokensThrough(start)
  }

  #tokensThrough(offset: number): number {
    let at = offset
    while (!this.isEdge(at)) at--
    return this.#through[at]!
  }

  count(start: number, end: number): number {
    let total = 0
    let at = start
    while (at < end && !this.isEdge(at)) {
      const next = this.#pieceEnd(at, end)
      total += this.#tokens(at, next, end)
      at = next
    }
    const tail = this.#tailStart(at, end)
    total += this.estimate(at, tail)
    for (at = tail; at < end; ) {
      const next = preTokenEnd(this.units, at, end)
      total += this.#tokens(at, next, end)
      at = next
    }
    return total
  }

  #tokens(start: number, found: number, end: number): number {
    return tokensOf(this.units, start, found) + (isPiece(this.units, start, found, end) ? 1 : 0)
  }

  #pieceEnd(start: number, end: number): number {
    const next = preTokenEnd(this.units, start, end)
    if (!isPiece(this.units, start, next, end)) return next
    let edge = start + 1
    while (edge < next && !this.isEdge(edge)) edge++
    return edge
  }

  /** The offset from which the end of the part affects how it is split. */
  #tailStart(start: number, end: number): number {
    let tail = end
    const lowest = Math.max(start, end - maxPreTokenUnits)
    while (tail > lowest && isSpace(this.units[tail - 1]!)) tail--
    while (tail > start && !this.isEdge(tail)) tail--
    return tail
  }
}
