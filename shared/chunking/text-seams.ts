import { carriageReturn, clusterBegins, clusterEnds, lineFeed } from './grapheme-clusters.ts'
import { isLetter, isSpace, isSpaceAt, skipSpace } from './pre-tokens.ts'
import type { TokenCounter } from './token-counter.ts'

/** Offsets inside text[start, end) where it may be cut, ascending. White space belongs to what precedes it. */
export type Seams = (text: string, start: number, end: number) => Generator<number>

const sentenceEnd = /[.!?…。！？｡][.!?…。！？｡"'”’»)\]}」』）*_`]*/g
const wideStop = /[。！？｡]/
const abbreviations = new Set('mr mrs ms dr prof st no nr vs etc approx tel inc ltd'.split(' '))

const isNewline = (text: string, at: number) => text[at] === '\n' || text[at] === '\r'

export const sentenceSeams: Seams = function* (text, start, end) {
  for (const { 0: stops, index } of text.slice(start, end).matchAll(sentenceEnd)) {
    const stop = start + index
    const after = stop + stops.length
    const next = skipSpace(text, after, end)
    if (next >= end || (next === after && !wideStop.test(stops)) || !clusterBegins(text, next)) continue
    if (text[stop] === '.' && (isAbbreviation(text, start, stop) || /\p{Ll}/u.test(text[next]!))) continue
    yield next
  }
}

export const paragraphSeams: Seams = function* (text, start, end) {
  for (const seam of sentenceSeams(text, start, end)) {
    let at = seam - 1
    while (at > start && isSpaceAt(text, at) && !isNewline(text, at)) at--
    if (isNewline(text, at)) yield seam
  }
}

function isAbbreviation(text: string, start: number, stop: number): boolean {
  let from = stop
  while (from > start && stop - from < 8 && isLetter(text.charCodeAt(from - 1))) from--
  const word = text.slice(from, stop)
  return word.length === 1 || abbreviations.has(word.toLowerCase())
}

export const lineSeams: Seams = (text, start, end) => lines(text, start, end, false)

export const stanzaSeams: Seams = (text, start, end) => lines(text, start, end, true)

function* lines(text: string, start: number, end: number, afterBlank: boolean): Generator<number> {
  let breaks = 0
  let lineStart = start
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit === lineFeed || unit === carriageReturn) {
      if (unit === carriageReturn && text.charCodeAt(at + 1) === lineFeed) at++
      breaks++
      lineStart = at + 1
    } else if (breaks > 0 && !isSpace(unit)) {
      if (breaks > (afterBlank ? 1 : 0) && lineStart > start && clusterBegins(text, lineStart)) yield lineStart
      breaks = 0
    }
  }
}

export const wordSeams: Seams = function* (text, start, end) {
  for (let at = start + 1; at < end; at++) {
    if (isSpaceAt(text, at - 1) && !isSpaceAt(text, at) && clusterBegins(text, at)) yield at
  }
}

/** Cuts between grapheme clusters, preferably at the end of a pre-token, `maxUnits` / 4 to `maxUnits` apart. */
export function* clusterSeams(
  text: string,
  start: number,
  end: number,
  counter: TokenCounter,
  maxUnits: number,
): Generator<number> {
  const minUnits = maxUnits / 4
  let last = start
  for (const clusterEnd of clusterEnds(text, start, end)) {
    if (clusterEnd >= end) break
    const length = clusterEnd - last
    if (length < maxUnits && (length < minUnits || !counter.isEdge(clusterEnd))) continue
    yield clusterEnd
    last = clusterEnd
  }
}
