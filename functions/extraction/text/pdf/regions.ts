import { isLabel, listKind } from '../table-header.ts'
import type { Word } from './page-content.ts'
import type { PlacedTable } from './ruled-tables.ts'
import type { Ruling } from './rulings.ts'
import { beginsList, type Line, linesOf } from './text-lines.ts'

/** A part of a page that is read from top to bottom. */
export type Region = { words: Word[]; tables: PlacedTable[] }

type Row = Region & { y: number }
type Cut = { from: number; to: number; parts: [Region, Region]; doubtful: boolean }

const maxDepth = 12
const maxCandidates = 60
const gutterWidth = 0.7
const minProseLines = 6
const minProseLetters = 22

/** Cuts a page where what stands side by side does not belong together: columns of prose, lists, tables (an XY-cut, Nagy and Seth 1984). */
export class PageCuts {
  /** Whether a cut, or a table left whole, contradicts the order in which the program wrote the text. */
  doubtful = false
  readonly #order: ReadonlyMap<Word, number>
  readonly #levels: readonly Ruling[]

  constructor(words: readonly Word[], rulings: readonly Ruling[]) {
    this.#order = new Map(words.map((word, index) => [word, index]))
    this.#levels = joinedLevels(rulings)
  }

  regions(page: Region, depth = 0): Region[] {
    const rows = rowsOf(page)
    const cut = depth < maxDepth ? this.#cut(rows) : undefined
    if (!cut) return [page]
    this.doubtful ||= cut.doubtful
    return [together(rows.slice(0, cut.from)), ...cut.parts, together(rows.slice(cut.to))]
      .filter(isFilled)
      .flatMap((part) => this.regions(part, depth + 1))
  }

  #cut(rows: readonly Row[]): Cut | undefined {
    const bands = candidates(rows).flatMap((left) => bandsOf(rows, left).map((band) => ({ left, ...band })))
    bands.sort((a, b) => b.to - b.from - (a.to - a.from) || a.left - b.left)
    for (const { left, from, to } of bands) {
      const parts = sidesOf(together(rows.slice(from, to)), left)
      const verdict = this.#verdict(...parts, left)
      if (verdict.apart) {
        const end = beforeNote(rows, from, to, left)
        return { from, to: end, parts: sidesOf(together(rows.slice(from, end)), left), doubtful: verdict.doubtful }
      }
      this.doubtful ||= verdict.doubtful
    }
    return undefined
  }

  #verdict(before: Region, after: Region, left: number): { apart: boolean; doubtful: boolean } {
    if (before.tables.length + after.tables.length > 0) return { apart: true, doubtful: false }
    const sides = [new Side(before.words), new Side(after.words)] as const
    const [one, other] = sides
    if (!one.isLabelled || !other.isLabelled) return { apart: false, doubtful: false }
    const isSpanned = this.#spans(one, other, left)
    const match = matchingLines(one.lines, other.lines)
    const every = (test: (side: Side) => boolean) => sides.every(test)
    const fewest = Math.min(one.lines.length, other.lines.length)
    const turns = this.#turns(before.words, after.words)
    const byColumn = fewest > 2 && turns <= fewest / 3
    const isSure =
      every((side) => side.isHeaded) ||
      (!isSpanned &&
        (every((side) => side.isProse) ||
          (fewest > 2 && match < 0.6) ||
          every((side) => side.isBulleted) ||
          runsOn(one, other) ||
          runsOn(other, one)))
    const areLists = !isSpanned && one.kind !== undefined && one.kind === other.kind && other.isVaried
    const areWrittenApart = byColumn && (match < 0.9 || every((side) => side.columns > 1))
    const apart = isSure || areLists || (areWrittenApart && !isSpanned)
    return { apart, doubtful: apart ? !isSure && !byColumn : byColumn && !isSpanned }
  }

  /** Whether lines are drawn across the gap, under a header or under many rows. */
  #spans(one: Side, other: Side, left: number): boolean {
    const lines = [...one.lines, ...other.lines]
    const [top, bottom] = [Math.min(...lines.map(({ y }) => y)), Math.max(...lines.map(({ y }) => y))]
    const edge = Math.max(...one.lines.map(({ segments }) => segments.at(-1)!.x1))
    const crossing = this.#levels.filter(
      ({ at, from, to }) => at > top && at < bottom && from < edge - 2 && to > left + 2,
    )
    const isUnderHeader = crossing.some(({ at }) => at < top + 0.9 * lines[0]!.size && other.lines[0]!.y < at)
    return isUnderHeader || crossing.length > 0.4 * one.lines.length
  }

  /** How often the program that wrote the page went from one side to the other. */
  #turns(before: readonly Word[], after: readonly Word[]): number {
    const sides = [...before.map((word) => [word, 0] as const), ...after.map((word) => [word, 1] as const)]
    sides.sort(([a], [b]) => this.#order.get(a)! - this.#order.get(b)!)
    return sides.filter(([, side], index) => index > 0 && side !== sides[index - 1]![1]).length
  }
}

