import { BoundedMap } from '../../bounded-map.ts'
import { soundsOf } from '../../terms/terms.ts'
import { type MeantWord, readMeanings } from '../coverage.ts'
import { type AskedQuestion, codeOf, type Unit } from './asked.ts'
import { isOfRange, meets, rangesIn } from './quantities.ts'

/** How well a text meets each unit of the question, 0 to 1. */
export interface Match {
  met: Float32Array
  /** The same without numbers that only a range contains, such as the nine of “6–15”. */
  said: Float32Array
}

const conceptStrength = 0.5
const synonymStrength = 0.8
const partStrength = 0.8
const soundStrength = 0.5
/** A word that nothing else meets is met by one with the same beginning. */
const startStrength = 0.4
const lastStart = 4
/** The share of a match that a text loses if the question has nothing else of it. */
const coverShare = 0.5
/** The share that a match keeps if the word belongs to a phrase of the question that another text has. */
const otherShare = 0.5
const maxPhrase = 5
const minPart = 3
const minCommonStart = 5
const minCommonShare = 0.5
const maxCodeLength = 40
const maxRangeLength = 80
const maxCached = 20_000
const maxCachedText = 200

/** @param texts of all tables: a word of the question that none has is sought in parts of words, and by its sound */
export function matcher({ units, stems }: AskedQuestion, texts: Iterable<string>): (text: string) => Match {
  const words = new Map<string, MeantWord[]>()
  for (const text of texts) if (!words.has(text)) words.set(text, wordsIn(text))
  const { strengths, isMet } = strengthsOf(units, new Set([...words.values()].flat()))
  const asksRanges = units.some(({ ranges }) => ranges.length > 0)
  const asksCodes = units.some(({ codes }) => codes.size > 0)
  const saysNumber = units.some(
    ({ ranges, isImplied }) => !isImplied && ranges.some(({ kind, low }) => kind === 'number' && low > 1),
  )
  const rangesOf = units.map(({ ranges, isImplied }, u) =>
    (isImplied ? saysNumber : isMet[u] && ranges[0]?.kind === 'time') ? [] : ranges,
  )
  const phrases = phrasesIn(stems, words)
  const known = new Map<string, Match>()

  return (text) => {
    const match = known.get(text) ?? matchOf(text)
    known.set(text, match)
    return match
  }

  function matchOf(text: string): Match {
    const said = new Float32Array(units.length)
    const ranges = asksRanges && text.length <= maxRangeLength ? rangesIn(text) : []
    const reached = rangesOf.map((asked) =>
      ranges.length === 0 ? 0 : Math.max(0, ...asked.flatMap((each) => ranges.map((range) => meets(each, range)))),
    )
    const isReached = reached.some((strength) => strength > 0)
    let telling = 0
    let covered = 0
    // “For two” is not £2.00.
    const read = /^[£€$]? ?\d+(?:[.,]\d\d)? ?[£€$]?$/.test(text) && !/^\d+$/.test(text) ? [] : (words.get(text) ?? [])
    for (const word of read) {
      if (!word.isStopWord && !(isReached && isOfRange(word.folded))) telling++
      let best = 0
      for (const [u, strength] of strengths.get(word) ?? []) {
        said[u] = Math.max(said[u]!, strength)
        best = Math.max(best, strength)
      }
      covered += best
    }
    const share = 1 - coverShare + coverShare * (telling > 0 ? Math.min(1, covered / telling) : 1)
    const code = asksCodes && read.length > 0 && text.length <= maxCodeLength ? codeOf(text) : ''
    for (const [u, { codes }] of units.entries()) said[u] = code && codes.has(code) ? 1 : said[u]! * share
    for (const [phrase, at] of phrases)
      if (!` ${(words.get(text) ?? []).map(({ stem }) => stem).join(' ')} `.includes(` ${phrase} `))
        for (const [u, unit] of units.entries())
          if (unit.at >= at && unit.at < at + phrase.split(' ').length) said[u] = said[u]! * otherShare
    return { said, met: isReached ? said.map((strength, u) => Math.max(strength, reached[u]! * share)) : said }
  }
}

const wordsOfTexts = new BoundedMap<string, MeantWord[]>(maxCached)

/** Caches words, since the same tables answer many questions. */
function wordsIn(text: string): MeantWord[] {
  const read = () => readMeanings(text, () => {})
  return text.length > maxCachedText ? read() : wordsOfTexts.getOrInsertComputed(text, read)
}

/** The texts of several words that the question has as they are, with the place of the first: “off-peak” is no peak. */
function phrasesIn(stems: readonly string[], texts: ReadonlyMap<string, MeantWord[]>): Map<string, number> {
  const question = ` ${stems.join(' ')} `
  const found = new Map<string, number>()
  for (const words of texts.values()) {
    if (words.length < 2 || words.length > maxPhrase || !stems.includes(words[0]!.stem)) continue
    const phrase = words.map(({ stem }) => stem).join(' ')
    const at = question.indexOf(` ${phrase} `)
    if (at >= 0) found.set(phrase, question.slice(0, at).split(' ').length - 1)
  }
  return found
}

type Strengths = Map<MeantWord, [unit: number, strength: number][]>

function strengthsOf(units: readonly Unit[], vocabulary: ReadonlySet<MeantWord>) {
  const byMeaning = new Map<string, [unit: number, strength: number][]>()
  const add = (meaning: string, unit: number, strength: number) => {
    const found = byMeaning.get(meaning)
    if (found) found.push([unit, strength])
    else byMeaning.set(meaning, [[unit, strength]])
  }
  for (const [u, { terms, concepts, synonyms }] of units.entries()) {
    for (const term of terms) add(term, u, 1)
    for (const synonym of synonyms) if (!terms.has(synonym)) add(synonym, u, synonymStrength)
    for (const concept of concepts) add(concept, u, conceptStrength)
  }
  const strengths: Strengths = new Map()
  const isMet = units.map(() => false)
  const put = (word: MeantWord, found: [unit: number, strength: number][]) =>
    strengths.set(word, [...(strengths.get(word) ?? []), ...found])
  for (const word of vocabulary) {
    const found = word.meanings.flatMap((meaning) => byMeaning.get(meaning) ?? [])
    if (found.length > 0) put(word, found)
    for (const [u, strength] of found) isMet[u] ||= strength > conceptStrength
  }
  for (const [u, unit] of units.entries()) {
    if (isMet[u] || unit.stem === '' || unit.isCommon) continue
    let hasPart = false
    for (const word of vocabulary) {
      const strength = isPart(word.stem, unit.stem) ? partStrength : soundsAlike(unit, word) ? soundStrength : 0
      if (strength === 0) continue
      put(word, [[u, strength]])
      hasPart = true
    }
    const start = unit.stem.slice(0, lastStart)
    if (!hasPart && start.length === lastStart)
      for (const word of vocabulary) if (word.stem.startsWith(start)) put(word, [[u, startStrength]])
  }
  return { strengths, isMet }
}

function isPart(a: string, b: string): boolean {
  if (a.length < minPart || b.length < minPart) return false
  const start = Math.max(minCommonStart, Math.ceil(minCommonShare * Math.max(a.length, b.length)))
  return a.includes(b) || b.includes(a) || (a.length >= start && a.slice(0, start) === b.slice(0, start))
}

const soundsOfWords = new BoundedMap<string, string[]>(maxCached)

function soundsAlike({ sounds }: Unit, { stem, isStopWord }: MeantWord): boolean {
  if (sounds.length === 0 || isStopWord) return false
  return soundsOfWords.getOrInsertComputed(stem, soundsOf).some((sound) => sounds.includes(sound))
}
