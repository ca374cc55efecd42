import { BoundedMap } from '../../../shared/bounded-map.ts'
import { isCode, type KeywordQuery, keywordQuery } from '../../../shared/retrieval/keyword/keyword-query.ts'
import { termsOf } from '../../../shared/terms/terms.ts'
import { unspaced, wordsOf } from '../../../shared/terms/words.ts'
import { normalForm } from '../../../shared/text/normal-form.ts'

/** A word, number or code in a question: the terms of which any stands for it. */
export type Feature = readonly string[]

export function wordingOf(question: string): string {
  return normalForm(question)
    .toLowerCase()
    .replaceAll(/(?<!\p{N})\p{P}+|\p{P}+(?!\p{N})/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The features of recent wordings: reading a wording takes half a millisecond, and a page groups thousands. */
const known = new BoundedMap<string, Feature[]>(5000)

/**
 * Uses the terms of search by words, so that "k double four seven one" and "K-4471" are alike: of words that a text must have, if
 * there are any. A code or number counts twice.
 */
export function featuresOf(wording: string): Feature[] {
  return known.getOrInsertComputed(wording, () => {
    const sought = keywordQuery(wording)
    return sought ? featuresOfSought(sought, wording) : [[wording]]
  })
}

function featuresOfSought({ entries, spans, required, terms }: KeywordQuery, wording: string): Feature[] {
  const words = wordsOf(wording)
  const entriesOf = Map.groupBy(entries, ({ group }) => group)
  const isRequired = (group: number) => required[group] || !required.some(Boolean)
  return [...entriesOf].flatMap(([group, entries]) => {
    const { from, to } = spans[group]!
    const { text } = words[from]!
    if (to - from === 1 && unspaced.test(text)) return termsOf(text).map((term) => [term])
    // Two words that may be one misheard name are also features of their own.
    if (!isRequired(group) || entries.every(({ isFallback }) => isFallback)) return []
    const ways = Map.groupBy(entries, ({ way }) => way)
    const own = [...ways.values()].map((way) => way.map(({ slot }) => terms[slot]!))
    const wholes = own.flatMap((way) => (way.length === 1 ? way : []))
    if (wholes.length === 0) return own[0]!.map((term) => [term])
    return wholes.some(isCode) ? [wholes, wholes] : [wholes]
  })
}
