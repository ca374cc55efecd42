import type { Correction } from '../database/tables.ts'

/** A file's text with what people have corrected in it. The same for a text that is corrected already. */
export function corrected(text: string, corrections: readonly Correction[]): string {
  return corrections.reduce((text, { before, after }) => {
    const isMade = hasPassage(after, before) && hasPassage(text, after)
    return isMade ? text : (replacedOnce(text, before, after) ?? text)
  }, text)
}

/** The text as it was before it was corrected, and the corrections that are not to be found in it. */
export function uncorrected(text: string, corrections: readonly Correction[]) {
  const kept: Correction[] = []
  const original = corrections.reduceRight((text, correction) => {
    const before = replacedOnce(text, correction.after, correction.before)
    if (before === undefined) kept.unshift(correction)
    return before ?? text
  }, text)
  return { original, kept }
}

/** Whether this is in the text once, of whole words, however they are spaced. */
export function isOnceIn(text: string, passage: string): boolean {
  const places = placesOf(text, passage)
  return places.next().done !== true && places.next().done === true
}

export function hasPassage(text: string, passage: string): boolean {
  return placesOf(text, passage).next().done !== true
}

function replacedOnce(text: string, passage: string, by: string): string | undefined {
  const places = placesOf(text, passage)
  const { value: place } = places.next()
  if (!place || places.next().done !== true) return undefined
  return text.slice(0, place.index) + by + text.slice(place.index + place[0].length)
}

function placesOf(text: string, passage: string) {
  const words = passage.trim().split(/\s+/).map(RegExp.escape)
  return text.matchAll(new RegExp(`(?<!\\S)${words.join('\\s+')}(?!\\S)`, 'g'))
}
