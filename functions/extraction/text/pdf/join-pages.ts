import type { Block, Table } from '../blocks.ts'
import { isAmount } from '../table-header.ts'

export function joinPages(pages: readonly Block[][]): Block[] {
  const blocks: Block[] = []
  for (const page of pages) {
    const [first, ...rest] = page
    const last = blocks.at(-1)
    if (last?.kind === 'table' && first?.kind === 'table' && isContinued(last, first)) {
      last.rows.push(...withoutHeader(first.rows, last.rows[0]!))
      blocks.push(...rest)
    } else if (last?.kind === 'paragraph' && first?.kind === 'paragraph' && goesOn(last.text, first.text)) {
      last.text += ` ${first.text}`
      blocks.push(...rest)
    } else blocks.push(...page)
  }
  return blocks
}

/** A table with a header of its own does not continue one. */
function isContinued(table: Table, next: Table): boolean {
  if (width(table) !== width(next)) return false
  const repeats = next.rows[0]!.join('\n') === table.rows[0]!.join('\n')
  const isNamed = !next.rows[0]!.some(isAmount) && next.rows.some((row) => row.some(isAmount))
  return repeats || !isNamed
}

function width({ rows }: Table): number {
  return Math.max(...rows.map((row) => row.length))
}

function withoutHeader(rows: string[][], header: readonly string[]): string[][] {
  return rows[0]?.join('\n') === header.join('\n') ? rows.slice(1) : rows
}

function goesOn(before: string, after: string): boolean {
  return /[\p{Ll},]/u.test(before.slice(-1)) && /^\p{Ll}/u.test(after)
}
