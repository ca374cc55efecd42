import { termsIn } from '../terms/terms.ts'
import { commonWords } from './keyword/common-words.ts'

/** A turn with fewer terms, everyday words aside, is a fragment: “and on Sundays”, “how much is that”. */
const minTerms = 2

/** The turns that a question may span: what lies further back is no longer the subject. */
const maxTurns = 4

/** The length of a text in UTF-16 code units, so at most as many characters as a search takes. */
const maxText = 8000

/**
 * What a turn means: the turn and, while it is a fragment, those before it that have terms. (Historical query expansion: Lin et al., ACM
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

export function hasTerms(text: string): boolean {
  return termsIn(text).length > 0
}

function isFragment(text: string): boolean {
  return termsIn(text).filter((term) => !commonWords.has(term)).length < minTerms
}

/** The end of a text that is too long: what was said last is what is asked. */
export function endOf(text: string): string {
  return text
    .slice(-maxText)
    .replace(/^[\udc00-\udfff]/, '')
    .trim()
}
