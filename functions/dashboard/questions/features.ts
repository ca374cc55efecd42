import { BoundedMap } from '../../../shared/bounded-map.ts'
import { isCode, type KeywordQuery, keywordQuery } from '../../../shared/retrieval/keyword/keyword-query.ts'
import { termsOf } from '../../../shared/terms/terms.ts'
import { unspaced, wordsOf } from '../../../shared/terms/words.ts'
import { normalForm } from '../../../shared/text/normal-form.ts'

/** A word, number or code in a question, with the terms that stand for it. */
export type Feature = { terms: readonly string[]; weight: number }

const commonWeight = 0.3
const codeWeight = 2
/** Pairs of characters weigh less: any two sentences share some by chance. */
const pairWeight = 0.5

export function wordingOf(question: string): string {
  return normalForm(question)
    .toLowerCase()
    .replaceAll(/(?<!\p{N})\p{P}+|\p{P}+(?!\p{N})/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The features of recent wordings: reading a wording takes half a millisecond, and a page groups thousands. */
const known = new BoundedMap<string, Feature[]>(5000)

/** Uses the terms of search by words, so that "k double four seven one" and "K-4471" are alike. */
export function featuresOf(wording: string): Feature[] {
  return known.getOrInsertComputed(wording, () => {
    const sought = keywordQuery(wording)
    return sought ? featuresOfSought(sought, wording) : [{ terms: [wording], weight: 1 }]
  })
}

type Entry = { group: number; way: number; term: string; isFallback: boolean }

function featuresOfSought(sought: KeywordQuery, wording: string): Feature[] {
  const words = wordsOf(wording)
  const entries = sought.entries.map((entry) => ({ ...entry, term: sought.terms[entry.slot]! }))
  return [...Map.groupBy(entries, ({ group }) => group)].flatMap(([group, entries]) => {
    const { from, to } = sought.spans[group]!
    const weight = sought.required[group] ? 1 : commonWeight
    const { text } = words[from]!
    if (to - from === 1 && unspaced.test(text))
      return termsOf(text).map((term) => ({ terms: [term], weight: pairWeight * weight }))
    // Two words that may be one misheard name are also features of their own.
    if (entries.every(({ isFallback }) => isFallback)) return []
    return featuresOfGroup(entries).map((terms) => ({ terms, weight: terms.some(isCode) ? codeWeight : weight }))
  })
}

function featuresOfGroup(entries: Entry[]): string[][] {
  const ways = [...Map.groupBy(entries, ({ way }) => way).values()]
  const wholes = ways.filter((way) => way.length === 1).map(([entry]) => entry!.term)
  return wholes.length > 0 ? [wholes] : ways[0]!.map(({ term }) => [term])
}
