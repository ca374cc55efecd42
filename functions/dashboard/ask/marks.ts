import { html } from 'hono/html'
import { placesOf, type Range } from '../../../shared/terms/term-places.ts'
import type { Html } from '../layout.ts'

/** A text whose words that stand for one of the terms are to be marked. */
export interface Marked {
  text: string
  /** In order, apart from each other. */
  places: readonly Range[]
}

export function marking(text: string, terms: ReadonlySet<string>): Marked {
  return { text, places: placesOf(terms, text) }
}

/** A part of the text, with its marks. */
export function markedSlice({ text, places }: Marked, { start, end }: Range): Html {
  let at = start
  const parts = places
    .filter((place) => place.start < end && place.end > start)
    .map((place) => {
      const from = Math.max(start, place.start)
      const to = Math.min(end, place.end)
      const between = text.slice(at, from)
      at = to
      return html`${between}<mark>${text.slice(from, to)}</mark>`
    })
  return html`${parts}${text.slice(at, end)}`
}

/** Longer texts are shown in part at first. */
const maxCharacters = 700
/** What is shown of them before a mark. */
const before = 160

/** The part of a text to show at first: where most marks are. The whole of a short one. */
export function telling({ text, places }: Marked): Range {
  if (text.length <= maxCharacters * 1.3) return { start: 0, end: text.length }
  const starts = [0, ...places.map(({ start }) => lineStart(text, Math.max(0, start - before)))]
  const marksFrom = (start: number) =>
    places.filter((place) => place.start >= start && place.end <= start + maxCharacters).length
  const start = starts.reduce((best, start) => (marksFrom(start) > marksFrom(best) ? start : best))
  return { start, end: wordEnd(text, start + maxCharacters) }
}

/** Of the line that begins not far from there, else of a word. */
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
