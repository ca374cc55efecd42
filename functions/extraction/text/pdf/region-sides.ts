import { isLabel, listKind, priceAtEnd } from '../../../../shared/text/table-header.ts'
import { median, type Word } from './page-content.ts'
import { beginsList, isFull, type Line, linesOf, lineText } from './text-lines.ts'

const minProseLines = 6
const minProseLetters = 22
/** The largest distance of two lines of prose, in multiples of the font size. */
const maxProsePitch = 1.6

/** The words on one side of a possible cut. */
export class Side {
  readonly lines: Line[]
  /** The kind of amount at the ends of most rows, if they begin with words. */
  readonly kind: string | undefined
  readonly #body: Line[]

  constructor(words: readonly Word[]) {
    this.lines = linesOf(words)
    this.kind = listKind(
      this.lines.map((line) => [...line.segments.map(({ text }) => text), priceAtEnd(lineText(line))]),
    )
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

  /** True if the first line is a heading: larger than the others, or the only cell of its row above rows of several. */
  get isHeaded(): boolean {
    const [first] = this.lines
    if (!first || first.segments.length > 1 || !isLabel(first.segments[0]!.text) || priceAtEnd(lineText(first)))
      return false
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

  /** True for labels, which differ; notes such as "each" repeat. */
  get isVaried(): boolean {
    const labels = this.lines.map(({ segments }) => segments[0]!.text)
    return new Set(labels).size >= 0.7 * labels.length
  }
}

/** True if prose continues, from full lines, where rows begin beside it. */
export function runsOn(prose: Side, rows: Side): boolean {
  const pitches = prose.lines.slice(1).map(({ y, size }, index) => (y - prose.lines[index]!.y) / size)
  if (!prose.hasFullLines || median(pitches) > maxProsePitch) return false
  const right = Math.max(...prose.lines.map(({ segments }) => segments.at(-1)!.x1))
  const beside = prose.lines.slice(1).filter((line) => rows.lines.some((row) => isLevel(row, line)))
  const going = beside.filter((line) => {
    const last = prose.lines[prose.lines.indexOf(line) - 1]!
    return /^\p{Ll}/u.test(line.segments[0]!.text) && isFull(last, line, right)
  })
  return going.length > 2 && going.length > 0.5 * beside.length
}

/** The share of the shorter side's lines that have a line of the other beside them, or lines as far above as below. */
export function matchingLines(one: readonly Line[], other: readonly Line[]): number {
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
