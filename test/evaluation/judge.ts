import type { Hit } from '../../shared/retrieval/schemas.ts'
import type { Expected } from './questions.ts'

export type Found = Pick<Hit, 'document_title' | 'content' | 'score'>

/** How many hits a search is asked for. */
export const depth = 10

/** @returns the place of the first right hit, 1 for the best; undefined when none is right */
export function rankOf(found: readonly Found[], expected: Expected): number | undefined {
  const place = found.findIndex((hit) => isRight(hit, expected))
  return place < 0 ? undefined : place + 1
}

function isRight(hit: Found, { title, words }: Expected): boolean {
  return (
    (title === undefined || normalized(hit.document_title) === normalized(title)) &&
    (words === undefined || normalized(hit.content).includes(normalized(words)))
  )
}

/** Whoever writes down the right words copies them from a page: where its lines break, they do not know. */
export function normalized(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim().toLowerCase()
}
