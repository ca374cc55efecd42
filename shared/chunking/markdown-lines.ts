import { clusterEnds } from './grapheme-clusters.ts'

export interface Line {
  start: number
  /** The first character that is no blank or tab. */
  from: number
  end: number
  indent: number
}

export interface Fence {
  mark: string
  length: number
}

const maxHeadingUnits = 200

const isBlankOrTab = (text: string, at: number) => text[at] === ' ' || text[at] === '\t'

export function* linesOf(text: string): Generator<Line> {
  let lineFeed = -1
  let carriageReturn = -1
  for (let start = 0; start < text.length; ) {
    if (lineFeed < start) lineFeed = indexOrEnd(text, '\n', start)
    if (carriageReturn < start) carriageReturn = indexOrEnd(text, '\r', start)
    const end = Math.min(lineFeed, carriageReturn)
    let from = start
    let indent = 0
    for (; from < end && isBlankOrTab(text, from); from++) indent += text[from] === '\t' ? 4 - (indent % 4) : 1
    yield { start, from, end, indent }
    start = nextLine(text, end)
  }
}

export function nextLine(text: string, end: number): number {
  return text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1
}

function indexOrEnd(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? text.length : found
}

export function openedFence(text: string, { from, end }: Line): Fence | undefined {
  const mark = text[from]!
  if (mark !== '`' && mark !== '~') return undefined
  const length = runLength(text, from, end, mark)
  return length < 3 || (mark === '`' && text.slice(from + length, end).includes('`')) ? undefined : { mark, length }
}

export function closesFence(text: string, { from, end }: Line, { mark, length }: Fence): boolean {
  const run = runLength(text, from, end, mark)
  return run >= length && isBlank(text, from + run, end)
}

export function headingLevel(text: string, { from, end }: Line): number {
  const level = runLength(text, from, Math.min(end, from + 7), '#')
  return level <= 6 && (from + level === end || isBlankOrTab(text, from + level)) ? level : 0
}

export function underlineLevel(text: string, { from, end }: Line): number {
  const mark = text[from]!
  if (mark !== '=' && mark !== '-') return 0
  if (!isBlank(text, from + runLength(text, from, end, mark), end)) return 0
  return mark === '=' ? 1 : 2
}

export function delimitsColumns(text: string, { from, end }: Line, head: Line): boolean {
  let bars = 0
  let dashes = 0
  for (let at = from; at < end; at++) {
    if (text[at] === '|') bars++
    else if (text[at] === '-') dashes++
    else if (text[at] !== ':' && !isBlankOrTab(text, at)) return false
  }
  return bars > 0 && dashes > 0 && text.slice(head.from, head.end).includes('|')
}

export function beginsItem(text: string, { from, end }: Line): boolean {
  let at = from
  while (at < end && at - from < 9 && text[at]! >= '0' && text[at]! <= '9') at++
  const marked = at < end && (at > from ? '.)' : '-*+').includes(text[at]!)
  return marked && (at + 1 === end || isBlankOrTab(text, at + 1))
}

export function headingText(text: string, { from: start, end: lineEnd }: Line, level: number): string {
  let from = start + level
  while (from < lineEnd && isBlankOrTab(text, from)) from++
  let end = lineEnd
  while (end > from && isBlankOrTab(text, end - 1)) end--
  let hashes = end
  while (level > 0 && hashes > from && text[hashes - 1] === '#') hashes--
  if (hashes === from || isBlankOrTab(text, hashes - 1)) end = hashes
  if (end - from <= maxHeadingUnits) return text.slice(from, end).trim()
  let last = from
  for (const clusterEnd of clusterEnds(text, from, Math.min(end, from + 2 * maxHeadingUnits))) {
    if (clusterEnd - from > maxHeadingUnits) break
    last = clusterEnd
  }
  return text.slice(from, last).trim()
}

function runLength(text: string, from: number, end: number, mark: string): number {
  let at = from
  while (at < end && text[at] === mark) at++
  return at - from
}

function isBlank(text: string, from: number, end: number): boolean {
  let at = from
  while (at < end && isBlankOrTab(text, at)) at++
  return at === end
}
