import { type Line, nextLine } from './markdown-lines.ts'
import { isSpaceAt } from './pre-tokens.ts'
import type { TokenCounter } from './token-counter.ts'

/** Lines that a chunk below them repeats: header rows of a table, a list's lead-in, a parent item. */
export interface Context {
  start: number
  end: number
  /** Columns. Items and paragraphs that are indented by at least two more have this context. */
  indent: number
  above: Context | undefined
  tokens: number
  repeatedTokens: number
}

export interface Repeated {
  text: string
  tokens: number
}

const maxLineUnits = 200
const maxUnits = 1_000
const maxShareOfTarget = 1 / 4
const nothing: Repeated = { text: '', tokens: 0 }

/** A lead-in or parent item; a line of more than 200 UTF-16 units is left out. */
export function lineContext(text: string, { start, end }: Line, indent: number, above: Context | undefined) {
  const context = { start, end: nextLine(text, end), indent, above, tokens: 0, repeatedTokens: -1 }
  return end - start > maxLineUnits ? above : context
}

export function headerContext(text: string, header: Line, delimiter: Line, above: Context | undefined): Context {
  const { start, indent } = header
  return { start, end: nextLine(text, delimiter.end), indent, above, tokens: 0, repeatedTokens: -1 }
}

export class ContextLines {
  readonly #text: string
  readonly #counter: TokenCounter
  readonly #maxTokens: number

  constructor(text: string, counter: TokenCounter, targetTokens: number) {
    this.#text = text
    this.#counter = counter
    this.#maxTokens = Math.floor(targetTokens * maxShareOfTarget)
  }

  /** Counts the tokens of the lines that a chunk beginning at `start` repeats. */
  tokens(context: Context, start: number): number {
    const nearest = nearestAbove(context, start)
    if (nearest && nearest.repeatedTokens < 0) this.#select(nearest)
    return nearest?.repeatedTokens ?? 0
  }

  /** Returns no lines before blank lines, where token counts would not add up. */
  lines(context: Context | undefined, start: number, end: number): Repeated {
    const nearest = context && nearestAbove(context, start)
    if (!nearest) return nothing
    let at = start
    while (at < end && isSpaceAt(this.#text, at) && !'\r\n'.includes(this.#text[at]!)) at++
    if (at === end || isSpaceAt(this.#text, at)) return nothing
    return { text: this.#select(nearest), tokens: nearest.repeatedTokens }
  }

  #select(nearest: Context): string {
    let text = ''
    nearest.repeatedTokens = 0
    for (let context: Context | undefined = nearest; context; context = context.above) {
      const { start, end } = context
      if (text.length + end - start > maxUnits) continue
      if (context.tokens === 0) context.tokens = this.#counter.count(start, end)
      const sum = nearest.repeatedTokens + context.tokens
      if (sum > this.#maxTokens) continue
      text = this.#text.slice(start, end) + text
      nearest.repeatedTokens = sum
    }
    return text
  }
}

function nearestAbove(context: Context, start: number): Context | undefined {
  return context.end > start ? context.above : context
}
