import { html } from 'hono/html'
import type { Range } from '../../shared/terms/term-places.ts'
import type { Html } from './layout.ts'

export interface Marked {
  text: string
  /** Sorted, without overlaps. */
  places: readonly Range[]
}

function markedSlice({ text, places }: Marked, { start, end }: Range): Html {
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
  return html`<div class="said">${passageText(marked.text, (part) => markedSlice(marked, part))}</div>`
}

const maxShown = 100_000

/** Shows a text, or the beginning of a long one. */
export function textView(text: string): Html {
  const shown = text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text
  return html`<section class="text"><h2>Text</h2>${markedText({ text: shown, places: [] })}</section>`
}

const tableLine = /^\|.*\|$/

/** Renders Markdown's headings, lists, tables, bold words and links, and the rest as written. Works line by line, so that no text is lost and offsets stay valid. */
export function passageText(text: string, show: ShowPart): Html {
  const blocks: { isTable: boolean; lines: Range[] }[] = []
  let last: (typeof blocks)[number] | undefined
  for (const line of linesOf(text)) {
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

function paragraph(text: string, lines: Range[], show: ShowPart): Html {
  return html`<p>${lines.map((line, i) => html`${i > 0 && html`<br>`}${textLine(text, line, show)}`)}</p>`
}

/** Replaces Markdown's signs: headings become bold, items get a bullet. */
function textLine(text: string, { start, end }: Range, show: ShowPart): Html {
  const [sign = '', heading, item] = /^(?:(#{1,6}\s+)|([-*+]\s+))?/.exec(text.slice(start, end)) ?? []
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

function linesOf(text: string): Range[] {
  return Array.from(text.matchAll(/[^\n]*\n?/g), ({ 0: line, index }) =>
    trimmed(text, { start: index, end: index + line.length }),
  )
}

function trimmed(text: string, { start, end }: Range): Range {
  const slice = text.slice(start, end)
  const from = start + slice.length - slice.trimStart().length
  return { start: from, end: Math.max(from, start + slice.trimEnd().length) }
}
