import type { ExtractionNote } from '../../../shared/database/tables.ts'

/** The notes on parts that were left out. @param counts by kind, in the plural: `hidden_slides` */
export function leftOutNotes(
  counts: Record<string, number>,
  code: 'hidden_text_left_out' | 'formulas_without_values' = 'hidden_text_left_out',
): ExtractionNote[] {
  return Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [{ code, kind, count }] : []))
}
