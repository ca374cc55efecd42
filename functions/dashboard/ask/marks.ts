import { placesOf, type Range } from '../../../shared/terms/term-places.ts'
import { type Marked, wholeRows } from '../passage-text.ts'

export function marking(text: string, terms: ReadonlySet<string>): Marked {
  return { text, places: placesOf(terms, text) }
}

/** Longer texts are shown in part at first. */
const maxCharacters = 700
/** Characters shown before a mark. */
const before = 160

/** The part of a text to show at first: where most marks are, with whole rows of tables. The whole of a short text. */
export function excerptRange({ text, places }: Marked): Range {
  if (text.length <= maxCharacters * 1.3) return { start: 0, end: text.length }
  const starts = [0, ...places.map(({ start }) => lineStart(text, Math.max(0, start - before)))]
  const marksFrom = (start: number) =>
    places.filter((place) => place.start >= start && place.end <= start + maxCharacters).length
  const start = starts.reduce((best, start) => (marksFrom(start) > marksFrom(best) ? start : best))
  return wholeRows(text, { start, end: wordEnd(text, start + maxCharacters) })
}

/** Start of the line, if that is near, else of the next word. */
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
