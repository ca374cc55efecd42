import type { Backfill } from './backfill.ts'
import { countSearchable } from './count-searchable.ts'
import { indexTerms } from './index-terms.ts'
import { moveVectors } from './move-vectors.ts'

/** In order. One is removed with the old form, in a later release, when every stage has completed it. */
export const backfills: readonly Backfill[] = [
  moveVectors as Backfill,
  indexTerms as Backfill,
  countSearchable as Backfill,
]
