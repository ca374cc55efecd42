import { withoutPageNumber } from '../page-number.ts'
import type { PageContent, Word } from './page-content.ts'
import { type Line, linesOf, lineText } from './text-lines.ts'

const margin = 0.1
/** The headers and footers that pages repeat: all their words, and their texts without page numbers. */
export function runningLines(pages: readonly PageContent[]): { words: Set<Word>; texts: string[] } {
  const lines = pages.flatMap((page, index) =>
    marginLines(page).map((line) => ({ line, place: Math.round(line.y / 4), index })),
  )
  const words = new Set<Word>()
  const texts = new Set<string>()
  for (const masked of [false, true]) {
    const textOf = (line: Line, index: number) =>
      masked ? withoutPageNumber(lineText(line), index + 1, pages.length) : lineText(line)
    const left = lines.filter(({ line }) => !words.has(line.words[0]!))
    for (const same of Map.groupBy(left, ({ line, place, index }) => `${place} ${textOf(line, index)}`).values()) {
      if (same.length < Math.max(2, pages.length / 3)) continue
      for (const { line } of same) for (const word of line.words) words.add(word)
      const [{ line, index }] = same as [(typeof same)[number]]
      for (const { text } of line.segments) texts.add(masked ? withoutPageNumber(text, index + 1, pages.length) : text)
    }
  }
  return { words, texts: [...texts].filter(Boolean) }
}

/** The lines in the margins, except rows of a table that continues there, and its header. */
function marginLines({ words, height }: PageContent): Line[] {
  const lines = linesOf(words)
  const isRow = (line: Line, next: Line | undefined) =>
    next !== undefined &&
    line.segments.length > 1 &&
    next.segments.length === line.segments.length &&
    Math.abs(next.y - line.y) < 2.2 * line.size
  return lines.filter(({ y }, at) => {
    if (y < margin * height) return !isRow(lines[at]!, lines[at + 1])
    return y > (1 - margin) * height && !isRow(lines[at]!, lines[at - 1])
  })
}
