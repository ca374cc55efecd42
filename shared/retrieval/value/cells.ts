import { isLabel } from '../../text/table-header.ts'
import type { AskedQuestion, Unit } from './asked.ts'
import { type AnswerKind, asksKind, isOfKind } from './kinds.ts'
import { matcher } from './matching.ts'
import type { HitTable } from './tables.ts'

export interface Cell {
  table: HitTable
  text: string
  row: string[]
  column: string[]
  score: number
  evidence: Evidence
}

/** Each is from 0 to 1 except `rowScore` and `columnScore`. */
export interface Evidence {
  rowScore: number
  columnScore: number
  /** The share of the question that neither row nor column nor the lines above the table have. */
  missing: number
  /** 1 if the question names a number, time or day that is not met. */
  outside: number
  /** 1 if another row or column has a word that this one lacks. */
  elsewhere: number
  /** How well the row meets the word that it meets best. */
  cover: number
  /** Above 0 if the column has the requested kind of answer; the more, the fewer other columns do. */
  fit: number
  /** 1 for the only column beside the rows' names. */
  isOnly: number
  /** 1 if the question asks for a kind of answer that the column does not have. */
  conflict: number
  isFirst: number
}

export const tuned = {
  /** The weight of cells other than the row's name; a time in them rarely says which row is meant. */
  otherCell: 0.6,
  otherTime: 0.2,
  context: 0.8,
  unnamed: 0.3,
  /** A column counts little without a matching row. */
  gate: 0.2,
  focus: 1.5,
  common: 0.5,
}
const commonMissing = 0.2
const noValue = /^[-–—]?$/
/** A code says less to a caller than the name beside it. */
const code = /^(?=.*\d)[\p{Lu}\d./-]+$/u

/** Cells of rows that have something of the question, best first. (Rows and columns scored apart: Glass et al., NAACL 2021.) */
export function scoredCells(asked: AskedQuestion, tables: readonly HitTable[]): Cell[] {
  const { units, kinds } = asked
  const match = matcher(asked, textsOf(tables))
  const merged = (texts: readonly string[]) =>
    highest(
      texts.map((text) => match(text).met),
      units.length,
    )
  const contexts = tables.map(({ context }) => merged(context))
  const rows = tables.map((table) =>
    table.rows.map(({ path, cells }) => [merged(path), ...cells.slice(1).map((text) => match(text).met)]),
  )
  const inRow = units.map(({ weight, isCommon, isFocus }) =>
    isCommon ? tuned.common : isFocus ? weight / tuned.focus : weight,
  )
  const rowIdf = idfOf(
    rows.flat().map((row) => highest(row, units.length)),
    inRow,
  )
  const anywhere = highest([...rows.flat(2), ...tables.flatMap(({ columns }) => columns.map(merged))], units.length)
  const contextIdf = idfOf(
    contexts,
    units.map(({ weight }) => weight),
  )
  const inColumn = units.map(({ isFocus }) => (isFocus ? tuned.focus : 1))
  const otherCell = units.map(({ ranges }) => (ranges[0]?.kind === 'time' ? tuned.otherTime : tuned.otherCell))
  const cells: Cell[] = []
  for (const [t, table] of tables.entries()) {
    const headers = table.columns.map(merged)
    const columnIdf = idfOf(headers, inColumn)
    const fits = table.columns.map((_, column) => isOfKind(kinds, table, column))
    const naming = Math.max(
      0,
      table.columns.findIndex(
        (_, column) => table.rows.filter((row) => isLabel(row.cells[column]!)).length * 2 > table.rows.length,
      ),
    )
    const fitting = fits.filter(Boolean).length
    const base = tuned.context * dot(contextIdf, contexts[t]!)
    for (const [r, { path, cells: texts }] of table.rows.entries()) {
      const matches = rows[t]![r]!
      if (table.rows.length > 1 && !matches.some((met) => met.some((strength) => strength > 0))) continue
      for (const [c, text] of texts.entries()) {
        if (noValue.test(text)) continue
        const { said } = match(text)
        const met = new Float32Array(units.length)
        for (const [o, other] of matches.entries())
          for (let u = 0; u < met.length; u++)
            if (o !== c || (c > 0 && other[u]! > said[u]!))
              met[u] = Math.max(met[u]!, other[u]! * (o === 0 ? 1 : otherCell[u]!))
        const rowScore = dot(rowIdf, met)
        const columnScore = dot(columnIdf, headers[c]!)
        const isOnly = c === 1 && table.columns.length === 2 ? 1 : 0
        const fit = fits[c] ? 1 / Math.sqrt(fitting) : 0
        const byColumn = (columnScore * rowScore) / (rowScore + tuned.gate) + fit
        const score =
          base +
          rowScore +
          byColumn -
          dot(rowIdf, said) +
          (c === naming && !said.some((s) => s > 0) ? tuned.unnamed : 0)
        const has = highest([met, headers[c]!, contexts[t]!], units.length)
        const missing = missingShare(units, has, fits[c] ? kinds : new Set())
        const conflict = kinds.size > 0 && !fits[c] ? 1 : 0
        const outside = units.some(
          ({ ranges, isCommon, isImplied }, u) => ranges.length > 0 && !isCommon && !isImplied && has[u] === 0,
        )
          ? 1
          : 0
        const elsewhere = units.some(({ isCommon }, u) => !isCommon && has[u]! < 0.3 && anywhere[u]! > 0.6) ? 1 : 0
        const evidence = {
          rowScore,
          columnScore,
          missing,
          outside,
          elsewhere,
          cover: Math.max(...met),
          fit,
          isOnly,
          conflict,
          isFirst: c === 0 ? 1 : 0,
        }
        const name = texts.find((other, o) => o !== c && isLabel(other) && !code.test(other))
        const row = name && code.test(path.at(-1) ?? '') ? [...path.slice(0, -1), name] : path
        cells.push({ table, text, row, column: table.columns[c]!, score, evidence })
      }
    }
  }
  return cells.sort((a, b) => b.score - a.score)
}

function* textsOf(tables: readonly HitTable[]): Generator<string> {
  for (const { context, columns, rows } of tables) {
    yield* context
    for (const path of columns) yield* path
    for (const { path, cells } of rows) {
      yield* path
      yield* cells
    }
  }
}

function missingShare(units: readonly Unit[], has: Float32Array, kinds: ReadonlySet<AnswerKind>): number {
  let all = 0
  let missing = 0
  for (const [u, unit] of units.entries()) {
    const weight = unit.isCommon ? commonMissing : unit.weight
    all += weight
    if (!asksKind(unit, kinds)) missing += weight * (1 - has[u]!)
  }
  return all > 0 ? missing / all : 1
}

function highest(all: readonly Float32Array[], length: number): Float32Array {
  const most = new Float32Array(length)
  for (const each of all) for (let u = 0; u < length; u++) if (each[u]! > most[u]!) most[u] = each[u]!
  return most
}

/** BM25's idf, with strengths in place of counts. */
function idfOf(all: readonly Float32Array[], weights: readonly number[]): Float32Array {
  return Float32Array.from(weights, (weight, u) => {
    let most = 0
    let sum = 0
    for (const each of all) {
      sum += each[u]!
      if (each[u]! > most) most = each[u]!
    }
    const having = most > 0 ? sum / most : 0
    return weight * Math.log(1 + (all.length - having + 0.5) / (having + 0.5))
  })
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let u = 0; u < a.length; u++) sum += a[u]! * b[u]!
  return sum
}
