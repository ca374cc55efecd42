import { joinedTerms, soundsOf } from '../../terms/terms.ts'
import { fold, stem } from '../../terms/word-forms.ts'
import { wordsOf } from '../../terms/words.ts'
import { normalForm } from '../../text/normal-form.ts'
import { type Reading, readings } from '../keyword/spoken/readings.ts'
import { isFiller } from './fillers.ts'
import { type AnswerKind, kindsIn, saysKind } from './kinds.ts'
import { type Range, rangeOf, rangesIn, unitOf } from './quantities.ts'
import { synonymsOf } from './synonyms.ts'

/** A word of a turn, or several that are one code, number or time. */
export interface Unit {
  /** Empty for several words. */
  stem: string
  /** Stems and codes, as texts have them. */
  forms: ReadonlySet<string>
  synonyms: ReadonlySet<string>
  ranges: Range[]
  sounds: string[]
  /** True if a value must account for it; false if every such question has it. */
  isContent: boolean
}

export interface AskedTurn {
  units: Unit[]
  kinds: ReadonlySet<AnswerKind>
  /** The end of the hours that is asked for: “until when” is the last one. */
  end: 'first' | 'last' | undefined
}

const rewritten = [
  [/n['’]t(?!\p{L})/gu, ' not'],
  [/(?<=\p{L})['’](?:s|d|m|ll|re|ve)(?!\p{L})/gu, ''],
  [/\byears?[- ]olds?\b/g, 'years'],
  [/(?<=\p{L}{3}|\d)-?jährige?[nrs]?(?!\p{L})/gu, ' jahre '],
  [/\b(?:half an hour|halbe stunde)\b/g, '30 minutes'],
  [/\b(?:during the week|unter der woche)\b/g, 'weekdays'],
] as const
const asksLast =
  /\b(?:clos(?:e|es|ing)|shuts?|how late|until when|till when|open (?:until|till)|bis wann|schlie(?:ßt|ßen)|ferme[zn]?t?|jusqu)(?!\p{L})/u
const asksFirst =
  /\b(?:(?:what time|when) (?:do|does|will) (?:you|the|we)(?: \p{L}+){0,4} open|how early|from when|opens?(?: up)? at|ab wann|wie früh|wann (?:öffnen|machen)|ouvr\p{L}{1,4})(?!\p{L})/u
const maxCharacters = 500
const maxUnits = 40

export function readTurn(text: string): AskedTurn {
  let query = normalForm(text).slice(0, maxCharacters).toLowerCase()
  for (const [said, written] of rewritten) query = query.replaceAll(said, written)
  const kinds = kindsIn(query)
  const words = wordsOf(query)
  const said = words.map((word) => word.text)
  const spans = [...readings(said), ...joinedTerms(words)].filter((span) => isCode(said, span))
  const units: Unit[] = []
  for (let from = 0, to: number; from < words.length && units.length < maxUnits; from = to) {
    const pair = pairAt(said, from)
    to = Math.max(from + (pair.length > 0 ? 2 : 1), ...spans.map((span) => (span.from === from ? span.to : 0)))
    const written = spans.filter((span) => span.from === from && span.to === to).map((span) => span.text)
    units.push(unitOfWords(said, from, to, { written, kinds, before: units.at(-1) }))
  }
  const end = asksLast.test(query) ? 'last' : asksFirst.test(query) ? 'first' : undefined
  return { units, kinds, end: kinds.has('time') ? end : undefined }
}

/** A bare number after these words is probably a time of day. */
const beforeTimes = /^(?:at|after|before|until|till|by|around|from|since|um|nach|ab|bis|vor|gegen|past)$/

/** False for “six kilo”, “a 12 kg dog” and “at 9”, which have no code. */
function isCode(said: readonly string[], { from, to, text }: Reading): boolean {
  const [first = '', second = '', next = ''] = said.slice(from, from + 3)
  if (/^\d+\p{L}/u.test(text) && unitOf(said[to - 1]!)) return false
  return !(to - from === 2 && /^\d/.test(second) && (first === 'a' ? unitOf(next) : beforeTimes.test(first)))
}

interface Heard {
  written: readonly string[]
  kinds: ReadonlySet<AnswerKind>
  before: Unit | undefined
}

function unitOfWords(said: readonly string[], from: number, to: number, { written, kinds, before }: Heard): Unit {
  const isWord = to - from === 1
  const word = fold(said[from]!)
  const stemmed = stem(word)
  const ranges = rangesOf(said, from, to, written)
  const measure = isWord ? unitOf(word) : undefined
  const isMeasure = measure !== undefined && before?.ranges.some(({ unit }) => unit === measure)
  const isMeasured = ranges.some(({ kind, unit }) => kind === 'time' || unit)
  const isSaid = isWord && (isMeasure || (!isMeasured && (isFiller(word) || saysKind(stemmed, kinds))))
  const codes = isMeasured ? [] : [...written, said.slice(from, to).join('')].map(codeOf)
  return {
    stem: isWord ? stemmed : '',
    forms: new Set(isWord ? [stemmed, ...codes] : codes),
    synonyms: new Set(isWord ? synonymsOf(stemmed) : pairAt(said, from)),
    ranges,
    sounds: isWord && !isSaid && ranges.length === 0 ? soundsOf(word) : [],
    isContent: !isSaid,
  }
}

/** The synonyms of two words, such as “to go”. */
function pairAt(said: readonly string[], at: number): readonly string[] {
  return at + 1 < said.length ? synonymsOf(`${stem(fold(said[at]!))}_${stem(fold(said[at + 1]!))}`) : []
}

/** Letters and digits only. */
export function codeOf(text: string): string {
  return fold(text).replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Words with other meanings, too, are days and months only in a table. */
const ambiguous = /^(?:mo|di|mi|do|fr|sa|so|sat|sun|wed|mar|mars|mai|may|march|dec|jan|h|m|g|t|l)$/
const hour = 60

/** What the words [from, to) may mean as numbers, times and days. */
function rangesOf(said: readonly string[], from: number, to: number, written: readonly string[]): Range[] {
  const word = said[from]!
  const before = said[from - 1] ?? ''
  if (to - from === 1 && unitOf(word) && /^(?:an?|one|per|pro|eine[nr]?|une?)$/.test(before))
    return rangesIn(`1 ${word}`)
  if (to - from === 1 && !/\d/.test(word) && written.length === 0)
    return ambiguous.test(word) && !/^(?:in|on|of|am|im|for|until)$/.test(before) ? [] : rangesIn(word)
  const texts = written.length > 0 ? written : [word]
  const phrase = said.slice(Math.max(0, from - 2), from).join(' ')
  return texts.flatMap((text) => {
    const [range] = rangesIn(`${phrase.replaceAll(/\d/g, '')} ${text} ${said[to] ?? ''}`)
    if (range?.kind === 'time') return eitherHalf(said, range.low)
    const value = Number(text)
    const isTime = range && !range.unit && value <= 24 && beforeTimes.test(before)
    return [...(range ? [range] : []), ...(isTime ? eitherHalf(said, value * hour) : [])]
  })
}

/** An early hour may be one of the afternoon. */
function eitherHalf(said: readonly string[], minutes: number): Range[] {
  const isLate =
    minutes < 12 * hour && said.some((word) => /^(?:pm|afternoon|evening|nachmittags?|abends?)$/.test(word))
  const isEither = minutes > 0 && minutes < 8 * hour && !said.some((word) => /^(?:am|morning|morgens|früh)$/.test(word))
  const late = rangeOf('time', minutes + 12 * hour)
  return isLate ? [late] : isEither ? [rangeOf('time', minutes), late] : [rangeOf('time', minutes)]
}
