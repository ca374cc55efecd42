export const call = {
  keep: 'Keep this call as a golden question',
  modes: { hybrid: 'by words and meaning', semantic: 'by meaning', keyword: 'by words' },
} as const

/** What to do about an answer. */
export const ways = {
  of: (way: string, question: string) => `${way}: “${question}”`,
} as const
