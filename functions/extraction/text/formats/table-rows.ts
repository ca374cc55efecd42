import type { Block, Table } from '../blocks.ts'
import { isAmount } from '../table-header.ts'

export type SheetCell = { text: string; numeric: boolean }

/** Splits a sheet by its blank rows. A table without a row of column names continues the one above and repeats its header. */
export function sheetBlocks(rows: readonly (readonly SheetCell[])[]): Block[] {
  const blocks: Block[] = []
  let header: string[] | undefined
  for (const group of groupsOf(rows)) {
    const titles = titleRows(group)
    for (const row of group.slice(0, titles)) blocks.push({ kind: 'paragraph', text: textOf(row) })
    const body = group.slice(titles)
    if (body.length === 0) continue
    const texts = body.map((row) => row.map(({ text }) => text))
    const last = blocks.at(-1)
    if (!header || isHeader(body)) {
      header = texts[0]!
      blocks.push({ kind: 'table', rows: texts })
    } else if (last?.kind === 'table') last.rows.push(...texts)
    else blocks.push({ kind: 'table', rows: [header, ...texts] } satisfies Table)
  }
  return blocks
}

function groupsOf(rows: readonly (readonly SheetCell[])[]): (readonly SheetCell[])[][] {
  const groups: (readonly SheetCell[])[][] = []
  let open = false
  for (const row of rows) {
    const blank = row.every(({ text }) => text.trim() === '')
    if (!blank && open) groups.at(-1)!.push(row)
    else if (!blank) groups.push([row])
    open = !blank
  }
  return groups
}

/** The number of leading rows with a single text, merged or not. */
function titleRows(group: readonly (readonly SheetCell[])[]): number {
  const first = group.findIndex((row) => new Set(row.map(({ text }) => text).filter(Boolean)).size > 1)
  return first < 0 ? group.length : first
}

function textOf(row: readonly SheetCell[]): string {
  return row.find(({ text }) => text)?.text ?? ''
}

function isHeader([first, ...rest]: (readonly SheetCell[])[]): boolean {
  return rest.length > 0 && !first!.some(({ text, numeric }) => numeric || isAmount(text))
}
