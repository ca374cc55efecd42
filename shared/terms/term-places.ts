import { normalForm } from '../text/normal-form.ts'
import { indexedTermsOf } from './indexed-terms.ts'
import { withSimplifiedCharacters } from './simplified.ts'
import { joinedTerms, termsOf } from './terms.ts'
import { fold } from './word-forms.ts'
import { unspaced, wordsOf } from './words.ts'

export interface Range {
  start: number
  end: number
}

/** The places of the terms in a text, in order, without overlaps. */
export function placesOf(terms: ReadonlySet<string>, text: string): Range[] {
  const normalized = normalForm(text)
  const original = originalRange(text, normalized)
  const found = termPlaces(normalized)
    .filter(({ term }) => terms.has(term))
    .map(original)
    .sort((a, b) => a.start - b.start || b.end - a.end)
  const places: Range[] = []
  for (const { start, end } of found) {
    const last = places.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else places.push({ start, end })
  }
  return places
}

/** Every indexed term of a text and its place. @param text in NFKC */
export function termPlaces(text: string): (Range & { term: string })[] {
  const words = wordsOf(text)
  const known = new Map<string, (Range & { term: string })[]>()
  const places = words.flatMap((word) => {
    const own = known.get(word.text) ?? placesInWord(word.text)
    known.set(word.text, own)
    return own.map(({ term, start, end }) => ({ term, start: word.start + start, end: word.start + end }))
  })
  const codes = joinedTerms(words).map(({ from, to, text }) => {
    const last = words[to - 1]!
    return { term: text, start: words[from]!.start, end: last.start + last.text.length }
  })
  return [...places, ...codes]
}

function placesInWord(text: string): (Range & { term: string })[] {
  const folded = withSimplifiedCharacters(fold(text))
  if (!unspaced.test(folded) || folded.length !== text.length)
    return indexedTermsOf(text).map((term) => ({ term, start: 0, end: text.length }))
  // In a script without spaces, terms are pairs of characters.
  const places: (Range & { term: string })[] = []
  for (const term of new Set(termsOf(text)))
    for (let at = folded.indexOf(term); at >= 0; at = folded.indexOf(term, at + 1))
      places.push({ term, start: at, end: at + term.length })
  return places
}

/** Maps places in the normalized text to whole characters of the original. */
function originalRange(text: string, normalized: string): <Place extends Range>(place: Place) => Range {
  if (text === normalized) return ({ start, end }) => ({ start, end })
  const starts: number[] = []
  const ends: number[] = []
  for (const { segment, index } of new Intl.Segmenter().segment(text))
    for (const _ of normalForm(segment).split('')) {
      starts.push(index)
      ends.push(index + segment.length)
    }
  return ({ start, end }) => ({ start: starts[start] ?? text.length, end: ends[end - 1] ?? text.length })
}
