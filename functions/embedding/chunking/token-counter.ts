import { atOnce, type Steps } from '../../../shared/steps.ts'
import { tokensOf } from './byte-pairs.ts'
import { isPiece, isSpaceAt, maxPreTokenUnits, preTokenEnd } from './pre-tokens.ts'

const wordsPerStep = 64

/**
 * Counts the cl100k tokens (text-embedding-3-small) of any part of a text after one pass over it: exactly what encoding that part
 * alone gives. Only in an unbroken run (letters, signs or white space) of 256 UTF-16 units or more is it an upper estimate, a few
 * percent high for words and more for blanks or dashes. Special tokens count as plain text.
 */
export class TokenCounter {
  readonly #text: string
  /** For each offset the tokens of the pre-tokens that end at or before it. */
  readonly #through: Int32Array

  private constructor(text: string) {
    this.#text = text
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
    const text = this.#text
    let total = 0
    let words = 0
    for (let start = 0; start < text.length; ) {
      if (++words % wordsPerStep === 0) yield
      const end = preTokenEnd(text, start, text.length)
      this.#through.fill(total, start + 1, end)
      total += this.#tokens(start, end, text.length)
      this.#through[end] = total
      start = end
    }
  }

  isEdge(at: number): boolean {
    return at === 0 || this.#through[at] !== this.#through[at - 1]
  }

  /** Tokens of text[start, end) but for the few that a cut inside a pre-token adds or moves. */
  estimate(start: number, end: number): number {
    return this.#through[end]! - this.#through[start]!
  }

  /** As if the part were the whole text. */
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
      const next = preTokenEnd(this.#text, at, end)
      total += this.#tokens(at, next, end)
      at = next
    }
    return total
  }

  #tokens(start: number, found: number, end: number): number {
    return tokensOf(this.#text, start, found) + (isPiece(this.#text, start, found, end) ? 1 : 0)
  }

  /** In a run over the limit, the cut pieces align with those of the whole text at its next edge. */
  #pieceEnd(start: number, end: number): number {
    const next = preTokenEnd(this.#text, start, end)
    if (!isPiece(this.#text, start, next, end)) return next
    let edge = start + 1
    while (edge < next && !this.isEdge(edge)) edge++
    return edge
  }

  /** From here on the end of the part decides how it is split: a pre-token cut short, or white space at the very end. */
  #tailStart(start: number, end: number): number {
    let tail = end
    const lowest = Math.max(start, end - maxPreTokenUnits)
    while (tail > lowest && isSpaceAt(this.#text, tail - 1)) tail--
    while (tail > start && !this.isEdge(tail)) tail--
    return tail
  }
}
