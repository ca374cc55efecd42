import { amountKind, isLabel } from '../../text/table-header.ts'
import type { HitTable, TableRow } from '../tables.ts'
import type { AskedTurn, Unit } from './asked.ts'
import { columnsOfKind, saysKind } from './kinds.ts'
import { meets, type Range, rangesIn } from './quantities.ts'
import { namesIn, readerOf, type Strengths, stemsIn } from './reading.ts'

/** A cell whose row, column, headings and title account for every content word of the question. */
export interface ProvenCell {
  table: HitTable
  text: string
  row: string[]
  column: string[]
  /** The number of the question's words that its row and its column meet. */
  score: number
  /** True if the row, or the column, has no word that the question lacks. */
  isRowNamed: boolean
  isColumnNamed: boolean
  /** True if an earlier turn fills what the last one leaves open. */
  isFilled: boolean
}

const contextShare = 0.1
const fillerShare = 0.3
const rounding = 1e-6

/**
 * The cells that the last turn names, best first. The turns before it fill the dimension that it leaves open: their word for another row
 * is excused if the last turn names this row, and so for columns.
 * @param turns the last one first @param vocabulary the stems of all passages @param isRequired true for words to account for
 */
export function provenCells(
  turns: readonly AskedTurn[],
  tables: readonly HitTable[],
  vocabulary: ReadonlySet<string>,
  isRequired: (unit: Unit) => boolean,
): ProvenCell[] {
  const units = turns.flatMap(({ units }) => units)
  const isLast = units.map((_, u) => u < turns[0]!.units.length)
  const required = units.map(isRequired)
  const kinds = turns.find(({ kinds }) => kinds.size > 0)?.kinds ?? new Set()
  const end = turns.find(({ end }) => end)?.end
  const read = readerOf(units, vocabulary)
  const best = (all: readonly Strengths[]) => units.map((_, u) => Math.max(0, ...all.map((met) => met[u]!)))
  const isNamed = (met: Strengths) => units.some((_, u) => isLast[u] && required[u] && met[u]! > 0)
  return tables.flatMap(cellsOf).sort((a, b) => b.score - a.score)

  function cellsOf(table: HitTable): ProvenCell[] {
    const [first = [], ...others] = table.columns
    const context = best([...table.context, ...first].map(read))
    const columns = [best([]), ...others.map((path) => best(path.map(read)))]
    const rows = table.rows.map((row) => best(textsOfRow(row).map(read)))
    const most = { row: best(rows), column: best(columns) }
    const fits = columnsOfKind(kinds, table)
    return table.rows.flatMap((row, r) =>
      row.cells.flatMap((text, c) => {
        const [inRow, inColumn] = [rows[r]!, columns[c]!]
        const isColumn = units.some((_, u) => required[u] && inColumn[u]! > Math.max(inRow[u]!, context[u]!))
        const isSought = kinds.size > 0 ? fits[c] : isColumn || others.length === 1
        if (c === 0 || !/[\p{L}\d]/u.test(text) || !isSought) return []
        const inHours = read(text).map((strength, u) => (units[u]!.ranges.some(isTime) ? strength : 0))
        let score = 0
        let isRow = table.rows.length === 1
        let isFilled = false
        for (const [u, { isContent }] of units.entries()) {
          const met = Math.max(inRow[u]!, inColumn[u]!, inHours[u]!)
          const isBetterElsewhere = met < Math.max(most.row[u]!, most.column[u]!)
          if (required[u] && (isBetterElsewhere || Math.max(met, context[u]!) === 0)) {
            const isOtherRow = inRow[u]! < most.row[u]! && isNamed(inRow)
            const isOtherColumn = inColumn[u]! < most.column[u]! && isNamed(inColumn)
            if (isLast[u] || !(isOtherRow || isOtherColumn)) return []
            continue
          }
          isRow ||= isContent && inRow[u]! > 0
          isFilled ||= isContent && !isLast[u] && met > 0
          score += (isContent ? 1 : fillerShare) * Math.max(met, contextShare * context[u]!)
        }
        const column = table.columns[c]!
        if (!isRow || (end && !tellsHours(text, column))) return []
        const isRowNamed = isAsked(row.path.at(-1) ?? '')
        return [
          {
            table,
            text,
            row: nameOf(row, c),
            column,
            score,
            isRowNamed,
            isColumnNamed: column.every(isAsked),
            isFilled,
          },
        ]
      }),
    )
  }

  /** True if the question has all words of a row's or a column's name, or a number or a day that it contains. */
  function isAsked(text: string): boolean {
    const stems = stemsIn(text)
    const isWithin = ({ ranges, forms, synonyms }: Unit) =>
      !stems.some((stem) => forms.has(stem) || synonyms.has(stem)) &&
      ranges.some((asked) => rangesIn(text).some((range) => meets(asked, range) > 0))
    const isSaid = (name: string) => saysKind(name, kinds) || read(name).some((strength) => strength > 0)
    return units.some(isWithin) || namesIn(text).every(isSaid)
  }

  function tellsHours(text: string, column: readonly string[]): boolean {
    const hasRange = rangesIn(text).some((range) => isTime(range) && range.low !== range.high)
    return hasRange || !/\d/.test(text) || column.flatMap(stemsIn).some((stem) => saysKind(stem, kinds))
  }
}

