import { readText } from './read-text.ts'
import type { Hit } from './schemas.ts'
import { textOf } from './unequal.ts'

const maxFurtherPassages = 30

/** The number of hits to find beyond those that are returned, since seen ones may come behind them. */
export function furtherPassages(seen: readonly string[] = []): number {
  return Math.min(seen.length, maxFurtherPassages)
}

/**
 * Puts each hit whose text the call was given behind all others that have at least as many of the question's words, and at least one.
 * Scores stay the same. @param queries the question's hypotheses @param hits best first @param seen ids of chunks, or `document#index`
 */
export function unseenFirst<Found extends Omit<Hit, 'scores' | 'source'>>(
  queries: readonly string[],
  hits: readonly Found[],
  seen: readonly string[] = [],
): Found[] {
  const given = new Set(seen)
  const isGiven = ({ chunk_id, document_id, chunk_index }: Found) =>
    given.has(chunk_id) || given.has(`${document_id}#${chunk_index}`)
  const texts = new Set(hits.filter(isGiven).map(textOf))
  const isSeen = (hit: Found) => texts.has(textOf(hit))
  const unseen = hits.filter((hit) => !isSeen(hit))
  if (unseen.length === hits.length) return unseen
  const words = wordsOf(queries)
  const met = new Map(hits.map((hit) => [hit, wordsMet(words, `${hit.document_title} ${hit.content}`)]))
  const ordered = new Set<Found>()
  for (const hit of hits) {
    if (isSeen(hit)) for (const other of unseen) if (met.get(other)! >= Math.max(1, met.get(hit)!)) ordered.add(other)
    ordered.add(hit)
  }
  return [...ordered]
}

/** The meanings of each word that is no stop word. */
function wordsOf(queries: readonly string[]): (readonly string[])[] {
  const words = queries.flatMap((query) => readText(query).words)
  const said = words.filter(({ hasTerms }) => hasTerms)
  return [...new Map(said.map(({ stem, meanings }) => [stem, meanings])).values()]
}

/** The number of the words that a text has, each as a word or a concept. */
function wordsMet(words: readonly (readonly string[])[], text: string): number {
  const has = readText(text).meanings
  return words.filter((meanings) => meanings.some((each) => has.has(each))).length
}
