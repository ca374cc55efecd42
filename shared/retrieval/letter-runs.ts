import { readText } from './read-text.ts'
import type { Hit } from './schemas.ts'

/** Ten hits are compared even if fewer are requested, so that their order does not depend on the limit. */
export const comparedPassages = 10
const runLength = 6
/** A passage with all runs of the question gets this share of the rest to 1. */
const runsShare = 0.2
/** A longer question is cut, since each of its runs is looked for in each hit. */
const maxLetters = 300

/**
 * Reorders the best hits by the runs of six letters that they share with the question or its best hypothesis, without spaces and everyday
 * words. A word that a recogniser splits, joins or misspells keeps some runs; words in the passage's order have more. @param hits best first
 */
export function orderedByRuns<Found extends Pick<Hit, 'content' | 'document_title' | 'score'>>(
  queries: readonly string[],
  hits: readonly Found[],
): Found[] {
  const compared = hits.slice(0, comparedPassages)
  const texts = compared.map(
    ({ document_title, content }) => readText(document_title).letters + readText(content).letters,
  )
  const shares = queries.map((query) => sharesOfRuns(query, texts))
  const raised = compared.map((hit, i) => {
    const share = Math.max(0, ...shares.map((each) => each[i]!))
    return { ...hit, score: hit.score + runsShare * share * (1 - hit.score) }
  })
  return [...raised.sort((a, b) => b.score - a.score), ...hits.slice(comparedPassages)]
}

/** The share of the question's runs that each text has, 0 to 1; a run that fewer texts have weighs more. */
function sharesOfRuns(query: string, texts: readonly string[]): number[] {
  const letters = readText(query).letters.slice(0, maxLetters)
  const runs = new Set(
    Array.from({ length: Math.max(0, letters.length - runLength + 1) }, (_, i) => letters.slice(i, i + runLength)),
  )
  const found = texts.map(() => 0)
  let all = 0
  for (const run of runs) {
    const has = texts.map((text) => text.includes(run))
    const having = has.filter(Boolean).length
    const worth = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5))
    all += worth
    for (const [i, isThere] of has.entries()) if (isThere) found[i]! += worth
  }
  return found.map((worth) => (all > 0 ? worth / all : 0))
}
