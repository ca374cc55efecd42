import type { Word } from './page-content.ts'
import { linesOf } from './text-lines.ts'

const minLines = 6
const minLetters = 22
const gutterWidth = 0.7
const maxDepth = 6

/** Groups words: what is above columns of prose, each column, what is below. Table columns have short lines and do not count. */
export function readingOrder(words: readonly Word[], depth = 0): Word[][] {
  const lines = depth < maxDepth ? linesOf(words) : []
  for (const left of columnStarts(lines.flatMap(({ segments }) => segments.map(({ x0 }) => x0)))) {
    const crosses = (word: Word) => word.x0 < left - 1 && word.x1 > left - gutterWidth * word.size
    const run = longestRun(lines.map((line) => !line.words.some(crosses)))
    const inside = lines.slice(run.start, run.end).flatMap((line) => line.words)
    const [before, after] = [inside.filter(({ x0 }) => x0 < left - 1), inside.filter(({ x0 }) => x0 >= left - 1)]
    if (!isProse(before) || !isProse(after)) continue
    const above = lines.slice(0, run.start).flatMap((line) => line.words)
    const below = lines.slice(run.end).flatMap((line) => line.words)
    return [above, before, after, below]
      .filter((part) => part.length > 0)
      .flatMap((part) => readingOrder(part, depth + 1))
  }
  return [[...words]]
}

function columnStarts(edges: readonly number[]): number[] {
  const shared = [...Map.groupBy(edges, Math.round)].filter(([, same]) => same.length >= minLines).map(([edge]) => edge)
  return shared.sort((a, b) => a - b).slice(1)
}

function longestRun(flags: readonly boolean[]): { start: number; end: number } {
  let [best, start] = [{ start: 0, end: 0 }, 0]
  for (let at = 0; at <= flags.length; at++)
    if (!flags[at]) {
      if (at - start > best.end - best.start) best = { start, end: at }
      start = at + 1
    }
  return best
}

function isProse(words: readonly Word[]): boolean {
  const lines = linesOf(words)
  const letters = words.reduce((sum, { text }) => sum + text.length + 1, 0)
  const broken = lines.filter(({ segments }) => segments.length > 1).length
  return lines.length >= minLines && letters >= minLetters * lines.length && broken * 2 < lines.length
}
