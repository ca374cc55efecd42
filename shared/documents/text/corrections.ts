import type { Correction } from '../../database/tables.ts'

/** A file's text with people's corrections; a text that has them already stays the same. */
export function corrected(text: string, corrections: readonly Correction[]): string {
  return corrections.reduce((text, { before, after }) => {
    const isMade = hasPassage(after, before) && hasPassage(text, after)
    return isMade ? text : (replacedOnce(text, before, after) ?? text)
  }, text)
}

/** The text before its corrections, and the corrections that it does not contain. */
export function uncorrected(text: string, corrections: readonly Correction[]) {
  const kept: Correction[] = []
  const original = corrections.reduceRight((text, correction) => {
    const before = replacedOnce(text, correction.after, correction.before)
    if (before === undefined) kept.unshift(correction)
    return before ?? text
  }, text)
  return { original, kept }
}

/** True if the text has the passage exactly once, in whole words, however they are spaced. */
export function isOnceIn(text: string, passage: string): boolean {
  return onlyPlace(text, passage) !== undefined
}

export function hasPassage(text: string, passage: string): boolean {
  return placesOf(text, passage).next().done !== true
}

function replacedOnce(text: string, passage: string, by: string): string | undefined {
  const place = onlyPlace(text, passage)
  return place && text.slice(0, place.start) + by + text.slice(place.end)
}

function onlyPlace(text: string, passage: string) {
  const [first, second] = placesOf(text, passage).take(2)
  return second ? undefined : first
}

const space = 0x20

/** Reads each character once, however often the text matches the beginning of the passage (Knuth, Morris and Pratt 1977). */
function* placesOf(text: string, passage: string): Generator<{ start: number; end: number }, undefined> {
  const words = passage.trim().split(/\s+/)
  const sought = ` ${words.join(' ')} `
  const borders = [0]
  const next = (matched: number, code: number) => {
    let length = matched
    while (length > 0 && sought.charCodeAt(length) !== code) length = borders[length - 1]!
    return sought.charCodeAt(length) === code ? length + 1 : 0
  }
  for (let at = 1; at < sought.length; at++) borders.push(next(borders[at - 1]!, sought.charCodeAt(at)))
  const starts: number[] = []
  let [matched, isApart] = [1, true]
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : space
    const isSpace = code <= space || (code > 0x7f && String.fromCharCode(code).trim() === '')
    if (isSpace && isApart) continue
    if (isApart) starts.push(at)
    isApart = isSpace
    matched = next(matched, isSpace ? space : code)
    if (matched < sought.length) continue
    yield { start: starts.at(-words.length)!, end: at }
    matched = 1
  }
}
