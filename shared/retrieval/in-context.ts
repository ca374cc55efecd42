import { termsIn } from '../terms/terms.ts'
import { commonWords } from './keyword/common-words.ts'

/** A turn with fewer terms, everyday words aside, is a fragment: “and on Sundays”, “how much is that”. */
const minTerms = 2

/** The turns that a question may span: earlier ones are no longer about its subject. */
const maxTurns = 4

/** The joined turns keep at most this number of UTF-16 code units, so that they have at most the characters that a search accepts. */
const maxText = 8000

/**
 * Joins a turn, while it is a fragment, with the turns before it that have terms. (Historical query expansion: Lin et al., ACM
 * TOIS 2021.) @param history earlier turns, oldest first
 */
export function inContext(turn: string, history: readonly string[] = []): string {
  const asked = [turn]
  for (const earlier of history.toReversed()) {
    if (asked.length === maxTurns || !isFragment(asked[0]!)) break
    if (hasTerms(earlier)) asked.unshift(earlier)
  }
  return asked.length > 1 ? endOf(asked.join(' ')) : turn
}

interface Heard {
  query: string
  alternatives?: readonly string[] | undefined
  history?: readonly string[] | undefined
}

/** The different hypotheses of a question, each with the turns before it that it needs. */
export function hypothesesOf({ query, alternatives = [], history }: Heard): { query: string; inContext: string }[] {
  return [...new Set([query, ...alternatives])].map((text) => ({ query: text, inContext: inContext(text, history) }))
}

export function hasTerms(text: string): boolean {
  return termsIn(text).length > 0
}

function isFragment(text: string): boolean {
  return termsIn(text).filter((term) => !commonWords.has(term)).length < minTerms
}

/** Keeps the end of a text that is too long, since the caller asks last. */
export function endOf(text: string): string {
  return text
    .slice(-maxText)
    .replace(/^[\udc00-\udfff]/, '')
    .trim()
}
