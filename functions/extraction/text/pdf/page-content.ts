import { getResolvedPDFJS } from 'unpdf'
import type { PDFPageProxy } from 'unpdf/pdfjs'
import { type Matrix, type OperatorList, product } from './paint-steps.ts'
import { type Ruling, rulingsOf } from './rulings.ts'
import { placedRuns } from './text-runs.ts'

/** Points from the top left of the page as shown; `y` is the baseline. */
export interface Word {
  text: string
  x0: number
  x1: number
  y: number
  size: number
  font: string
  bold: boolean
  /** The widest gap before it that is a space, in multiples of the font size. */
  space: number
}

export interface PageContent {
  width: number
  height: number
  words: Word[]
  turned: string[]
  rulings: Ruling[]
}

interface TextItem {
  str: string
  dir: string
  width: number
  transform: readonly number[]
  fontName: string
}

export const minSpace = 0.13
export const maxSpace = 0.9
const maxUsualSpace = 0.8
const maxJustified = 3
const maxUneven = 0.04

const leaders = /[.·…_]{4,}|(?:[.·] ){4,}/g

export async function pageContent(page: PDFPageProxy): Promise<PageContent & { operators: OperatorList }> {
  const { OPS } = await getResolvedPDFJS()
  const viewport = page.getViewport({ scale: 1 })
  const matrix = viewport.transform as unknown as Matrix
  // Loads the fonts, which say whether text is bold.
  const operators = await page.getOperatorList()
  const rulings = rulingsOf(operators, OPS, matrix)
  const { width, height } = viewport
  const content: PageContent = { width, height, words: [], turned: [], rulings }
  const { items } = await page.getTextContent()
  const bold = new Map<string, boolean>()
  for (const item of items as TextItem[]) {
    if (!item.str?.trim()) continue
    if (!bold.has(item.fontName)) bold.set(item.fontName, isBold(page, item.fontName))
    const [a, b, c, d, x, y] = product(matrix, item.transform as unknown as Matrix)
    const size = Math.hypot(c, d) || 1
    if (Math.abs(b) > 0.1 * Math.abs(a) || a < 0) content.turned.push(item.str)
    else
      content.words.push(
        ...wordsOf(item, { x, y, size, font: item.fontName, bold: bold.get(item.fontName)!, space: maxSpace }),
      )
  }
  content.words = spacedWords(content.words, placedRuns(operators, OPS, matrix))
  return { ...content, operators }
}

/** Sets for each word which gaps before it are spaces, by the usual gaps on the page. */
function spacedWords(all: readonly Word[], runs: readonly { x: number; y: number }[]): Word[] {
  const byLine = Map.groupBy(runs, ({ y }) => Math.round(y))
  const near = ({ y }: Word) =>
    [-1, 0, 1].flatMap((step) => byLine.get(Math.round(y) + step) ?? []).filter((run) => Math.abs(run.y - y) < 1)
  const words = all.flatMap((word) => divided(word, near(word)))
  const isPlaced = (word: Word) => near(word).some(({ x }) => Math.abs(x - word.x0) < 0.4 * word.size)
  const sorted = [...words].sort((a, b) => Math.round(a.y) - Math.round(b.y) || a.x0 - b.x0)
  const gaps = sorted.map((word, index) => {
    const before = sorted[index - 1]
    return before?.font === word.font && Math.abs(before.y - word.y) < 1 ? (word.x0 - before.x1) / word.size : 0
  })
  const spaces = sorted.flatMap((word, index) => {
    const gap = gaps[index]!
    return gap > minSpace && gap < maxUsualSpace ? [{ gap, isPlaced: isPlaced(word) }] : []
  })
  const usual = median(spaces.map(({ gap }) => gap))
  // Programs that write no spaces place every word by itself, or every letter.
  const placed = spaces.filter((space) => space.isPlaced && space.gap < 1.5 * usual)
  const placesAll = runs.length > 1.2 * words.length || (placed.length > 3 && placed.length > 0.3 * spaces.length)
  const space = Math.max(maxSpace, spaces.length > 8 ? 1.75 * usual : 0)
  const even = evenGaps(sorted, gaps)
  return words.map((word) => ({
    ...word,
    space: Math.max(!placesAll && isPlaced(word) ? minSpace : space, even.get(word) ?? 0),
  }))
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** The gaps before words of justified lines, which are equal though the words are not; a little enlarged. */
function evenGaps(words: readonly Word[], gaps: readonly number[]): Map<Word, number> {
  const even = new Map<Word, number>()
  for (let from = 1, to = 1; from < words.length; from = Math.max(to, from + 1)) {
    const gap = gaps[from]!
    for (to = from; to < words.length && Math.abs(gaps[to]! - gap) < maxUneven * gap; ) to++
    const widths = words.slice(from - 1, to).map(({ x0, x1 }) => x1 - x0)
    const isJustified = to - from >= 4 && gap < maxJustified && Math.max(...widths) > 2 * Math.min(...widths)
    if (isJustified) for (const word of words.slice(from, to)) even.set(word, 1.1 * gap)
  }
  return even
}

/** Divides a word whose label is followed directly by a price. */
function divided(word: Word, runs: readonly { x: number }[]): Word[] {
  const [, label, price] = /^(.*[\p{L})])([€$£]?\d+[.,]\d\d\S{0,3})$/u.exec(word.text) ?? []
  const run = runs.find(({ x }) => x > word.x0 + 0.5 * word.size && x < word.x1)
  if (!label || !price || !run) return [word]
  return [
    { ...word, text: label, x1: run.x },
    { ...word, text: price, x0: run.x },
  ]
}

/** Estimates where words begin from usual character widths, since PDF.js gives only the item's width. */
function wordsOf(item: TextItem, place: Omit<Word, 'text' | 'x0' | 'x1'> & { x: number }): Word[] {
  const { x, ...rest } = place
  const text = item.str.replace(leaders, (dots) => ' '.repeat(dots.length))
  if (item.dir === 'rtl') return [{ ...rest, text: text.trim(), x0: x, x1: x + item.width }]
  // The offset of each UTF-16 code unit.
  const offsets = [0]
  let offset = 0
  for (const character of item.str) {
    offset += asciiWidths[character.charCodeAt(0)] ?? relativeWidth(character)
    for (let unit = 0; unit < character.length; unit++) offsets.push(offset)
  }
  const unit = item.width / (offset || 1)
  const words: Word[] = []
  for (const { 0: word, index } of text.matchAll(/\S+/gu))
    if (!/^[.·…]+$/.test(word)) {
      const [x0, x1] = [x + offsets[index]! * unit, x + offsets[index + word.length]! * unit]
      words.push({ ...rest, text: word, x0, x1 })
    }
  return words
}

function relativeWidth(character: string): number {
  if (/[iljtfrI.,;:'’!|()[\]\s-]/.test(character)) return 0.55
  if (/[mwMW@%—]/.test(character)) return 1.6
  return /\p{Lu}/u.test(character) ? 1.3 : 1
}

const asciiWidths = Array.from({ length: 128 }, (_, code) => relativeWidth(String.fromCharCode(code)))

function isBold(page: PDFPageProxy, fontName: string): boolean {
  if (!page.commonObjs.has(fontName)) return false
  const font: unknown = page.commonObjs.get(fontName)
  if (typeof font !== 'object' || font === null) return false
  const { name, bold, black } = font as { name?: unknown; bold?: unknown; black?: unknown }
  return bold === true || black === true || /bold|black|heavy|semibold|[a-z]bx\d/i.test(String(name))
}
