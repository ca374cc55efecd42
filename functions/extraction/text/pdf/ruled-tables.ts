import type { Table } from '../../../../shared/text/blocks.ts'
import { headerRowsOf } from '../../../../shared/text/table-header.ts'
import type { Word } from './page-content.ts'
import type { Ruling } from './rulings.ts'
import { joinLines, linesOf, lineText } from './text-lines.ts'

export interface PlacedTable extends Table {
  headerRows: number
  x0: number
  x1: number
  top: number
  bottom: number
}

const tolerance = 3
const maxRulingsCompared = 3_000
const maxCells = 100_000

export function ruledTables(
  words: readonly Word[],
  rulings: readonly Ruling[],
): { tables: PlacedTable[]; rest: Word[] } {
  const tables: PlacedTable[] = []
  let rest = [...words]
  for (const grid of gridsOf(rulings)) {
    const [left, right] = [grid.xs[0]! - tolerance, grid.xs.at(-1)! + tolerance]
    const [top, bottom] = [grid.ys[0]! - tolerance, grid.ys.at(-1)! + tolerance]
    const inside = (word: Word) =>
      middle(word) > left && middle(word) < right && height(word) > top && height(word) < bottom
    const cells = rowsOf(grid, rest.filter(inside)).filter((row) => row.some((words) => words.length > 0))
    const rows = cells.map((row) => row.map(cellText))
    if (!isTable(rows)) continue
    const bold = cells.map((row) => row.flat().every((word) => word.bold || !/\p{L}/u.test(word.text)))
    tables.push({ kind: 'table', rows, headerRows: headerRowsOf(rows, bold), x0: left, x1: right, top, bottom })
    rest = rest.filter((word) => !inside(word))
  }
  return { tables, rest }
}

type Grid = { xs: number[]; ys: number[]; rulings: Ruling[] }

/** Grids of touching rulings with at least two columns and two rows. */
function gridsOf(rulings: readonly Ruling[]): Grid[] {
  const level = rulings.filter((ruling) => ruling.level)
  const upright = rulings.filter((ruling) => !ruling.level)
  if (level.length > maxRulingsCompared || upright.length > maxRulingsCompared) return []
  const groups = new Groups(rulings.length)
  const index = new Map(rulings.map((ruling, at) => [ruling, at]))
  for (const h of level)
    for (const v of upright) if (reaches(h, v.at) && reaches(v, h.at)) groups.join(index.get(h)!, index.get(v)!)
  return groups
    .members(rulings)
    .map((members) => ({ rulings: members, xs: positions(members, false), ys: positions(members, true) }))
    .filter(({ xs, ys }) => xs.length > 2 && ys.length > 2 && xs.length * ys.length <= maxCells)
    .sort((a, b) => area(a) - area(b))
}

function reaches({ from, to }: Ruling, at: number): boolean {
  return at >= from - tolerance && at <= to + tolerance
}

function positions(rulings: readonly Ruling[], level: boolean): number[] {
  const sorted = rulings
    .filter((ruling) => ruling.level === level)
    .map(({ at }) => at)
    .sort((a, b) => a - b)
  return sorted.filter((at, index) => index === 0 || at - sorted[index - 1]! > tolerance)
}

function area({ xs, ys }: Grid): number {
  return (xs.at(-1)! - xs[0]!) * (ys.at(-1)! - ys[0]!)
}

function rowsOf({ xs, ys, rulings }: Grid, words: readonly Word[]): Word[][][] {
  const [columns, bands] = [xs.length - 1, ys.length - 1]
  const cells = new Groups(columns * bands)
  const isDrawn = (level: boolean, at: number, across: number) =>
    rulings.some(
      (ruling) =>
        ruling.level === level && Math.abs(ruling.at - at) <= tolerance && ruling.from <= across && ruling.to >= across,
    )
  for (let row = 0; row < bands; row++)
    for (let column = 0; column < columns; column++) {
      const [x, y] = [(xs[column]! + xs[column + 1]!) / 2, (ys[row]! + ys[row + 1]!) / 2]
      const cell = row * columns + column
      if (column + 1 < columns && !isDrawn(false, xs[column + 1]!, y)) cells.join(cell, cell + 1)
      if (row + 1 < bands && !isDrawn(true, ys[row + 1]!, x)) cells.join(cell, cell + columns)
    }
  const inside = Map.groupBy(words, (word) => cells.root(bandOf(ys, height(word)) * columns + bandOf(xs, middle(word))))
  return Array.from({ length: bands }, (_, row) => row).flatMap((row) =>
    splitByLines(Array.from({ length: columns }, (_, column) => inside.get(cells.root(row * columns + column)) ?? [])),
  )
}

/** Splits a band with several rows, such as in a table whose rulings separate only the head and the columns. */
function splitByLines(cells: Word[][]): Word[][][] {
  const filled = [...new Set(cells)].filter((words) => words.length > 0).map((words) => linesOf(words))
  const lines = linesOf(filled.length > 1 ? [...new Set(cells)].flat() : [])
  const full = lines.filter(
    ({ y }) => filled.filter((cell) => cell.some((line) => Math.abs(line.y - y) < tolerance)).length > 1,
  )
  if (full.length < 3 || full.length < 0.7 * lines.length) return [cells]
  return lines.map((line) => cells.map((words) => words.filter((word) => line.words.includes(word))))
}

function cellText(words: readonly Word[]): string {
  return words.length > 0 ? joinLines(linesOf(words).map(lineText)) : ''
}

/** True for a table, false for frames and lines that happen to cross. */
function isTable(rows: readonly string[][]): boolean {
  return rows.filter((row) => new Set(row.filter(Boolean)).size > 1).length > 1
}

function bandOf(edges: readonly number[], at: number): number {
  const next = edges.findIndex((edge) => edge > at)
  return Math.min(Math.max(next < 0 ? edges.length - 2 : next - 1, 0), edges.length - 2)
}

function middle({ x0, x1 }: Word): number {
  return (x0 + x1) / 2
}

/** The middle of the lower-case letters. */
function height({ y, size }: Word): number {
  return y - size / 4
}

class Groups {
  readonly #parents: Int32Array

  constructor(size: number) {
    this.#parents = Int32Array.from({ length: size }, (_, index) => index)
  }

  root(member: number): number {
    let at = member
    while (this.#parents[at] !== at) at = this.#parents[at] = this.#parents[this.#parents[at]!]!
    return at
  }

  join(one: number, other: number): void {
    this.#parents[this.root(other)] = this.root(one)
  }

  members<T>(things: readonly T[]): T[][] {
    return [...Map.groupBy(things, (_, index) => this.root(index)).values()]
  }
}
