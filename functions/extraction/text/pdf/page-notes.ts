import type { ExtractionNote } from '../../../../shared/database/tables.ts'

/** A listener, called before each page that has to be recognised. */
export type Progress = (pagesRead: number, pages: number) => void

export function notesOn(page: number, isDoubtful: boolean, passages: readonly string[] = []): ExtractionNote[] {
  return [
    ...(isDoubtful ? [{ code: 'doubtful_layout' as const, page, text: '' }] : []),
    ...passages.map((text) => ({ code: 'doubtful_words' as const, page, text: text.slice(0, 200) })),
  ]
}
