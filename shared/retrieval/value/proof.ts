import { amountKind, isLabel } from '../../text/table-header.ts'
import type { AskedTurn, Unit } from '../asked.ts'
import { meets, type Range, rangesIn } from '../quantities.ts'
import type { PassageTable, TableRow } from '../tables.ts'
import { type AnswerKind, columnsOfKind, saysKind } from './kinds.ts'
import { formsIn, namesIn, type Reader, type Strengths } from './reading.ts'

/** A cell whose row, column, headings and title account for every content word of the question. */
export interface ProvenCell {
  table: PassageTable
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

const anyKind = new Set<AnswerKind>(['price', 'time'])
const contextShare = 0.1
const besideShare = 0.9
const fillerShare = 0.3
const rounding = 1e-6

/**
 * The cells that the last turn names, best first. The turns before it fill the dimension that it leaves open: their word for another row
 * is excused if the last turn names this row, and so for columns.
 * @param turns the last one first @param read reads their words @param isRequired true for words to account for
 */
export function provenCells(
  turns: readonly AskedTurn[],
  tables: readonly PassageTable[],
  read: Reader,
  isRequired: (unit: Unit) => boolean,
): ProvenCell[] {
  const units = turns.flatMap(({ units }) => units)
  const isLast = units.map((_, u) => u < turns[0]!.units.length)
  const required = units.map(isRequired)
  const isClock = units.map(({ ranges }) => ranges.some(isTime))
  const {
    kinds = new Set<AnswerKind>(),
    asksOther,
    asksWhere,
  } = turns.find((turn) => turn.kinds.size > 0 || turn.asksOther) ?? {}
  const end = turns.find(({ end }) => end)?.end
  const isWhether = turns.some(({ asksWhether }) => asksWhether)
  const best = (all: readonly Strengths[]) => units.map((_, u) => Math.max(0, ...all.map((met) => met[u]!)))
  const isNamed = (met: Strengths) => units.some((_, u) => isLast[u] && required[u] && met[u]! > 0)
  return tables.flatMap(cellsOf).sort((a, b) => b.score - a.score)

  function cellsOf(table: PassageTable): ProvenCell[] {
    const name = nameColumnOf(table)
    const named = ({ path, cells }: TableRow) => (name > 0 ? [...path.slice(0, -1), cells[name]!] : path)
    const context = best([...table.context, ...table.columns[0]!, ...table.columns[name]!].map(read))
    const columns = table.columns.map((path, c) => best(c === 0 || c === name ? [] : path.map(read)))
    const paths = table.rows.map(({ path, cells }) => best([...path, cells[name]!].map(read)))
    const besides = table.rows.map((row) => best(cellsBeside(row).map(read)))
    const rows = paths.map((path, r) => path.map((strength, u) => Math.max(strength, besideShare * besides[r]![u]!)))
    const most = { row: best(rows), column: best(columns) }
    const fits = columnsOfKind(kinds, table)
    const ofAnyKind = asksWhere ? columnsOfKind(anyKind, table) : []
    const isPriceList = !fits.slice(1).some(({ isOfKind }) => isOfKind)
    const isOut = (inRow: Strengths) =>
      units.some((_, u) => {
        const possible = Math.max(inRow[u]!, most.column[u]!, isClock[u] ? 1 : 0)
        return isLast[u] && required[u] && (possible < most.row[u]! || possible + context[u]! === 0)
      })
    return table.rows.flatMap((row, r) => {
      const inRow = rows[r]!
      if (isOut(inRow)) return []
      const own = best([...row.path.slice(-1), row.cells[name]!].map(read))
      return row.cells.flatMap((text, c) => {
        const inColumn = columns[c]!
        const isColumn = units.some((_, u) => required[u] && inColumn[u]! > Math.max(inRow[u]!, context[u]!))
        const isOther = asksOther && kinds.size === 0 && (amountKind(text) === 'price' || ofAnyKind[c]?.isOfKind)
        const { isOfKind, isExtra, isAmount } = fits[c]!
        const isSought =
          (isOfKind && (!isExtra || units.some((_, u) => required[u] && inColumn[u]! > 0))) ||
          (isAmount ? isPriceList : kinds.size === 0 && (isColumn || table.columns.length === 2))
        if (c === 0 || !/[\p{L}\d]/u.test(text) || !isSought || isOther) return []
        const inCell = read(text)
        let score = 0
        let isRow = table.rows.length === 1 && row.path.length === 1
        let isFilled = false
        for (const [u, { isContent, saysKind }] of units.entries()) {
          const met = Math.max(inRow[u]!, inColumn[u]!, isClock[u] ? inCell[u]! : 0)
          const isBetterElsewhere = met < Math.max(most.row[u]!, most.column[u]!)
          if (required[u] && (isBetterElsewhere || Math.max(met, context[u]!) === 0)) {
            const isOtherRow = inRow[u]! < most.row[u]! && isNamed(inRow)
            const isOtherColumn = inColumn[u]! < most.column[u]! && isNamed(inColumn)
            if (isLast[u] || !(isOtherRow || isOtherColumn)) return []
            continue
          }
          isRow ||= isContent && Math.max(own[u]!, besides[r]![u]!) > 0
          isFilled ||= isContent && !isLast[u] && met > 0
          if (isContent) score += Math.max(met, contextShare * context[u]!)
          else if (isLast[u] && !(saysKind && end)) score += fillerShare * Math.max(paths[r]![u]!, inColumn[u]!)
        }
        const column = table.columns[c]!
        if (!isRow || (end ? !tellsHours(text, column) : isWhether && isSingleTime(text))) return []
        const isRowNamed = isAsked(row.path.at(-1) ?? '')
        const isColumnNamed = column.every((text) => isAsked(text, true))
        return [{ table, text, row: named(row), column, score, isFilled, isRowNamed, isColumnNamed }]
      })
    })
  }

  /** True if the question has all words of a name, or a number or a day that it contains. @param isColumn true for words that only say the kind to count */
  function isAsked(text: string, isColumn = false): boolean {
    const said = formsIn(text)
    const isWithin = ({ ranges, forms, synonyms }: Unit) =>
      ![...forms, ...synonyms].some((form) => said.has(form)) &&
      ranges.some((asked) => rangesIn(text).some((range) => meets(asked, range) > 0))
    const isBest = (name: string, u: number) => read(name)[u]! > 0 && read(name)[u]! >= read(text)[u]!
    const isSaid = (name: string) => (isColumn && saysKind(name, kinds)) || units.some((_, u) => isBest(name, u))
    const names = namesIn(text)
    return units.some(isWithin) || (names.length > 0 && names.every(isSaid))
  }

  /** True for hours from one time to another, a closed day, or a time at which the column says that they begin or end. */
  function tellsHours(text: string, column: readonly string[]): boolean {
    const hasRange = rangesIn(text).some((range) => isTime(range) && range.low !== range.high)
    return hasRange || !/\d/.test(text) || sides[end!].test(column.join(' '))
  }
}

const sides = {
  first: /\b(?:open|from|start|begin|ab\b|von\b|ouvr)|öffn/i,
  last: /\b(?:clos|until|till|end|shut|bis\b|ferm|schlie)/i,
}

/** True if a cell has one time, and no range of them. */
function isSingleTime(text: string): boolean {
  const [range, ...others] = rangesIn(text)
  return range !== undefined && isTime(range) && range.low === range.high && others.length === 0
}

const isTime = ({ kind }: Range) => kind === 'time'
const singleAmount = /^[^\p{L}\d]{0,2}\d[\d.,]*(?: ?\p{L}{1,12})?$/u

/** The cells that tell which row is meant, too: those without a single amount, a price or a time. */
function cellsBeside({ cells }: TableRow): string[] {
  return cells.slice(1).filter((text) => !singleAmount.test(text) && !['price', 'time'].includes(amountKind(text)))
}

const code = /^(?=.*\d)[\p{Lu}\d./-]+$/u

/** The number of the column that names the rows: the first, or one after codes, which say less to a caller. */
function nameColumnOf({ rows }: PassageTable): number {
  const isCoded = rows.length > 0 && rows.every(({ path }) => code.test(path.at(-1) ?? ''))
  const named = isCoded ? rows[0]!.cells.findIndex((text) => isLabel(text) && !code.test(text)) : 0
  return Math.max(0, named)
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
const halfDay = day / 2
const afternoon = /afternoon|evening|nachmittag|abend|après-midi|soir/i
/** Headers of hours that belong together; those of a shop and its café do not. */
const partOfDay =
  /morning|afternoon|evening|night|day ?time|lunch|dinner|breakfast|supper|brunch|noon|vormittag|nachmittag|abend|mittag|früh|matin|midi|soir|mañana|tarde|noche|mattin|pomeriggio|sera|pranzo|cena|ochtend|middag|avond|from|until|start|end|open|clos|von|bis|ab\b|schlie/i

/**
 * The cells with the first beginning, or the last end, of a row's hours; all if none is open; none if hours can't be read, or are those of
 * several things.
 */
function endOf(cells: readonly ProvenCell[], end: 'first' | 'last'): readonly ProvenCell[] {
  const open = cells.filter(({ text }) => /\d/.test(text))
  if (open.length === 0) return cells
  const isOneRow = open.every(({ table, row }) => table === open[0]!.table && row === open[0]!.row)
  const hours = open.map(({ text }) => rangesIn(text).filter(isTime))
  const areParts = open.every(({ column }) => partOfDay.test(column.join(' ')))
  if (open.length > 1 && (!isOneRow || !areParts || hours.some(({ length }) => length !== 1))) return []
  const ends = hours.map(([range = { low: 0, high: 0 }], i) => {
    const { text, column } = open[i]!
    // “Afternoon: 3:30 – 7:00”
    const isLate = afternoon.test(column.join(' ')) && !/[ap]\.?m/i.test(text) && range.low < halfDay
    const last = range.high < range.low ? range.high + day : range.high
    return (end === 'first' ? -range.low : last) + (isLate ? halfDay : 0) * (end === 'first' ? -1 : 1)
  })
  return open.filter((_, i) => ends[i] === Math.max(...ends))
}
