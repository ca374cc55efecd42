import type { Table } from '../../../../shared/text/blocks.ts'
import {
  amountKind,
  headerRowsOf,
  isAmount,
  isLabel,
  mostFrequent,
  priceAtEnd,
} from '../../../../shared/text/table-header.ts'
import { joinLines, type Line, type Segment } from './text-lines.ts'

type Column = { x0: number; x1: number }

/** The largest distance between two rows, in multiples of the font size. */
const maxRowPitch = 3.2
const maxLinePitch = 1.4
const maxProseLength = 40
const maxCompared = 8

/** Finds a table without rulings that begins at `start`. @returns it with its number of lines */
export function alignedTable(lines: readonly Line[], start: number): { table: Table; count: number } | undefined {
  const run = runFrom(lines, start)
  const rows = run.filter(({ segments }) => segments.length > 1)
  if (rows.length < 2) return undefined
  const columns = headColumns(run) ?? usualColumns(rows)
  // In two lines, wide spaces may be aligned by chance.
  if (isProse(rows, columns) || (rows.length < 3 && !hasAmount(rows))) return undefined
  // Below names, amounts begin anywhere after dot leaders.
  const isList = run.every(
    ({ segments }, at) =>
      segments.length === columns.length && (isAmount(segments.at(-1)!.text) || (at === 0 && run.length > 2)),
  )
  if (overlap(columns) && !isList) return undefined
  // The last row's text may continue.
  for (let end = start + run.length; goesOn(lines[end], run.at(-1)!, columns); end++) run.push(lines[end]!)
  return { table: tableOf(run, columns), count: run.length }
}

function runFrom(lines: readonly Line[], start: number): Line[] {
  let end = start
  let last = start
  for (; end < lines.length; end++) {
    const line = lines[end]!
    const previous = lines[end - 1]
    if (end > start && line.y - previous!.y > maxRowPitch * Math.max(line.size, previous!.size)) break
    if (line.segments.length > 1) last = end + 1
    else if (end - last >= 2 || end === start || line.size > 1.15 * previous!.size) break
  }
  const run = lines.slice(start, last)
  return run.slice(0, nextTable(run))
}

/** The index at which other columns begin below a table's rows: at their names, at hours below prices, or at a line of text above either. */
function nextTable(run: readonly Line[]): number {
  const rows = run.flatMap(({ segments }, at) => (segments.length > 1 ? [at] : []))
  const next = rows.findIndex((_, row) => {
    if (row < 2) return false
    const [above, below] = [rows.slice(Math.max(0, row - maxCompared), row), rows.slice(row, row + 3)]
    const linesAt = (places: readonly number[]) => places.map((at) => run[at]!)
    return isOther(linesAt(above), linesAt(below), above.at(-1)! + 1 < rows[row]!)
  })
  return next < 0 ? run.length : rows[next - 1]! + 1
}

function isOther(above: readonly Line[], [line, ...below]: readonly Line[], isBelowText: boolean): boolean {
  if (!hasAmount(above)) return false
  const { segments, size, bold, underlined } = line!
  const last = above.at(-1)!
  if (isHours(line!)) return above.some(endsInPrice) && !above.some(isHours) && !below.some(endsInPrice)
  const cells = above.flatMap((row) => row.segments.slice(1))
  const isAligned = cells.some((cell) => isInColumn(segments[1]!, cell))
  const isNew = segments.length !== mostFrequent(above.map((row) => row.segments.length))
  if (!segments.every(({ text }) => isLabel(text)))
    return (
      isBelowText && !isAligned && (isNew || cells.every(({ x0, x1 }) => x1 < segments[1]!.x0 || x0 > segments[1]!.x1))
    )
  const isStyled = (bold && !last.bold) || (underlined && !last.underlined) || size > 1.08 * last.size
  const isAbove = hasAmount(below.slice(0, 1)) && below.every((row) => row.segments.length === segments.length)
  return isAbove && (isNew || !isAligned || isStyled)
}

/** The head's columns, if narrow columns leave no gap below the head but no word spans two of them. */
function headColumns([head, ...others]: readonly Line[]): Column[] | undefined {
  const usual = mostFrequent(others.map(({ segments }) => segments.length))
  if (!head || head.segments.length <= usual) return undefined
  const edges = boundaries(head.segments)
  const words = others.flatMap((line) => line.words)
  const crossing = words.filter(({ x0, x1 }) => edges.some((edge) => Math.min(edge - x0, x1 - edge) > 0.25 * (x1 - x0)))
  return crossing.length > 0.05 * words.length ? undefined : head.segments
}

function boundaries(columns: readonly Column[]): number[] {
  return columns.slice(1).map(({ x0 }, index) => (columns[index]!.x1 + x0) / 2)
}

function usualColumns(rows: readonly Line[]): Column[] {
  const usual = mostFrequent(rows.map(({ segments }) => segments.length))
  const whole = rows.filter(({ segments }) => segments.length === usual).map(({ segments }) => segments)
  return Array.from({ length: usual }, (_, column) => ({
    x0: Math.min(...whole.map((segments) => segments[column]!.x0)),
    x1: Math.max(...whole.map((segments) => segments[column]!.x1)),
  }))
}

