import { html } from 'hono/html'
import type { Range } from '../../../shared/terms/term-places.ts'
import type { Html } from '../layout.ts'
import { type Marked, markedSlice } from './marks.ts'

/**
 * A part of a passage as a person reads it: Markdown's headings, lists and tables as such, the rest as it is written. It is read line by
 * line, so that whatever was uploaded shows, and every mark keeps its place.
 */
export function passageText(passage: Marked, { start, end }: Range): Html {
  const blocks: { isTable: boolean; lines: Range[] }[] = []
  for (const line of linesOf(passage.text, start, end)) {
    const text = passage.text.slice(line.start, line.end)
    if (text.trim() === '') {
      blocks.push({ isTable: false, lines: [] })
      continue
    }
    const isTable = /^\s*\|.*\|\s*$/.test(text)
    const last = blocks.at(-1)
    if (last && last.lines.length > 0 && last.isTable === isTable) last.lines.push(line)
    else blocks.push({ isTable, lines: [line] })
  }
  return html`${blocks
    .filter(({ lines }) => lines.length > 0)
    .map(({ isTable, lines }) => (isTable ? table(passage, lines) : paragraph(passage, lines)))}`
}

function paragraph(passage: Marked, lines: Range[]): Html {
  return html`<p>${lines.map((line, i) => html`${i > 0 && html`<br>`}${textLine(passage, line)}`)}</p>`
}

/** Without what makes it a heading or an item of a list, which is told by how it looks. */
function textLine(passage: Marked, { start, end }: Range): Html {
  const [sign = '', heading, item] = /^\s*(?:(#{1,6}\s+)|([-*+]\s+))?/.exec(passage.text.slice(start, end)) ?? []
  const rest = markedSlice(passage, { start: start + sign.length, end })
  if (heading) return html`<b>${rest}</b>`
  return item ? html`• ${rest}` : rest
}

function table(passage: Marked, lines: Range[]): Html {
  const rows = lines.map((line) => cellsOf(passage.text, line))
  const isRule = (cells: Range[]) => cells.every(({ start, end }) => /^:?-+:?$/.test(passage.text.slice(start, end)))
  const hasHead = rows[1] !== undefined && isRule(rows[1])
  return html`<div class="table"><table>${rows.map((cells, i) => {
    if (isRule(cells)) return ''
    const isHead = hasHead && i === 0
    return html`<tr>${cells.map((cell) => {
      const content = markedSlice(passage, cell)
      return isHead ? html`<th scope="col">${content}</th>` : html`<td>${content}</td>`
    })}</tr>`
  })}</table></div>`
}

/** Between the bars, without white space. */
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
