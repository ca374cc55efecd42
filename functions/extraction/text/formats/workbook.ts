import type { Cell, CellValue, MergeRange, Sheet } from 'hucre'
import { readXlsx } from 'hucre/xlsx'
import { dateToSerial, format, isDateFormat } from 'numfmt'
import type { Block } from '../../../../shared/text/blocks.ts'
import { Unreadable } from '../../../../shared/text/unreadable.ts'
import { markBlock } from '../page-marks.ts'
import { type SheetCell, sheetBlocks } from './table-rows.ts'

const maxCells = 2_000_000
const maxMergedRows = 10_000
/** Formats that follow the reader's own order of day and month, and are therefore written as ISO dates. */
const dateOfTheReader = /^(m\/d\/yy(yy)?|mm-dd-yy|\[\$-F800\].*|m\/d\/yy h:mm)$/i

/** Reads each sheet under its name, without hidden parts. @throws Unreadable for a file that is not a workbook */
export async function workbookBlocks(file: Buffer): Promise<{ content: Block[]; pages: string[] }> {
  const { sheets } = await readWorkbook(file)
  const content = sheets.flatMap((sheet, index): Block[] => {
    const blocks = sheetBlocks(rowsOf(sheet))
    return blocks.length > 0 ? [markBlock(index), { kind: 'heading', level: 2, text: sheet.name }, ...blocks] : []
  })
  return { content, pages: sheets.map(({ name }) => name) }
}

async function readWorkbook(file: Buffer) {
  try {
    return await readXlsx(file, { readStyles: true, sheets: ({ hidden, veryHidden }) => !hidden && !veryHidden })
  } catch (error) {
    const isTooLarge =
      error instanceof Error && /cells\), over the \d+ limit|RangeError/.test(`${error.name}: ${error.message}`)
    throw new Unreadable(isTooLarge ? 'too_complex' : 'damaged', error)
  }
}

/** Keeps one of many blank rows, since people format sheets down to their ends. */
function rowsOf(sheet: Sheet): SheetCell[][] {
  const merges = mergesByRow(sheet.merges ?? [])
  const shown = sheet.rows.keys().filter((r) => !sheet.rowDefs?.get(r)?.hidden)
  const kept = [...shown.filter((r) => !isBlank(sheet.rows[r]) || !isBlank(sheet.rows[r - 1]) || merges.has(r))]
  const width = kept.reduce((most, r) => Math.max(most, lastUsed(sheet.rows[r]!) + 1), 0)
  if (width * kept.length > maxCells) throw new Unreadable('too_complex')
  const columns = Array.from({ length: width }, (_, c) => c).filter((c) => !sheet.columns?.[c]?.hidden)
  return kept.map((r) =>
    columns.map((c) => {
      const merge = merges.get(r)?.find(({ startCol, endCol }) => startCol <= c && c <= endCol)
      const [row, column] = merge ? [merge.startRow, merge.startCol] : [r, c]
      return cellOf(sheet.rows[row]?.[column], sheet.cells?.get(`${row},${column}`))
    }),
  )
}

function mergesByRow(merges: readonly MergeRange[]): Map<number, MergeRange[]> {
  const byRow = new Map<number, MergeRange[]>()
  for (const merge of merges)
    for (let row = merge.startRow; row <= Math.min(merge.endRow, merge.startRow + maxMergedRows); row++)
      byRow.set(row, [...(byRow.get(row) ?? []), merge])
  return byRow
}

function isBlank(row: readonly CellValue[] | undefined): boolean {
  return row === undefined || lastUsed(row) < 0
}

function lastUsed(row: readonly CellValue[]): number {
  return row.findLastIndex((value) => value !== null && value !== '')
}

function cellOf(value: CellValue | undefined, cell: Cell | undefined): SheetCell {
  const shown = cell?.formulaResult ?? value ?? null
  const { font, fill, numFmt } = cell?.style ?? {}
  const standsOut = font?.bold === true || (fill?.type === 'pattern' && fill.pattern === 'solid')
  if (shown === null) return { text: '', standsOut }
  if (typeof shown === 'string') return { text: shown, standsOut }
  if (typeof shown === 'boolean') return { text: shown ? 'yes' : 'no', standsOut }
  return { text: formatted(shown, numFmt), standsOut }
}

function formatted(value: number | bigint | Date, pattern = 'General'): string {
  if (value instanceof Date) return formattedDate(value, pattern)
  try {
    return format(pattern, Number(value)).trim()
  } catch {
    return String(value)
  }
}

function formattedDate(date: Date, pattern: string): string {
  const iso = date.toISOString()
  if (!isDateFormat(pattern) || dateOfTheReader.test(pattern))
    return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`
  return format(pattern, dateToSerial(date) ?? 0).trim()
}
