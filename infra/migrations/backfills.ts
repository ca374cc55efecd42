import type { Backfill } from './backfill.ts'

/** In order. One is removed with the old form, in a later release, when every stage has completed it. */
export const backfills: readonly Backfill[] = []
