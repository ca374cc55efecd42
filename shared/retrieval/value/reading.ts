import { BoundedMap } from '../../bounded-map.ts'
import { soundsOf } from '../../terms/terms.ts'
import { fold, stem } from '../../terms/word-forms.ts'
import { forEachWord } from '../../terms/words.ts'
import { normalForm } from '../../text/normal-form.ts'
import { codeOf, type Unit } from './asked.ts'
import { isFiller } from './fillers.ts'
import { meets, rangesIn } from './quantities.ts'

const wordStrength = 1
const synonymStrength = 0.8
/** A part of a compound, or a word that sounds alike: only for a word that no passage has. */
const likeStrength = 0.5
const minBeginning = 5
const minEnding = 4
const maxCodeLength = 40
const maxRangeLength = 80

const stemsOfTexts = new BoundedMap<string, readonly string[]>(20_000)

/** The stems of a text's words, fillers too. */
export function stemsIn(text: string): readonly string[] {
  return stemsOfTexts.getOrInsertComputed(text, () => {
    const stems: string[] = []
    forEachWord(normalForm(text), (word) => stems.push(stem(fold(word))))
    return stems
  })
}

/** The words of a text that set it apart: numbers, and those in brackets, only explain. */
export function namesIn(text: string): string[] {
  return stemsIn(text.replaceAll(/\([^()]*\)/g, '')).filter((stem) => !isFiller(stem) && !/\d/.test(stem))
}

/** How well a text meets each unit, from 0 to 1. */
export type Strengths = readonly number[]

/**
 * Reads texts.
 * @param vocabulary the stems of all passages: a word that none has is sought in compounds, and by its sound
 */
export function readerOf(units: readonly Unit[], vocabulary: ReadonlySet<string>): (text: string) => Strengths {
  const known = new Map<string, Strengths>()
  const alike = units.map((unit) => (isHeard(unit) ? [] : [...vocabulary].filter((stem) => isAlike(unit, stem))))
  return (text) => {
    const read = known.get(text) ?? strengthsOf(text)
    known.set(text, read)
    return read
  }

  function isHeard({ stem, isContent, forms, ranges, synonyms }: Unit): boolean {
    if (!isContent || stem === '' || ranges.length > 0) return true
    return [...forms, ...synonyms].some((form) => vocabulary.has(form))
  }

  function strengthsOf(text: string): number[] {
    const stems = new Set(stemsIn(text))
    const ranges = text.length <= maxRangeLength ? rangesIn(text) : []
    const code = text.length <= maxCodeLength ? codeOf(text) : ''
    return units.map(({ forms, synonyms, ranges: asked }, u) => {
      if ((code && forms.has(code)) || [...forms].some((form) => stems.has(form))) return wordStrength
      const ranged = Math.max(0, ...asked.flatMap((each) => ranges.map((range) => meets(each, range))))
      if (ranged > 0) return ranged
      if ([...synonyms].some((form) => stems.has(form))) return synonymStrength
      return alike[u]!.some((stem) => stems.has(stem)) ? likeStrength : 0
    })
  }
}

const soundsOfStems = new BoundedMap<string, string[]>(20_000)

function isAlike({ stem, sounds }: Unit, other: string): boolean {
  if (other.length >= minEnding && (other.endsWith(stem) || stem.endsWith(other)) && stem.length >= minEnding)
    return true
  if (Math.min(stem.length, other.length) >= minBeginning && (other.startsWith(stem) || stem.startsWith(other)))
    return true
  if (sounds.length === 0 || isFiller(other)) return false
  return soundsOfStems.getOrInsertComputed(other, soundsOf).some((sound) => sounds.includes(sound))
}
