import type { Block, ListItem } from '../../../../shared/text/blocks.ts'
import { priceAtEnd } from '../../../../shared/text/table-header.ts'
import { alignedTable, withPrices } from './aligned-tables.ts'
import { median } from './page-content.ts'
import { isFull, joinLines, type Line, lineText } from './text-lines.ts'

/** The size of most letters, and the larger sizes in descending order. */
export type FontSizes = { body: number; headings: number[] }

const bullet = /^([•‣▪■●○◦·∙➢✓✔]|[\ue000-\uf8ff]|[–—*-](?= ))\s*/u
const number = /^\(?(?:(\d{1,3}|[a-zA-Z])([.)])\s+|(\d{1,2})(\.)(?=\p{Lu}\p{Ll}))/u
const maxHeadingLetters = 120

/** @param given the lines of one column, from top to bottom. @param right the end of the longest line */
export function textBlocks(given: readonly Line[], sizes: FontSizes, right: number): Block[] {
  const lines = withPrices(given)
  const blocks: Block[] = []
  const pitch = usualPitch(lines)
  let previous: Line | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const aligned = alignedTable(lines, at)
    if (aligned) {
      blocks.push(aligned.table)
      at += aligned.count - 1
      previous = undefined
      continue
    }
    const follows = previous && line.y - previous.y <= Math.max(1.25 * pitch, 1.3 * line.size) ? previous : undefined
    addLine(blocks, line, follows, { sizes, right, alone: isAlone(lines, at, pitch) })
    previous = line
  }
  return blocks
}

type Surroundings = { sizes: FontSizes; right: number; alone: boolean }

function addLine(blocks: Block[], line: Line, previous: Line | undefined, around: Surroundings): void {
  const text = lineText(line)
  const last = blocks.at(-1)
  const marker = markerOf(text)
  const level = marker?.shown === '-' ? undefined : headingLevel(line, text, around)
  if (level !== undefined) {
    if (previous && last?.kind === 'heading' && last.level === level) last.text += ` ${text}`
    else blocks.push({ kind: 'heading', level, text })
    return
  }
  if (marker) {
    const item: ListItem = { marker: marker.shown, blocks: [{ kind: 'paragraph', text: text.slice(marker.length) }] }
    if (last?.kind === 'list') last.items.push(item)
    else blocks.push({ kind: 'list', items: [item] })
    return
  }
  // A heading does not continue in the same font size.
  if (previous && last?.kind === 'heading' && isSameSize(line, previous))
    blocks[blocks.length - 1] = { kind: 'paragraph', text: last.text }
  const open = previous ? openParagraph(blocks.at(-1)!, line, previous) : undefined
  if (!open) blocks.push({ kind: 'paragraph', text })
  else {
    const isItem = priceAtEnd(text) && priceAtEnd(lineText(previous!))
    const goesOn = isFull(previous!, line, around.right) && !isItem
    open.text = goesOn ? joinLines([open.text, text]) : `${open.text}\n${text}`
  }
}

function openParagraph(block: Block, line: Line, previous: Line): { text: string } | undefined {
  if (block.kind === 'paragraph') return isSameSize(line, previous) ? block : undefined
  const paragraph = block.kind === 'list' ? block.items.at(-1)?.blocks[0] : undefined
  const indented = line.segments[0]!.x0 > previous.segments[0]!.x0 - 2
  return paragraph?.kind === 'paragraph' && indented ? paragraph : undefined
}

function isSameSize(line: Line, previous: Line): boolean {
  return Math.abs(line.size - previous.size) < 0.1 * line.size && line.bold === previous.bold
}

function headingLevel(line: Line, text: string, { sizes, alone }: Surroundings): number | undefined {
  if (text.length > maxHeadingLetters || !/\p{L}/u.test(text)) return undefined
  const large = line.size > (line.bold ? 1.12 : 1.28) * sizes.body && !/[.;,]$/.test(text)
  const level = sizes.headings.findIndex((size) => line.size > size * 0.97)
  if (large && level >= 0) return level + 1
  const standsOut = line.bold && alone && line.size > 0.97 * sizes.body && text.length < 80 && !/[.;,]$/.test(text)
  return standsOut ? Math.min(sizes.headings.length + 1, 6) : undefined
}

function isAlone(lines: readonly Line[], at: number, pitch: number): boolean {
  const [before, line, after] = [lines[at - 1], lines[at]!, lines[at + 1]]
  if (!after || after.bold) return false
  return !before || line.y - before.y > 1.25 * pitch || (!before.bold && after.y - line.y > 1.1 * pitch)
}

function markerOf(text: string): { shown: string; length: number } | undefined {
  const dot = bullet.exec(text)
  if (dot) return { shown: '-', length: dot[0].length }
  const counted = number.exec(text)
  if (!counted) return undefined
  const [whole, count = counted[3], sign = counted[4]] = counted
  return { shown: /\d/.test(count!) && sign === '.' ? `${count}.` : `- ${count}${sign}`, length: whole.length }
}

function usualPitch(lines: readonly Line[]): number {
  const pitches = lines
    .slice(1)
    .map((line, index) => line.y - lines[index]!.y)
    .filter((pitch, index) => pitch < 2.5 * lines[index]!.size)
  return pitches.length > 0 ? median(pitches) : 1.4 * (lines[0]?.size ?? 10)
}