class Side {
  readonly lines: Line[]
  /** The kind of amount at the ends of most rows, if they begin with words. */
  readonly kind: string | undefined
  readonly #body: Line[]

  constructor(words: readonly Word[]) {
    this.lines = linesOf(words)
    this.kind = listKind(this.lines.map((line) => [...line.segments.map(({ text }) => text), priceAtEnd(line)]))
    this.#body = this.lines.slice(1)
  }

  get isLabelled(): boolean {
    return (
      this.lines.length > 1 &&
      this.lines.filter(({ segments }) => isLabel(segments[0]!.text)).length >= 0.6 * this.lines.length
    )
  }

  get columns(): number {
    return median(this.#body.map(({ segments }) => segments.length))
  }

  /** Whether the first line is a heading: larger than the others, or alone above rows of several cells. */
  get isHeaded(): boolean {
    const [first] = this.lines
    if (!first || first.segments.length > 1 || !isLabel(first.segments[0]!.text) || priceAtEnd(first)) return false
    return first.size > 1.15 * median(this.#body.map(({ size }) => size)) || this.columns > 1
  }

  get isProse(): boolean {
    return this.lines.length >= minProseLines && this.hasFullLines
  }

  get hasFullLines(): boolean {
    const letters = this.lines.flatMap(({ words }) => words).reduce((sum, { text }) => sum + text.length + 1, 0)
    const broken = this.lines.filter(({ segments }) => segments.length > 1).length
    const { length } = this.lines
    return letters >= minProseLetters * length && broken * 2 < length
  }

  get isBulleted(): boolean {
    return this.lines.filter(({ segments }) => beginsList(segments[0]!.text)).length >= 0.5 * this.lines.length
  }

  /** Labels differ, notes such as "each" repeat. */
  get isVaried(): boolean {
    const labels = this.lines.map(({ segments }) => segments[0]!.text)
    return new Set(labels).size >= 0.7 * labels.length
  }
}

function priceAtEnd({ segments }: Line): string {
  const { text } = segments.at(-1)!
  return isLabel(text)
    ? (/(?:[€$£] ?)?\d[\d.,]*[.,](?:\d\d|-|–)(?: ?(?:[€$£]|[A-Z]{3}))?$|[€$£] ?\d+$|\d+ ?[€$£]$/u.exec(text)?.[0] ?? '')
    : ''
}

/** Whether prose goes on from line to line where rows begin beside it. */
function runsOn(prose: Side, rows: Side): boolean {
  if (!prose.hasFullLines) return false
  const right = Math.max(...prose.lines.map(({ segments }) => segments.at(-1)!.x1))
  const left = Math.min(...prose.lines.map(({ segments }) => segments[0]!.x0))
  const beside = prose.lines.slice(1).filter((line) => rows.lines.some((row) => isLevel(row, line)))
  const going = beside.filter((line) => {
    const last = prose.lines[prose.lines.indexOf(line) - 1]!.segments.at(-1)!
    return (
      /^\p{Ll}/u.test(line.segments[0]!.text) && /[\p{L},]$/u.test(last.text) && last.x1 > right - 0.15 * (right - left)
    )
  })
  return going.length > 2 && going.length > 0.4 * beside.length
}

/** The share of lines, of the side with fewer, beside which there is one of the other, or as much above as below. */
function matchingLines(one: readonly Line[], other: readonly Line[]): number {
  const [few, many] = one.length < other.length ? [one, other] : [other, one]
  const matching = few.filter((line) => {
    const nearest = many.map(({ y }) => y - line.y).sort((a, b) => Math.abs(a) - Math.abs(b))
    const [first = Number.POSITIVE_INFINITY, second = 0] = nearest
    return many.some((each) => isLevel(line, each)) || Math.abs(first + second) < 0.2 * line.size
  })
  return matching.length / few.length
}

function isLevel(one: Line, other: Line): boolean {
  return Math.abs(one.y - other.y) <= 0.2 * Math.max(one.size, other.size)
}

function rowsOf({ words, tables }: Region): Row[] {
  const lines = linesOf(words).map((line): Row => ({ words: line.words, tables: [], y: line.y }))
  return [...lines, ...tables.map((table): Row => ({ words: [], tables: [table], y: table.top }))].sort(
    (a, b) => a.y - b.y,
  )
}

function together(rows: readonly Row[]): Region {
  return { words: rows.flatMap(({ words }) => words), tables: rows.flatMap(({ tables }) => tables) }
}

function sidesOf({ words, tables }: Region, left: number): [Region, Region] {
  const isBefore = ({ x0 }: { x0: number }) => x0 < left - 1
  return [
    { words: words.filter(isBefore), tables: tables.filter(isBefore) },
    { words: words.filter((word) => !isBefore(word)), tables: tables.filter((table) => !isBefore(table)) },
  ]
}

/** Where words begin after a gap, and tables; those first that most lines share. */
function candidates(rows: readonly Row[]): number[] {
  const edges = rows.flatMap(({ words, tables }) => [
    ...tables.map(({ x0 }) => x0),
    ...words
      .filter((word, index) => index === 0 || word.x0 - words[index - 1]!.x1 > gutterWidth * word.size)
      .map(({ x0 }) => x0),
  ])
  const shared = [...Map.groupBy(edges, Math.round)].sort(([, a], [, b]) => b.length - a.length)
  return shared.slice(0, maxCandidates).map(([, same]) => Math.min(...same))
}

/** Runs of rows that leave a gap before `left`, and their parts between wider spaces, with something on both sides. */
function bandsOf(rows: readonly Row[], left: number): { from: number; to: number }[] {
  const bands: { from: number; to: number }[] = []
  let [from, part] = [0, 0]
  for (let at = 0; at <= rows.length; at++) {
    const row = rows[at]
    const ends = !row || crosses(row, left)
    if (ends) {
      bands.push({ from, to: at })
      if (part > from) bands.push({ from: part, to: at })
      from = part = at + 1
    } else if (at > from && isApart(row, rows[at - 1]!)) {
      bands.push({ from: part, to: at })
      part = at
    }
  }
  return bands.filter(({ from, to }) => sidesOf(together(rows.slice(from, to)), left).every(isFilled))
}

function crosses({ words, tables }: Row, left: number): boolean {
  const reaches = (x1: number, gap: number) => x1 > left - gap
  return (
    words.some(({ x0, x1, size }) => x0 < left - 1 && reaches(x1, gutterWidth * size)) ||
    tables.some(({ x0, x1 }) => x0 < left - 1 && reaches(x1, -1))
  )
}

function isFilled({ words, tables }: Region): boolean {
  return words.length + tables.length > 0
}

function isApart({ words, y }: Row, above: Row, pitch = 2.4): boolean {
  if (words.length === 0) return false
  const [table] = above.tables
  return table ? y - table.bottom > (pitch - 1) * words[0]!.size : y - above.y > pitch * words[0]!.size
}

/** Where a band ends before a line such as "Prices include VAT" that stands below both sides, at the left. */
function beforeNote(rows: readonly Row[], from: number, to: number, left: number): number {
  const [line] = linesOf(rows[to - 1]!.words)
  const isNote = line?.segments.length === 1 && line.segments[0]!.x1 < left && !priceAtEnd(line)
  return to - from > 3 && isNote && isApart(rows[to - 1]!, rows[to - 2]!, 1.7) ? to - 1 : to
}

/** Level rulings, joined where a program draws them cell by cell. */
function joinedLevels(rulings: readonly Ruling[]): Ruling[] {
  const joined: Ruling[] = []
  const levels = rulings.filter(({ level }) => level).map((ruling) => ({ ...ruling, at: Math.round(ruling.at) }))
  for (const ruling of levels.sort((a, b) => a.at - b.at || a.from - b.from)) {
    const last = joined.at(-1)
    if (last && last.at === ruling.at && ruling.from <= last.to + 2) last.to = Math.max(last.to, ruling.to)
    else joined.push(ruling)
  }
  return joined
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
