import { isFillerStem } from '../../terms/fillers.ts'
import { isAlike } from '../alike.ts'
import { codeOf, type Unit } from '../asked.ts'
import { meets, rangesIn } from '../quantities.ts'
import { readText } from '../read-text.ts'
import type { Hit } from '../schemas.ts'
import { headsOf } from '../tables.ts'

const synonymStrength = 0.8
/** A part of a compound, or a word that sounds alike: only for a word that no passage has. */
const likeStrength = 0.5
/** A longer text has no code. */
const maxNameLength = 80

/** The stems of a text's words, fillers too, and its codes of several words. */
export function formsIn(text: string): ReadonlySet<string> {
  return readText(text).forms
}

/** The words of a text that set it apart: numbers, and those in brackets, only explain. */
export function namesIn(text: string): string[] {
  return [...formsIn(text.replaceAll(/\([^()]*\)/g, ''))].filter((stem) => !isFillerStem(stem) && !/\d/.test(stem))
}

export type Passage = Pick<Hit, 'chunk_id' | 'document_id' | 'document_title' | 'content' | 'metadata'>

/** The passage's title, headings and content. */
export const textsOf = (passage: Passage) => [...headsOf(passage), passage.content]

/** Stems of texts. Few are looked up, so they are not copied into one set; one that several texts have comes several times. */
export interface Vocabulary extends Iterable<string> {
  has(stem: string): boolean
}

/** The stems of all passages. */
export function vocabularyOf(passages: readonly Passage[]): Vocabulary {
  const texts = passages.flatMap(textsOf).map(formsIn)
  return {
    has: (stem) => texts.some((forms) => forms.has(stem)),
    *[Symbol.iterator]() {
      for (const forms of texts) yield* forms
    },
  }
}

/** Tells which units a passage, its headings or its document's title meet. */
export function metBy(read: Reader, passage: Passage): boolean[] {
  const [first, ...others] = textsOf(passage).map(read)
  return first!.map((strength, u) => strength > 0 || others.some((met) => met[u]! > 0))
}

/** How well a text meets each unit, from 0 to 1. */
export type Strengths = readonly number[]

export type Reader = (text: string) => Strengths

/**
 * Reads texts.
 * @param vocabulary the stems of all passages: a word that none has is sought in compounds, and by its sound
 */
export function readerOf(units: readonly Unit[], vocabulary: Vocabulary): Reader {
  const known = new Map<string, Strengths>()
  const ranged = units.flatMap(({ ranges }, u) => (ranges.length > 0 ? [{ ranges, u }] : []))
  const meanings = new Map<string, { u: number; strength: number }[]>()
  const add = (forms: Iterable<string>, u: number, strength: number) => {
    for (const form of forms) meanings.set(form, [...(meanings.get(form) ?? []), { u, strength }])
  }
  for (const [u, { stem, forms, synonyms, ranges, isContent }] of units.entries()) {
    add(forms, u, 1)
    add(synonyms, u, synonymStrength)
    const isHeard = [...forms, ...synonyms].some((form) => vocabulary.has(form))
    if (!isContent || stem === '' || ranges.length > 0 || isHeard) continue
    for (const other of vocabulary) if (isAlike(stem, other)) add([other], u, likeStrength)
  }
  return (text) => {
    const read = known.get(text) ?? strengthsOf(text)
    known.set(text, read)
    return read
  }

  function strengthsOf(text: string): number[] {
    const strengths = units.map(() => 0)
    const has = formsIn(text)
    const code = text.length <= maxNameLength ? codeOf(text) : ''
    const forms =
      has.size < meanings.size ? [...has, code] : [...meanings.keys()].filter((form) => has.has(form) || form === code)
    for (const form of forms)
      for (const { u, strength } of meanings.get(form) ?? []) strengths[u] = Math.max(strengths[u]!, strength)
    const found = ranged.length > 0 ? rangesIn(text) : []
    if (found.length === 0) return strengths
    for (const { ranges, u } of ranged) {
      // “Per hour” and “two of us” are not “2 hours”.
      if (ranges.some(({ kind, unit, low }) => (unit || low !== 1) && found.some((range) => range.kind === kind)))
        strengths[u] = 0
      for (const range of found) for (const asked of ranges) strengths[u] = Math.max(strengths[u]!, meets(asked, range))
    }
    return strengths
  }
}
