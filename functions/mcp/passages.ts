/** The bytes of passages that are read at once: as many as a model can use. */
export const maxBytes = 32 * 1024
/** The passages that are read at once, on either side of the wanted one. */
export const maxPassages = 200

export interface Passage {
  heading: string
  index: number
  text: string
  /** The start and end in the document; null if a client made the chunks. */
  start: number | null
  end: number | null
  previous: number | null
  next: number | null
}

/** The text as in the document, without the overlap with which our chunks repeat the one before. */
export function joined(passages: Passage[]): string {
  return passages
    .map(({ text, start, end }, i) => {
      const before = passages[i - 1]
      if (!before) return text
      if (start === null || end === null || before.end === null) return `\n\n${text}`
      const own = text.slice(text.length - (end - start))
      return own.slice(before.end - start)
    })
    .join('')
}
