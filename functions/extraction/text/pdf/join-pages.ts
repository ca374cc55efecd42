import type { Block, Table } from '../../../../shared/text/blocks.ts'
import { headerRowsOf, isAmount } from '../../../../shared/text/table-header.ts'
import { markBlock, pageMark } from '../page-marks.ts'

/** Marks where each page begins, even within a table or paragraph that continues. */
export function joinPages(pages: readonly Block[][]): Block[] {
  const blocks: Block[] = []
  // Joined once at the end: each look at the end of a growing text would copy it.
  const continued = new Map<{ text: string }, string[]>()
  for (const [index, page] of pages.entries()) {
    const [first, ...rest] = page
    const last = blocks.at(-1)
    if (last?.kind === 'table' && first?.kind === 'table' && isContinued(last, first)) {
      last.rows.push(...beginningWith(pageMark(index), withoutHeader(first.rows, last.rows[0]!)))
      blocks.push(...rest)
    } else if (last?.kind === 'paragraph' && first?.kind === 'paragraph') {
      const parts = continued.get(last) ?? [last.text]
      const isOne = goesOn(parts.at(-1)!, first.text)
      if (isOne) {
        parts.push(pageMark(index) + first.text)
        continued.set(last, parts)
      }
      blocks.push(...(isOne ? rest : [markBlock(index), ...page]))
    } else if (first) blocks.push(markBlock(index), ...page)
  }
  for (const [paragraph, parts] of continued) paragraph.text = parts.join(' ')
  return blocks
}

/** A table with a header of its own does not continue one. */
function isContinued(table: Table, next: Table): boolean {
  if (width(table) !== width(next)) return false
  const repeats = next.rows[0]!.join('\n') === table.rows[0]!.join('\n')
  const isNamed = headerRowsOf(next.rows) > 0 && next.rows.some((row) => row.some(isAmount))
  return repeats || !isNamed
}

function width({ rows }: Table): number {
  return Math.max(...rows.map((row) => row.length))
}

function withoutHeader(rows: string[][], header: readonly string[]): string[][] {
  return rows[0]?.join('\n') === header.join('\n') ? rows.slice(1) : rows
}

/** The mark goes into the first row that names no group. */
function beginningWith(mark: string, rows: string[][]): string[][] {
  const at = rows.findIndex((row) => new Set(row.filter(Boolean)).size > 1)
  const cell = rows[at]?.findIndex(Boolean)
  return rows.map((row, r) => (r === at ? row.map((text, c) => (c === cell ? mark + text : text)) : row))
}

function goesOn(before: string, after: string): boolean {
  return /[\p{Ll},]/u.test(before.slice(-1)) && /^\p{Ll}/u.test(after)
}
