import { normalForm } from '../text/normal-form.ts'

/** The characters that a search reads of all its texts together, in normal form, which may be 18 times as long as what was sent. */
export const maxHeard = 16_000
const maxQuery = 8_000
/** The earlier turns of a call that a search takes. */
export const maxTurns = 10

interface Heard {
  query?: string | undefined
  alternatives?: string[] | undefined
  history?: readonly string[] | undefined
}

/**
 * A question without what would take seconds of a processor to read: the query keeps its beginning; then the first alternatives, and
 * the last turns, that fit. Several questions of one message share `characters`.
 */
export function withinBudget<Question extends Heard>(question: Question, characters = maxHeard): Question {
  const { query, alternatives, history } = question
  let left = characters
  const max = Math.min(maxQuery, characters)
  const whole = query && normalForm(query)
  const heard = whole && whole.length > max ? whole.slice(0, max).toWellFormed() : query
  left -= heard?.length ?? 0
  const fits = (text: string) => {
    if (left <= 0) return false
    left -= normalForm(text).length
    return left >= 0
  }
  return {
    ...question,
    query: heard,
    alternatives: alternatives?.filter(fits),
    history: history?.toReversed().filter(fits).toReversed(),
  }
}