const isTime = ({ kind }: Range) => kind === 'time'
const singleAmount = /^[^\p{L}\d]{0,2}\d[\d.,]*(?: ?\p{L}{1,12})?$/u

/** The texts that tell which row is meant: its names, and cells without a single amount, a price or a time. */
function textsOfRow({ path, cells }: TableRow): string[] {
  const isValue = (text: string) => singleAmount.test(text) || ['price', 'time'].includes(amountKind(text))
  return [...path, ...cells.slice(1).filter((text) => !isValue(text))]
}

const code = /^(?=.*\d)[\p{Lu}\d./-]+$/u

/** The row's path. A code says less to a caller than the name beside it. */
function nameOf({ path, cells }: TableRow, c: number): string[] {
  const name = cells.find((text, o) => o !== c && isLabel(text) && !code.test(text))
  return name && code.test(path.at(-1) ?? '') ? [...path.slice(0, -1), name] : path
}

/** The only cell that is asked for; undefined if none is, or several with other texts are. @param cells best first */
export function onlyCell(cells: readonly ProvenCell[], end: AskedTurn['end']): ProvenCell | undefined {
  const top = cells.filter(({ score }) => score > cells[0]!.score - rounding)
  const rows = preferring(top, ({ isRowNamed }) => isRowNamed)
  const columns = preferring(rows, ({ isColumnNamed }) => isColumnNamed)
  const [first, ...others] = end ? endOf(columns, end) : columns
  return first && others.every(({ text }) => text === first.text) ? first : undefined
}

function preferring(cells: readonly ProvenCell[], isPreferred: (cell: ProvenCell) => boolean): readonly ProvenCell[] {
  const preferred = cells.filter(isPreferred)
  return preferred.length > 0 ? preferred : cells
}

const day = 24 * 60

/** The cells with the first beginning, or the last end, of a row's hours; all if none is open; none if hours can't be read. */
function endOf(cells: readonly ProvenCell[], end: 'first' | 'last'): readonly ProvenCell[] {
  const open = cells.filter(({ text }) => /\d/.test(text))
  if (open.length === 0) return cells
  const isOneRow = open.every(({ table, row }) => table === open[0]!.table && row === open[0]!.row)
  const hours = open.map(({ text }) => rangesIn(text).filter(isTime))
  if (open.length > 1 && (!isOneRow || hours.some(({ length }) => length !== 1))) return []
  const ends = hours.map(([range = { low: 0, high: 0 }]) =>
    end === 'first' ? -range.low : range.high < range.low ? range.high + day : range.high,
  )
  return open.filter((_, i) => ends[i] === Math.max(...ends))
}
