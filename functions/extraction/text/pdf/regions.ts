import { priceAtEnd } from '../../../../shared/text/table-header.ts'
import type { PageContent, Word } from './page-content.ts'
import { matchingLines, runsOn, Side } from './region-sides.ts'
import type { PlacedTable } from './ruled-tables.ts'
import type { Ruling } from './rulings.ts'
import { linesOf, lineText } from './text-lines.ts'

/** A part of a page that is read from top to bottom. */
export type Region = { words: Word[]; tables: PlacedTable[] }

type Row = Region & { y: number }
type Cut = { from: number; to: number; parts: [Region, Region]; doubtful: boolean }

const maxDepth = 12
const maxCandidates = 60
const minGutter = 0.7
/** A gap may be this much narrower than one that separates segments, in multiples of the font size. */
const narrower = 0.2
/** A title above columns may be this far off their centre, as a share of the page's width. */
const maxOffCentre = 0.015

/** Cuts a page between parts that are side by side but separate: columns of prose, lists, tables (an XY-cut, Nagy and Seth 1984). */
export class PageCuts {
  /** True if a cut, or a table left whole, contradicts the order in which the program wrote the text. */
  doubtful = false
  readonly #order: ReadonlyMap<Word, number>
  readonly #levels: readonly Ruling[]
  readonly #width: number

  constructor({ words, rulings, width }: PageContent) {
    this.#width = width
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
    const bands = candidates(rows).flatMap((left) =>
      bandsOf(rows, left, this.#width).map((band) => ({ left, ...band })),
    )
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

  /** True if lines are drawn across the gap, under a header or under many rows. */
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

  /** How often the program that wrote the page changed sides. */
  #turns(before: readonly Word[], after: readonly Word[]): number {
    const sides = [...before.map((word) => [word, 0] as const), ...after.map((word) => [word, 1] as const)]
    sides.sort(([a], [b]) => this.#order.get(a)! - this.#order.get(b)!)
    return sides.filter(([, side], index) => index > 0 && side !== sides[index - 1]![1]).length
  }
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

/** The left edges of tables, and of words after a gap; the edges that most lines share come first. */
function candidates(rows: readonly Row[]): number[] {
  const edges = rows.flatMap(({ words, tables }) => [
    ...tables.map(({ x0 }) => x0),
    ...words
      .filter((word, index) => index === 0 || word.x0 - words[index - 1]!.x1 > gutterBefore(word))
      .map(({ x0 }) => x0),
  ])
  const shared = [...Map.groupBy(edges, Math.round)].sort(([, a], [, b]) => b.length - a.length)
  return shared.slice(0, maxCandidates).map(([, same]) => Math.min(...same))
}

/** Runs of rows that leave a gap before `left`, and their parts between wider spaces, with something on both sides. */
function bandsOf(rows: readonly Row[], left: number, width: number): { from: number; to: number }[] {
  const bands: { from: number; to: number }[] = []
  let [from, part] = [0, 0]
  for (let at = 0; at <= rows.length; at++) {
    const row = rows[at]
    const isTitle =
      row && at === from && isOneSided(row, left) && Math.abs(middleOf(row) - width / 2) < maxOffCentre * width
    const ends = !row || isTitle || crosses(row, left)
    if (ends) {
      bands.push({ from, to: at })
      if (part > from) bands.push({ from: part, to: at })
      from = part = at + 1
    } else if (at > from && isApart(row, rows[at - 1]!)) {
      bands.push({ from: part, to: at })
      part = at
    }
  }
  return bands.filter(({ from, to }) => !isOneSided(together(rows.slice(from, to)), left))
}

function isOneSided(row: Region, left: number): boolean {
  return !sidesOf(row, left).every(isFilled)
}

function middleOf({ words, tables }: Region): number {
  const boxes = [...words, ...tables]
  return (Math.min(...boxes.map(({ x0 }) => x0)) + Math.max(...boxes.map(({ x1 }) => x1))) / 2
}

function crosses({ words, tables }: Row, left: number): boolean {
  const reaches = (x1: number, gap: number) => x1 > left - gap
  return (
    words.some((word) => word.x0 < left - 1 && reaches(word.x1, gutterBefore(word))) ||
    tables.some(({ x0, x1 }) => x0 < left - 1 && reaches(x1, -1))
  )
}

function gutterBefore({ space, size }: Word): number {
  return Math.max(minGutter, space - narrower) * size
}

function isFilled({ words, tables }: Region): boolean {
  return words.length + tables.length > 0
}

function isApart({ words, y }: Row, above: Row, pitch = 2.4): boolean {
  if (words.length === 0) return false
  const [table] = above.tables
  return table ? y - table.bottom > (pitch - 1) * words[0]!.size : y - above.y > pitch * words[0]!.size
}

/** The end of a band, without a line such as "Prices include VAT" below both sides, at the left. */
function beforeNote(rows: readonly Row[], from: number, to: number, left: number): number {
  const [line] = linesOf(rows[to - 1]!.words)
  const isNote = line?.segments.length === 1 && line.segments[0]!.x1 < left && !priceAtEnd(lineText(line))
  return to - from > 3 && isNote && isApart(rows[to - 1]!, rows[to - 2]!, 1.7) ? to - 1 : to
}

/** Joins level rulings that a program draws cell by cell. */
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
