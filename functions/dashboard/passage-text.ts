import { html } from 'hono/html'
import type { Range } from '../../shared/terms/term-places.ts'
import type { Html } from './layout.ts'

export interface Marked {
  text: string
  /** In order, apart from each other. */
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

/** Shows a part of the text; called in the order of the text, for all that a person sees of it. */
type ShowPart = (part: Range) => Html

const tableLine = /^\s*\|.*\|\s*$/

/** A whole text, with its marks. */
export function markedText(marked: Marked): Html {
  return html`<div class="said">${passageText(marked.text, (part) => markedSlice(marked, part))}</div>`
}

/**
 * Renders a text for people: Markdown's headings, lists and tables, the rest as it is written. Reads it line by line, so that
 * nothing of an upload is lost and offsets stay valid.
 */
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

/** Headings are bold and items have a bullet, instead of Markdown's signs. */
function textLine(text: string, { start, end }: Range, show: ShowPart): Html {
  const [sign = '', heading, item] = /^\s*(?:(#{1,6}\s+)|([-*+]\s+))?/.exec(text.slice(start, end)) ?? []
  const rest = show({ start: start + sign.length, end })
  if (heading) return html`<b>${rest}</b>`
  return item ? html`• ${rest}` : rest
}

/** It can be scrolled with the keyboard where it is wider than the screen. */
function table(text: string, lines: Range[], show: ShowPart): Html {
  const rows = lines.map((line) => cellsOf(text, line))
  const hasHead = rows[1] !== undefined && isRule(text, rows[1])
  return html`<div class="table" tabindex="0"><table>${rows.map((cells, i) => {
    if (isRule(text, cells)) return ''
    return html`<tr>${cells.map((cell) => {
      const isHead = hasHead && i === 0 && cell.start < cell.end
      return isHead ? html`<th scope="col">${show(cell)}</th>` : html`<td>${show(cell)}</td>`
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
  const lines: Range[] = []
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at)
    const lineEnd = next < 0 ? text.length : next
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
