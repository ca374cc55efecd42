import { html } from 'hono/html'
import type { Range } from '../../shared/terms/term-places.ts'
import type { Html } from './layout.ts'
import { headOfTable, type Marked, markedSlice, passageText, wholeRows } from './passage-text.ts'

/** The part of a passage where most marks are, with the header of its table, and the whole below it to open. */
export function excerptView(passage: Marked): Html {
  const { start, end } = excerptRange(passage)
  const head = headOfTable(passage.text, start)
  const { length } = passage.text
  const shown = (...parts: Range[]) => passageText(passage.text, parts, (part) => markedSlice(passage, part))
  return html`<div class="said${start > 0 && !head && ' goes-before'}${end < length && ' goes-on'}">${head ? shown(head, { start, end }) : shown({ start, end })}</div>
${end - start < length && html`<details><summary>The whole part</summary><div class="said">${shown({ start: 0, end: length })}</div></details>`}`
}

const maxCharacters = 700
const before = 160
/** The best part is sought among the first of them. */
const maxMarks = 1_000

/** The part of a text to show at first: where a line has most of the marked words, with whole rows of tables. The whole of a short text. */
function excerptRange({ text, places }: Marked): Range {
  if (text.length <= maxCharacters * 1.3) return { start: 0, end: text.length }
  const marks = places.slice(0, maxMarks).map((place) => ({ ...place, line: text.lastIndexOf('\n', place.start) }))
  const marksFrom = (from: number) => {
    const within = marks.filter(({ start, end }) => start >= from && end <= from + maxCharacters)
    const lines = Map.groupBy(within, ({ line }) => line)
    const wordsOf = (marks: Range[]) =>
      new Set(marks.map(({ start, end }) => text.slice(start, end).toLowerCase())).size
    return Math.max(0, ...[...lines.values()].map(wordsOf)) + within.length / 1000
  }
  const starts = [0, ...marks.map(({ start }) => lineStart(text, Math.max(0, start - before)))]
  const start = starts.reduce((best, start) => (marksFrom(start) > marksFrom(best) ? start : best))
  return wholeRows(text, { start, end: wordEnd(text, start + maxCharacters) })
}

function lineStart(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at) + 1
  if (at - line <= before) return line
  const next = text.slice(at, at + before).search(/\s/)
  return next < 0 ? line : at + next + 1
}

/** The next white space, if one is near: a text without spaces is cut anywhere but in a pair of surrogates. */
function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length
  const ahead = text.slice(at, at + before).search(/\s/)
  if (ahead >= 0) return at + ahead
  return /[\udc00-\udfff]/.test(text[at]!) ? at + 1 : at
}
