import { answerOf, type Found, withinLimit } from '../../shared/retrieval/found.ts'
import { placeOf } from '../../shared/retrieval/index/agent-index.ts'
import { type Asked, type Filters, firstLimit, maxRefills, planOf, whereabouts } from '../../shared/retrieval/plan.ts'
import type { Mode } from '../../shared/retrieval/schemas.ts'
import { chosenBy, cosinesOf, type Knowledge, passageOf } from './knowledge.ts'

interface Question {
  mode: Mode
  hypotheses: readonly Asked[]
  filters: Filters
}

/** Searches as the service does (shared/retrieval/search.ts), but with the vectors and texts at hand. */
export function find(knowledge: Knowledge, { mode, hypotheses, filters }: Question): Found {
  const { index } = knowledge
  const { seen, history, as_of } = filters
  const at = as_of === undefined ? new Date() : new Date(as_of)
  const moment = { at, place: whereabouts(index.agent) }
  const chosen = chosenBy(knowledge, filters)
  let limit = firstLimit(filters)
  for (let refills = 0; ; refills++) {
    const plan = planOf(index, { mode, hypotheses, history, seen, moment, limit, chosen })
    const ranked = plan.draft.finish(cosinesOf(knowledge, plan.wanted.vectors, plan.wanted.compared))
    const texts = ranked.map(({ chunk }) => passageOf(knowledge, placeOf(index, chunk)))
    const isAll = ranked.length < limit || refills === maxRefills
    const found = withinLimit(answerOf(plan, ranked, texts), filters, isAll)
    if (found) return found
    limit *= 4
  }
}
