import { groupBy, overlap } from '../../built-ins.ts'
import { keyOf } from '../../terms/terms.ts'
import { codeWeight, type KeywordQuery, keywordQuery } from './keyword-query.ts'

/** A term of one of the ways of a group: see `KeywordQuery`. */
export interface SoughtTerm {
  group: number
  way: number
  key: number
  weight: number
  isFallback: boolean
  isRequired: boolean
}

/** A term's weight among the chunks that a question may find. */
export interface WeighedTerm extends SoughtTerm {
  worth: number
  isCode: boolean
  /** True if a chunk can be found by its way. */
  isUsable: boolean
  /** True if the agent has its group. */
  isKnown: boolean
  /** The part of what its group is worth in the whole question; the terms of a group share it. */
  share: number
}

/** Words of turns further back weigh less than a tenth, and cost time. */
const heardTurns = 3
/** Earlier turns add terms until there are so many with the question's own, or until the next multiple if the question has more. */
const roomPerTerms = 12
/** An earlier turn's words weigh half as much as those of the turn after it. */
const perTurn = 0.5
/** The part of a word in one chunk that a required word weighs which no chunk has. */
const missingShare = 0.6

/**
 * The terms of a question, and of the last turns before it while there is room. A word in several turns counts once, by its largest
 * weight; a missing earlier word lowers no score.
 */
export function soughtTerms(query: KeywordQuery | undefined, history: readonly string[] = []): SoughtTerm[] {
  const sought = (query?.entries ?? []).map(({ slot, group, ...entry }) => ({
    ...entry,
    group,
    key: keyOf(query!.terms[slot]!),
    isRequired: query!.required[group]!,
  }))
  const keys = new Set(sought.map(({ key }) => key))
  const heard = new Set(keys)
  const room = roomPerTerms * Math.max(1, Math.ceil(keys.size / roomPerTerms))
  for (const [i, turn] of history.slice(-heardTurns).toReversed().entries()) {
    const { entries = [], terms = [] } = keywordQuery(turn) ?? {}
    const spelt = entries.filter(({ isFallback }) => !isFallback)
    for (const group of groupBy(spelt, (entry) => entry.group).values()) {
      const said = group.map(({ slot, way, weight }) => ({
        way,
        weight: weight * perTurn ** (i + 1),
        key: keyOf(terms[slot]!),
      }))
      const own = new Set(said.map(({ key }) => key))
      const isHeard = overlap(own, heard)
      for (const key of own) heard.add(key)
      if (isHeard) continue
      if (keys.size + own.size > room) return sought
      for (const key of own) keys.add(key)
      const number = -keys.size
      sought.push(...said.map((term) => ({ ...term, group: number, isFallback: false, isRequired: false })))
    }
  }
  return sought
}

/**
 * Weighs terms. A rarer word weighs more (idf of BM25, Robertson & Zaragoza 2009). A fallback counts only if no chunk has its group in
 * another way. A required word that no chunk has weighs `missingShare` of a word in one chunk.
 * @param chunksWith the number of chunks that have a term
 */
export function weigh(
  terms: readonly SoughtTerm[],
  allChunks: number,
  chunksWith: (key: number) => number,
): WeighedTerm[] {
  return [...groupBy(terms, ({ group }) => group).values()].flatMap((group) => {
    const ways = [...groupBy(group, ({ way }) => way).values()].map((way) => {
      const worths = way.map(({ key, weight }) => {
        const having = chunksWith(key)
        return weight * Math.log(1 + (allChunks - having + 0.5) / (having + 0.5))
      })
      const worth = worths.reduce((sum, each) => sum + each, 0)
      const isKnown = way.every(({ key }) => chunksWith(key) > 0)
      return { way, worths, worth, isKnown, isFallback: way[0]!.isFallback }
    })
    const best = (of: typeof ways) => (of.length > 0 ? Math.max(...of.map(({ worth }) => worth)) : undefined)
    const spelt = best(ways.filter(({ isKnown, isFallback }) => isKnown && !isFallback))
    const known = spelt ?? best(ways.filter(({ isKnown }) => isKnown))
    const missing = group[0]!.isRequired ? missingShare * best(ways)! : 0
    const share = (known ?? missing) / group.length
    return ways.flatMap(({ way, worths, isKnown, isFallback }) =>
      way.map((term, i) => ({
        ...term,
        worth: worths[i]!,
        isCode: term.weight >= codeWeight,
        isUsable: isKnown && !(isFallback && spelt !== undefined),
        isKnown: known !== undefined,
        share,
      })),
    )
  })
}
