import { html } from 'hono/html'
import type { Range } from '../../shared/terms/term-places.ts'
import type { Html } from './layout.ts'

export interface Marked {
  text: string
  /** Sorted, without overlaps. */
  places: readonly Range[]
}

export function markedSlice({ text, places }: Marked, { start, end }: Range): Html {
  let at = start
  const parts = places
    .filter((place) => start < end && place.start < end && place.end > start)
    .map((place) => {
      const from = Math.max(start, place.start)
      const to = Math.min(end, place.end)
      const between = text.slice(at, from)
      at = to
      return html`${between}<mark>${text.slice(from, to)}</mark>`
    })
  return html`${parts}${text.slice(at, end)}`
}

/** Renders a part of the text. Called in the order of the text, for every visible part. */
type ShowPart = (part: Range) => Html

/** Renders a whole text with its marks. */
export function markedText(marked: Marked): Html {
  const whole = { start: 0, end: marked.text.length }
  return html`<div class="said">${passageText(marked.text, [whole], (part) => markedSlice(marked, part))}</div>`
}

const maxShown = 100_000

/** Shows a text, or the beginning of a long one. */
export function textView(text: string): Html {
  const shown = text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text
  return html`<section class="text"><h2>Text</h2>${markedText({ text: shown, places: [] })}</section>`
}

const tableLine = /^\s*\|.*\|\s*$/

/**
 * Renders Markdown's headings, lists, tables, bold words and links in parts of a text, and the rest as written. Works line by line,
 * so that no text is lost and offsets stay valid.
 */
export function passageText(text: string, parts: Range[], show: ShowPart): Html {
  const blocks: { isTable: boolean; lines: Range[] }[] = []
  let last: (typeof blocks)[number] | undefined
  for (const line of parts.flatMap(({ start, end }) => linesOf(text, start, end))) {
    const content = text.slice(line.start, line.end)
    const isTable = tableLine.test(content)
    if (content === '') last = undefined
    else if (last?.isTable === isTable) last.lines.push(line)
    else {
      last = { isTable, lines: [line] }
      blocks.push(last)
    }
  }
  return html`${blocks.map(({ isTable, lines }) => (isTable ? table(text, lines, show) : paragraph(text, lines, show)))}`
}

/** Widens a range that begins or ends within a table to whole rows. */
export function wholeRows(text: string, { start, end }: Range): Range {
  const [first, last] = [lineAt(text, start), lineAt(text, end)]
  const isRow = (line: Range) => isTableLine(text, line)
  return { start: isRow(first) ? first.start : start, end: isRow(last) ? last.end : end }
}

/** Finds the header row and rule of the table around an offset, if both end before the offset. */
export function headOfTable(text: string, at: number): Range | undefined {
  let first = lineAt(text, at)
  if (!isTableLine(text, first)) return undefined
  while (first.start > 0) {
    const above = lineAt(text, first.start - 1)
    if (!isTableLine(text, above)) break
    first = above
  }
  const rule = lineAt(text, first.end + 1)
  return rule.end <= at && isRule(text, cellsOf(text, rule)) ? { start: first.start, end: rule.end } : undefined
}

const isTableLine = (text: string, { start, end }: Range) => tableLine.test(text.slice(start, end))

function lineAt(text: string, at: number): Range {
  const end = text.indexOf('\n', at)
  return { start: at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1, end: end < 0 ? text.length : end }
}

function paragraph(text: string, lines: Range[], show: ShowPart): Html {
  return html`<p>${lines.map((line, i) => html`${i > 0 && html`<br>`}${textLine(text, line, show)}`)}</p>`
}

/** Replaces Markdown's signs: headings become bold, items get a bullet. */
function textLine(text: string, { start, end }: Range, show: ShowPart): Html {
  const [sign = '', heading, item] = /^\s*(?:(#{1,6}\s+)|([-*+]\s+))?/.exec(text.slice(start, end)) ?? []
  const rest = inline(text, { start: start + sign.length, end }, show)
  if (heading) return html`<b>${rest}</b>`
  return item ? html`• ${rest}` : rest
}

const boldOrLink = /\*\*([^*\s](?:[^*]{0,200}[^*\s])?)\*\*|(?<!!)\[([^[\]]{1,200})\]\(([^()\s]{1,500})\)/g

const isWebAddress = /^https?:\/\//i

/** Shows bold words and links without their signs. */
function inline(text: string, { start, end }: Range, show: ShowPart): Html {
  let at = start
  const parts = Array.from(
    text.slice(start, end).matchAll(boldOrLink),
    ({ 0: whole, 1: bold, 2: name, 3: address, index }) => {
      const from = start + index
      const before = show({ start: at, end: from })
      at = from + whole.length
      const inner = from + (bold === undefined ? 1 : 2)
      const said = show({ start: inner, end: inner + (bold ?? name)!.length })
      if (bold !== undefined) return html`${before}<b>${said}</b>`
      return html`${before}${isWebAddress.test(address!) ? html`<a href="${address!}" rel="noreferrer">${said}</a>` : said}`
    },
  )
  return html`${parts}${show({ start: at, end })}`
}

/** `tabindex` lets people scroll a wide table with the keyboard. */
function table(text: string, lines: Range[], show: ShowPart): Html {
  const rows = lines.map((line) => cellsOf(text, line))
  const hasHead = rows[1] !== undefined && isRule(text, rows[1])
  return html`<div class="table" tabindex="0"><table>${rows.map((cells, i) => {
    if (isRule(text, cells)) return ''
    return html`<tr>${cells.map((cell) => {
      const isHead = hasHead && i === 0 && cell.start < cell.end
      const shown = inline(text, cell, show)
      return isHead ? html`<th scope="col">${shown}</th>` : html`<td>${shown}</td>`
    })}</tr>`
  })}</table></div>`
}

function isRule(text: string, cells: Range[]): boolean {
  return cells.every(({ start, end }) => /^:?-+:?$/.test(text.slice(start, end)))
}

function cellsOf(text: string, { start, end }: Range): Range[] {
  const bars = [...text.slice(start, end).matchAll(/(?<!\\)\|/g)].map(({ index }) => start + index)
  return bars.slice(1).map((bar, i) => trimmed(text, { start: bars[i]! + 1, end: bar }))
}

function linesOf(text: string, start: number, end: number): Range[] {
  const lines: Range[] = []
  for (let at = start; at < end; ) {
    const next = text.indexOf('\n', at)
    const lineEnd = next < 0 || next > end ? end : next
    lines.push(trimmed(text, { start: at, end: lineEnd }, 'end'))
    at = lineEnd + 1
  }
  return lines
}

function trimmed(text: string, { start, end }: Range, at: 'end' | 'both' = 'both'): Range {
  const slice = text.slice(start, end)
  const from = at === 'both' ? start + slice.length - slice.trimStart().length : start
  return { start: from, end: Math.max(from, start + slice.trimEnd().length) }
}
