import type { Block } from '../../../../shared/text/blocks.ts'
import type { PageContent, Word } from './page-content.ts'
import { type FontSizes, textBlocks } from './paragraphs.ts'
import { PageCuts, type Region } from './regions.ts'
import { ruledTables } from './ruled-tables.ts'
import type { Ruling } from './rulings.ts'
import { runningLines } from './running-lines.ts'
import { type Line, linesOf } from './text-lines.ts'

const maxHeadingSizes = 4

/** A page's blocks in the order of reading; `isDoubtful` if its layout can be read in two ways. */
export interface LaidOutPage {
  blocks: Block[]
  isDoubtful: boolean
}

/** Reads one document's pages by the places of their words and rulings, in points from the top left; `y` is a word's baseline, `size` its
 * font's. Recognised words have no font (`font: ''`, `bold` false), and may have no rulings. */
export function laidOutPages(pages: readonly PageContent[]): LaidOutPage[] {
  const running = runningLines(pages)
  const sizes = fontSizes(pages)
  const laidOut = pages.map((page) => laidOutPage(page, running.words, sizes))
  if (running.texts.length > 0) laidOut[0]!.blocks.unshift({ kind: 'paragraph', text: running.texts.join('\n') })
  return laidOut
}

function laidOutPage(page: PageContent, running: ReadonlySet<Word>, sizes: FontSizes): LaidOutPage {
  const words = page.words.filter((word) => !running.has(word))
  const { tables, rest } = ruledTables(words, page.rulings)
  const cuts = new PageCuts({ ...page, words })
  const regions = cuts.regions({ words: rest, tables })
  const blocks = regions.flatMap((region) =>
    regionBlocks(region, page.rulings, sizes, rightOf(regions.length > 1 ? region : page)),
  )
  if (page.turned.length > 0) blocks.push({ kind: 'paragraph', text: page.turned.join(' ') })
  return { blocks, isDoubtful: cuts.doubtful }
}

function regionBlocks({ words, tables }: Region, rulings: readonly Ruling[], sizes: FontSizes, right: number): Block[] {
  const blocks: Block[] = []
  let above = Number.NEGATIVE_INFINITY
  for (const table of [...tables.toSorted((a, b) => a.top - b.top), undefined]) {
    const below = table ? table.top + 3 : Number.POSITIVE_INFINITY
    const between = words.filter(({ y }) => y > above && y <= below)
    if (between.length > 0) blocks.push(...textBlocks(underlined(linesOf(between), rulings), sizes, right))
    if (table) blocks.push({ kind: 'table', rows: table.rows, headerRows: table.headerRows })
    above = below
  }
  return blocks
}

function underlined(lines: Line[], rulings: readonly Ruling[]): Line[] {
  const levels = rulings.filter(({ level }) => level)
  return lines.map((line) => {
    const [from, to] = [line.segments[0]!.x1, line.segments.at(-1)!.x0]
    const isUnder = ({ at, ...ruling }: Ruling) =>
      at > line.y - 1 && at < line.y + line.size && ruling.from < from && ruling.to > to
    return { ...line, underlined: levels.some(isUnder) }
  })
}

function rightOf({ words }: { words: readonly Word[] }): number {
  return Math.max(...words.map(({ x1 }) => x1))
}

function fontSizes(pages: readonly PageContent[]): FontSizes {
  const letters = new Map<number, number>()
  for (const { words } of pages)
    for (const { size, text } of words) {
      const rounded = Math.round(size * 2) / 2
      letters.set(rounded, (letters.get(rounded) ?? 0) + text.length)
    }
  const body = [...letters].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [10, 0])[0]
  const headings = [...letters.keys()].filter((size) => size >= 1.15 * body).sort((a, b) => b - a)
  return { body, headings: headings.slice(0, maxHeadingSizes) }
}
