import { tokensOf } from './byte-pairs.ts'
import { isSpaceAt, LONGEST_PRE_TOKEN, PIECE, preTokenEnd } from './pre-tokens.ts'

/**
 * Counts the cl100k tokens (text-embedding-3-small) of any part of a text after one pass over it. A count is what encoding
 * that part alone would give, exactly; only where an unbroken run (letters, signs or white space) passes 256 UTF-16 units it
 * is the sum over pieces of the run: an estimate, as a rule one token a piece too high. Text that looks like a special token
 * counts as text.
 */
export class TokenCounter {
  readonly #text: string
  /** For each offset the tokens of the pre-tokens that end there or before it. */
  readonly #through: Int32Array

  constructor(text: string) {
    this.#text = text
    this.#through = new Int32Array(text.length + 1)
    let total = 0
    for (let start = 0; start < text.length; ) {
      const end = preTokenEnd(text, start, text.length)
      for (let inside = start + 1; inside < end; inside++) this.#through[inside] = total
      total += tokensOf(text, start, end)
      this.#through[end] = total
      start = end
    }
  }

  /** Whether a pre-token ends at an offset. */
  isEdge(at: number): boolean {
    return at === 0 || this.#through[at] !== this.#through[at - 1]
  }

  /** Tokens of text[start, end) but for the few that a cut inside a pre-token adds or moves. */
  estimate(start: number, end: number): number {
    return this.#through[end]! - this.#through[start]!
  }

  /** Tokens of text[start, end), counted as if it stood alone. */
  count(start: number, end: number): number {
    let total = 0
    let at = start
    while (at < end && !this.isEdge(at)) {
      const next = this.#pieceEnd(at, end)
      total += tokensOf(this.#text, at, next)
      at = next
    }
    const tail = this.#tailStart(at, end)
    total += this.estimate(at, tail)
    for (at = tail; at < end; ) {
      const next = preTokenEnd(this.#text, at, end)
      total += tokensOf(this.#text, at, next)
      at = next
    }
    return total
  }

  /** In a run that passes the limit the pieces of the whole text are met again at their next edge. */
  #pieceEnd(start: number, end: number): number {
    const next = preTokenEnd(this.#text, start, end)
    if (next - start !== PIECE && next - start !== PIECE - 1) return next
    let edge = start + 1
    while (edge < next && !this.isEdge(edge)) edge++
    return edge
  }

  /** From here on the end of the part decides how it is split: a pre-token cut short, or white space at the very end. */
  #tailStart(start: number, end: number): number {
    let tail = end
    const least = Math.max(start, end - LONGEST_PRE_TOKEN)
    while (tail > least && isSpaceAt(this.#text, tail - 1)) tail--
    while (tail > start && !this.isEdge(tail)) tail--
    return tail
  }
}
