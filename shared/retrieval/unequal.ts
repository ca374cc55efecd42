import { groupBy } from '../built-ins.ts'
import { readText } from './read-text.ts'
import type { Hit } from './schemas.ts'

/** What equal passages have in common. */
export function textOf({ content }: Pick<Hit, 'content'>): string {
  return readText(content).line
}

/**
 * Keeps the hits of one document for each text, at the place and with the scores of the best: the newest document among those whose title
 * and headings have as many of the question's words. @param hits best first
 */
export function unequal<Found extends Pick<Hit, 'document_id' | 'content' | 'score' | 'scores'>>(
  hits: readonly Found[],
): Found[] {
  const wordsOf = ({ scores }: Found) => scores.keyword ?? 0
  return [...groupBy(hits, textOf).values()].flatMap((copies) => {
    const { score, scores } = copies[0]!
    const [kept] = copies.toSorted((a, b) => wordsOf(b) - wordsOf(a) || b.document_id.localeCompare(a.document_id))
    const ofKept = copies.filter(({ document_id }) => document_id === kept!.document_id)
    return ofKept.map((hit) => ({ ...hit, score, scores }))
  })
}
