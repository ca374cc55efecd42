import type { PageContent, Word } from './page-content.ts'
import { linesOf, lineText } from './text-lines.ts'

const minPages = 3
const margin = 0.1

/** Words of lines that pages repeat in their margins, except on the first of them. */
export function runningLines(pages: readonly PageContent[]): Set<Word> {
  const found = new Map<string, Word[][]>()
  for (const [index, { words, height }] of pages.entries()) {
    const inMargin = words.filter(({ y }) => y < margin * height || y > (1 - margin) * height)
    for (const line of linesOf(inMargin)) {
      const text = lineText(line).replace(/\d+/g, (digits) => (Number(digits) === index + 1 ? '#' : digits))
      const key = `${Math.round(line.y / 4)} ${text}`
      found.set(key, [...(found.get(key) ?? []), line.words])
    }
  }
  const running = new Set<Word>()
  for (const [key, lines] of found) {
    if (lines.length < Math.max(minPages, pages.length / 3)) continue
    for (const words of key.includes('#') ? lines : lines.slice(1)) for (const word of words) running.add(word)
  }
  return running
}