function overlap(columns: readonly Column[]): boolean {
  return columns.some(({ x0 }, index) => index > 0 && x0 < columns[index - 1]!.x1 - 2)
}

function goesOn(line: Line | undefined, above: Line, columns: readonly Column[]): boolean {
  if (line?.segments.length !== 1 || line.y - above.y > maxLinePitch * line.size) return false
  return line.segments[0]!.x0 > columns[1]!.x0 - 2
}

function tableOf(lines: readonly Line[], columns: readonly Column[]): Table {
  const rows: string[][] = []
  const firsts: Line[] = []
  let previous: Line | undefined
  let begins = false
  for (const [at, line] of lines.entries()) {
    const row = rowOf(line, columns)
    const last = rows.at(-1)
    const gap = line.y - (previous?.y ?? 0)
    // True for a line above the middle of a row with a centred label.
    const isAbove = !row[0] && at + 1 < lines.length && lines[at + 1]!.y - line.y < 0.8 * gap
    const wraps = last && gap <= maxLinePitch * line.size && (begins || (!row[0] && !isAbove))
    if (wraps) rows[rows.length - 1] = row.map((text, column) => joinLines([last[column]!, text].filter(Boolean)))
    else rows.push(row)
    if (wraps) firsts[firsts.length - 1] = { ...firsts.at(-1)!, underlined: line.underlined ?? false }
    else firsts.push(line)
    previous = line
    begins = isAbove
  }
  const bold = firsts.map((line) => line.bold)
  return {
    kind: 'table',
    rows,
    headerRows: headerRowsOf(
      rows,
      bold,
      firsts.map((line) => line.underlined ?? false),
    ),
  }
}

/** A segment over several columns is divided if every column gets a part. */
function rowOf(line: Line, columns: readonly Column[]): string[] {
  if (line.segments.length === columns.length) return line.segments.map(({ text }) => text)
  const edges = boundaries(columns)
  const byWord: string[][] = columns.map(() => [])
  for (const { text, x0, x1 } of line.words) {
    const after = edges.findIndex((edge) => (x0 + x1) / 2 < edge)
    byWord[after < 0 ? columns.length - 1 : after]!.push(text)
  }
  if (byWord.every((words) => words.length > 0) && line.segments.length < columns.length)
    return byWord.map((words) => words.join(' '))
  const bySegment: string[][] = columns.map(() => [])
  for (const segment of line.segments) bySegment[columnOf(segment, columns)]!.push(segment.text)
  return bySegment.map((texts) => texts.join(' '))
}

function columnOf({ x0, x1 }: Segment, columns: readonly Column[]): number {
  const shared = columns.map((column) => Math.min(x1, column.x1) - Math.max(x0, column.x0))
  const first = shared.findIndex((width) => width > 2)
  return first < 0 ? shared.indexOf(Math.max(...shared)) : first
}

/** Divides lines whose price follows right after the label, in the column of prices above or below. */
export function withPrices(lines: readonly Line[]): Line[] {
  return lines.map((line, at) => {
    const text = line.segments.at(-1)!.text
    const price = priceAtEnd(text)
    const first = line.words.length - price.split(' ').length
    const words = line.words.slice(first)
    const beside = [lines[at - 1], lines[at + 1]].some((other) => {
      const cell = other?.segments.at(-1)
      if (other?.segments.length !== line.segments.length + 1 || !cell || !endsInPrice(other)) return false
      return isInColumn({ x0: words[0]!.x0, x1: words.at(-1)!.x1 }, cell) || words[0]!.x0 > cell.x0 - 2
    })
    if (!price || price.length === text.length || words.map((word) => word.text).join(' ') !== price || !beside)
      return line
    const { x0, x1 } = line.segments.at(-1)!
    const label = { text: text.slice(0, -price.length).trim(), x0, x1: line.words[first - 1]!.x1 }
    return { ...line, segments: [...line.segments.slice(0, -1), label, { text: price, x0: words[0]!.x0, x1 }] }
  })
}

function isInColumn(one: Column, other: Column): boolean {
  const [left, right] = [one.x0 - other.x0, one.x1 - other.x1]
  return Math.min(Math.abs(left), Math.abs(right), Math.abs(left + right) / 2) < 3
}

function endsInPrice({ segments }: Line): boolean {
  return amountKind(segments.at(-1)!.text) === 'price' || priceAtEnd(`Price ${segments.at(-1)!.text}`) !== ''
}

const hours =
  /\d ?(?:[ap]\.?m\.?|Uhr|h)?(?: ?[-–—] ?| (?:to|until|till|bis|à) )\d{1,2}(?:[:.]\d\d| ?(?:[ap]\.?m|Uhr|h)|$)/iu

function isHours({ segments }: Line): boolean {
  return hours.test(segments.at(-1)!.text)
}

function isProse(rows: readonly Line[], columns: readonly Column[]): boolean {
  if (rows.length < 4) return false
  const long = columns.filter((_, index) => {
    const texts = rows.flatMap(({ segments }) => segments.filter((segment) => columnOf(segment, columns) === index))
    return texts.reduce((sum, { text }) => sum + text.length, 0) > maxProseLength * texts.length
  })
  return long.length > 1
}

function hasAmount(rows: readonly Line[]): boolean {
  return rows.some(({ segments }) => segments.slice(1).some(({ text }) => isAmount(text)))
}
