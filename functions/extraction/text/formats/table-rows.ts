import type { Block, Table } from '../../../../shared/text/blocks.ts'
import { columnGroups, headerRowsOf, lineOf, titleRowsOf } from '../../../../shared/text/table-header.ts'

/** `standsOut` is true for a bold or shaded cell. */
export type SheetCell = { text: string; standsOut?: boolean }

/** Splits a sheet by its blank rows and columns. A table without a row of column names continues the one above and repeats its header. */
export function sheetBlocks(rows: readonly (readonly SheetCell[])[]): Block[] {
  const blocks: Block[] = []
  let header: string[][] = []
  for (const group of groupsOf(rows).flatMap(sideBySide)) {
    const all = group.map((row) => row.map(({ text }) => text))
    const titles = titleRowsOf(all)
    for (const row of all.slice(0, titles)) blocks.push({ kind: 'paragraph', text: lineOf(row) })
    const [texts, body] = [all.slice(titles), group.slice(titles)]
    if (body.length === 0) continue
    const last = blocks.at(-1)
    const headerRows = headerOf(body)
    if (headerRows > 0 || header[0]?.length !== texts[0]!.length) {
      header = texts.slice(0, headerRows)
      blocks.push({ kind: 'table', rows: texts, headerRows })
    } else if (last?.kind === 'table') last.rows.push(...texts)
    else blocks.push({ kind: 'table', rows: [...header, ...texts], headerRows: header.length } satisfies Table)
  }
  return blocks
}

function sideBySide(group: readonly (readonly SheetCell[])[]): (readonly SheetCell[])[][] {
  const groups = columnGroups(group.map((row) => row.map(({ text }) => text)))
  if (groups.length === 1) return [[...group]]
  return groups.map((columns) =>
    group.map((row) => columns.map((column) => row[column]!)).filter((row) => row.some(({ text }) => text)),
  )
}

function headerOf(body: readonly (readonly SheetCell[])[]): number {
  const filled = body.map((row) => row.filter(({ text }) => text))
  const texts = body.map((row) => row.map(({ text }) => text))
  return body.length > 1
    ? headerRowsOf(
        texts,
        filled.map((row) => row.every(({ standsOut }) => standsOut)),
      )
    : 0
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
