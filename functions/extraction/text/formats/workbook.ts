import type { Cell, CellValue, MergeRange, Sheet, SheetFilterInfo } from 'hucre'
import { readXlsx } from 'hucre/xlsx'
import { dateToSerial, format, isDateFormat } from 'numfmt'
import type { Block } from '../../../../shared/text/blocks.ts'
import { Unreadable } from '../../../../shared/text/unreadable.ts'
import { leftOutNotes } from '../left-out.ts'
import { markBlock } from '../page-marks.ts'
import { type SheetCell, sheetBlocks } from './table-rows.ts'

const maxCells = 2_000_000
const maxMergedRows = 10_000
/** Formats that follow the reader's own order of day and month, and are therefore written as ISO dates. */
const dateOfTheReader = /^(m\/d\/yy(yy)?|mm-dd-yy|\[\$-F800\].*|m\/d\/yy h:mm)$/i

const elapsedTime = /\[(?:h+|m+|s+)\]/i
/** The days from 1900 to 1904, from which some workbooks count. */
const daysTo1904 = 1_462

/** Gathers what is left out of a workbook. */
const emptyReport = () => ({
  hidden: { hidden_sheets: 0, hidden_rows: 0, hidden_columns: 0 },
  struck: new Set<Cell>(),
  uncalculated: new Set<Cell>(),
  /** True if the workbook counts days from 1904. */
  is1904: false,
})
type Report = ReturnType<typeof emptyReport>

/** Reads each sheet under its name, without hidden parts and struck cells. @throws Unreadable for a file that is not a workbook */
export async function workbookBlocks(file: Buffer) {
  const report = emptyReport()
  const { sheets, dateSystem } = await readWorkbook(file, report)
  report.is1904 = dateSystem === '1904'
  const content = sheets.flatMap((sheet, index): Block[] => {
    const blocks = sheetBlocks(rowsOf(sheet, report))
    return blocks.length > 0 ? [markBlock(index), { kind: 'heading', level: 2, text: sheet.name }, ...blocks] : []
  })
  const notes = [
    ...leftOutNotes({ ...report.hidden, struck_cells: report.struck.size }),
    ...leftOutNotes({ uncalculated_formulas: report.uncalculated.size }, 'formulas_without_values'),
  ]
  return { content, pages: sheets.map(({ name }) => name), notes }
}

async function readWorkbook(file: Buffer, { hidden }: Report) {
  const isShown = (sheet: SheetFilterInfo) => !sheet.hidden && !sheet.veryHidden
  try {
    return await readXlsx(file, { readStyles: true, sheets: (sheet) => isShown(sheet) || !++hidden.hidden_sheets })
  } catch (error) {
    const isTooLarge =
      error instanceof Error && /cells\), over the \d+ limit|RangeError/.test(`${error.name}: ${error.message}`)
    throw new Unreadable(isTooLarge ? 'too_complex' : 'damaged', error)
  }
}

/** Keeps one of many blank rows, since people format sheets down to their ends. */
function rowsOf(sheet: Sheet, report: Report): SheetCell[][] {
  const merges = mergesByRow(sheet.merges ?? [])
  const isHiddenRow = (r: number) => sheet.rowDefs?.get(r)?.hidden
  report.hidden.hidden_rows += sheet.rows.filter((row, r) => isHiddenRow(r) && !isBlank(row)).length
  const shown = sheet.rows.keys().filter((r) => !isHiddenRow(r))
  const kept = [...shown.filter((r) => !isBlank(sheet.rows[r]) || !isBlank(sheet.rows[r - 1]) || merges.has(r))]
  const width = kept.reduce((most, r) => Math.max(most, lastUsed(sheet.rows[r]!) + 1), 0)
  if (width * kept.length > maxCells) throw new Unreadable('too_complex')
  const all = Array.from({ length: width }, (_, c) => c)
  const columns = all.filter((c) => !sheet.columns?.[c]?.hidden)
  report.hidden.hidden_columns += all.length - columns.length
  const rows = kept.map((r) =>
    columns.map((c) => {
      const merge = merges.get(r)?.find(({ startCol, endCol }) => startCol <= c && c <= endCol)
      const [row, column] = merge ? [merge.startRow, merge.startCol] : [r, c]
      return cellOf(sheet.rows[row]?.[column], sheet.cells?.get(`${row},${column}`), report)
    }),
  )
  // A blank row would part the table, one that is struck does not.
  return rows.filter((cells, at) => isBlank(sheet.rows[kept[at]!]) || cells.some(({ text }) => text))
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

function cellOf(value: CellValue | undefined, cell: Cell | undefined, report: Report): SheetCell {
  const found = cell?.formulaResult ?? value ?? null
  if (cell?.formula !== undefined && found === null) report.uncalculated.add(cell)
  const shown = found === null || !cell ? found : withoutStruck(found, cell, report)
  const { font, fill, numFmt } = cell?.style ?? {}
  const standsOut = font?.bold === true || (fill?.type === 'pattern' && fill.pattern === 'solid')
  if (shown === null) return { text: '', standsOut }
  if (typeof shown === 'string') return { text: shown, standsOut }
  if (typeof shown === 'boolean') return { text: shown ? 'yes' : 'no', standsOut }
  return { text: formatted(shown, numFmt, report), standsOut }
}

function withoutStruck(found: CellValue, cell: Cell, { struck }: Report): CellValue {
  const parts = cell.style?.font?.strikethrough ? [] : cell.richText?.filter(({ font }) => !font?.strikethrough)
  if (!parts || parts.length === cell.richText?.length) return found
  struck.add(cell)
  return parts.map(({ text }) => text).join('')
}

function formatted(value: number | Date, pattern = 'General', { is1904 }: Report): string {
  if (value instanceof Date) return formattedDate(value, pattern, is1904)
  // Excel shortens long numbers only in narrow columns.
  const isLong = Math.abs(value) >= 1e11 && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (isLong && /^(?:General|@)$/i.test(pattern)) return String(value)
  try {
    return format(pattern, value).trim()
  } catch {
    return String(value)
  }
}

function formattedDate(date: Date, pattern: string, is1904: boolean): string {
  const iso = date.toISOString()
  if (!isDateFormat(pattern) || dateOfTheReader.test(pattern))
    return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`
  const daysBefore = is1904 && elapsedTime.test(pattern) ? daysTo1904 : 0
  return format(pattern, (dateToSerial(date) ?? 0) - daysBefore).trim()
}
