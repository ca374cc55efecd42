import type { Block } from '../blocks.ts'
import type { PageContent, Word } from './page-content.ts'
import { type FontSizes, textBlocks } from './paragraphs.ts'
import { readingOrder } from './reading-order.ts'
import { ruledTables } from './ruled-tables.ts'
import { runningLines } from './running-lines.ts'
import { linesOf } from './text-lines.ts'

const maxHeadingSizes = 4

/** What a page shows, in the order of reading; `doubtful` holds the passages whose layout can be read in two ways, '' for the whole page. */
export interface LaidOutPage {
  blocks: Block[]
  doubtful: string[]
}

/** Reads the pages of one document by the places of their words and rulings, in points from the top left; a word's `y` is its baseline, its
 * `size` that of its font. Recognised words have no font (`font: ''`, `bold` and `placed` false), and may have no rulings. */
export function laidOutPages(pages: readonly PageContent[]): LaidOutPage[] {
  const running = runningLines(pages)
  const sizes = fontSizes(pages)
  return pages.map((page) => ({ blocks: laidOutBlocks(page, running, sizes), doubtful: [] }))
}

function laidOutBlocks(page: PageContent, running: ReadonlySet<Word>, sizes: FontSizes): Block[] {
  const { tables, rest } = ruledTables(
    page.words.filter((word) => !running.has(word)),
    page.rulings,
  )
  tables.sort((a, b) => a.top - b.top)
  const blocks: Block[] = []
  const right = Math.max(...page.words.map(({ x1 }) => x1))
  let words = rest
  for (const { top, ...table } of [...tables, { top: Number.POSITIVE_INFINITY, kind: 'table' as const, rows: [] }]) {
    const above = words.filter(({ y }) => y <= top + 3)
    const parts = readingOrder(above).filter((part) => part.length > 0)
    for (const part of parts)
      blocks.push(...textBlocks(linesOf(part), sizes, parts.length > 1 ? Math.max(...part.map(({ x1 }) => x1)) : right))
    words = words.filter(({ y }) => y > top + 3)
    if (table.rows.length > 0) blocks.push({ kind: 'table', rows: table.rows })
  }
  if (page.turned.length > 0) blocks.push({ kind: 'paragraph', text: page.turned.join(' ') })
  return blocks
}

function fontSizes(pages: readonly PageContent[]): FontSizes {
  const letters = new Map<number, number>()
  for (const { words } of pages)
    for (const { size, text } of words) {
      const rounded = Math.round(size * 2) / 2
      letters.set(rounded, (letters.get(rounded) ?? 0) + text.length)
    }
  const body = [...letters].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [10, 0])[0]
  const headings = [...letters.keys()].filter((size) => size >= 1.15 * body).sort((a, b) => b - a)
  return { body, headings: headings.slice(0, maxHeadingSizes) }
}
