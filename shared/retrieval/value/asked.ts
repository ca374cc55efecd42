import { conceptsOf, conceptsOfPair } from '../../embedding/concepts/concepts.ts'
import { joinedTerms, soundsOf } from '../../terms/terms.ts'
import { fold, stem } from '../../terms/word-forms.ts'
import { wordsOf } from '../../terms/words.ts'
import { normalForm } from '../../text/normal-form.ts'
import { type MeantWord, readMeanings } from '../coverage.ts'
import { english } from '../keyword/spoken/english.ts'
import { german } from '../keyword/spoken/german.ts'
import { type Reading, readings } from '../keyword/spoken/readings.ts'
import { type AnswerKind, kindsIn } from './kinds.ts'
import { namedIn, nearest, type Range, rangeOf, unitOf } from './quantities.ts'
import { synonymsOf } from './synonyms.ts'

/** A word of the question, or several that are one code, number or time. */
export interface Unit {
  stem: string
  /** The place of its first word. */
  at: number
  terms: ReadonlySet<string>
  concepts: ReadonlySet<string>
  synonyms: ReadonlySet<string>
  /** Codes as cells have them, without signs. */
  codes: ReadonlySet<string>
  ranges: Range[]
  weight: number
  isCommon: boolean
  /** True for a word that only implies its range. */
  isImplied: boolean
  /** True if it follows “which”, “what is the” or “how many”, and so names the thing that is sought. */
  isFocus: boolean
  sounds: string[]
}

export interface AskedQuestion {
  units: Unit[]
  /** The stems of all its words. */
  stems: string[]
  kinds: ReadonlySet<AnswerKind>
  /** Words that count, order or compare: if neither row nor column has them, one cell is not the whole answer. */
  beyond: string[]
}

const rewritten = [
  [/(?<=\p{L}{3}|\d)-?jährige?[nrs]?(?!\p{L})/gu, ' jahre '],
  [/\b(?:three quarters of an hour|dreiviertelstunde)\b/g, '45 minutes'],
  [/\b(?:quarter of an hour|viertelstunde)\b/g, '15 minutes'],
  [/\b(?:an hour and a half|one and a half hours|anderthalb stunden|eineinhalb stunden)\b/g, '90 minutes'],
  [/\b(?:during the week|unter der woche)\b/g, 'weekdays'],
] as const
const maxCharacters = 500
const hour = 60
const commonWeight = 0.4
const codeWeight = 2
/** A bare number after these words is probably a time of day. */
const beforeTimes = /^(?:at|after|before|until|till|by|around|from|since|um|nach|ab|bis|vor|gegen|past)$/
const beyond =
  /\b(?:most|least|fewest|more|less|fewer|(?:high|low|long|short|large|small|big|old|young|great|early|earli|late|cheap|fast|slow|near|close|tall|heav|clos)i?est|total|combined|together|better|worse|greater|earlier|later|longer|higher|lower|away|without|difference|altogether|average|sum|before|after|next|previous|previously|prior|following|last|first|second|third|fourth|fifth|final|only|same|other|both|consecutive|either|times|than|except|besides|between|above|below|top|bottom|listed|am (?:meisten|wenigsten|häufigsten)|(?:teuer|billig|günstig|läng|kürz|frühe|späte|größ|klein|schnell|höch|niedrig)s?ten?s?|insgesamt|zusammen|unterschied|mehr als|weniger|nächste[rns]?|letzte[rns]?)\b/g

export function readQuestion(text: string): AskedQuestion {
  let query = normalForm(text).slice(0, maxCharacters).toLowerCase()
  for (const [said, written] of rewritten) query = query.replaceAll(said, written)
  const words = wordsOf(query)
  const said = words.map((word) => word.text)
  // “A 12 kg dog”, “six kilo” and “at 9” have no codes.
  const found = [...readings(said), ...joinedTerms(words)].filter(({ from, to, text }) => {
    const [first, second, next] = said.slice(from, from + 3)
    const isMeasure = /^\d+\p{L}/u.test(text) && unitOf(said[to - 1])
    const isNumber = to - from === 2 && /^\d/.test(second!) && (first === 'a' ? unitOf(next) : beforeTimes.test(first!))
    return !isMeasure && !isNumber
  })
  const units: Unit[] = []
  const focus = focusOf(query, words)
  for (let from = 0, to: number; from < words.length; from = to) {
    to = from + 1
    for (const span of found) if (span.from >= from && span.from < to) to = Math.max(to, span.to)
    const spoken = found.filter((span) => span.from >= from && span.to <= to)
    units.push(
      ...unitsOf(said, from, to, spoken).map((unit) => ({ ...unit, isFocus: from >= focus && from < focus + 2 })),
    )
  }
  return {
    units,
    stems: said.map((word) => stem(fold(word))),
    kinds: kindsIn(query),
    beyond: [...query.matchAll(beyond)].map(([word]) => word),
  }
}

const beforeFocus =
  /\b(?:which|what(?:'s| is| was| are| were)? the|what|how many|number of|wel(?:che[rsmn]?)|wie viele?|wie (?:ist|lautet|hoch ist) (?:die|der|das)|quel(?:le)?s?(?: est l[ea])?) (?!does|do|did|is|was|are|were|has|have|would|will|can|time)(?=\p{L})/u

/** The index of the first word that names the thing that is sought. */
function focusOf(query: string, words: ReturnType<typeof wordsOf>): number {
  const found = beforeFocus.exec(query)
  return found ? words.findIndex(({ start }) => start >= found.index + found[0].length) : Number.POSITIVE_INFINITY
}

function unitsOf(said: string[], from: number, to: number, spans: Reading[]): Omit<Unit, 'isFocus'>[] {
  const spoken = spans.map(({ text }) => text)
  const whole = spans.filter((span) => span.from === from && span.to === to)
  const own = said.slice(from, to)
  const terms = new Set<string>()
  const concepts = new Set<string>()
  let read: MeantWord[] = []
  for (const text of [own.join(' '), ...spoken]) {
    const words = readMeanings(text, (meaning) => (meaning.startsWith('#') ? concepts : terms).add(meaning))
    read = read.length > 0 ? read : words
  }
  const codes = new Set([...spoken, own.join('')].map(codeOf).filter((code) => code.length > 1 && /\d/.test(code)))
  const ranges = rangesOf(said, from, to, whole.length > 0 ? whole.map(({ text }) => text) : spoken)
  if (ranges.some(({ kind }) => kind === 'time')) {
    terms.clear()
    for (const code of codes) if (/^\d+$/.test(code)) codes.delete(code)
    if (to - from === 1)
      for (const { meanings } of read) for (const meaning of meanings) if (!meaning.startsWith('#')) terms.add(meaning)
  }
  const isImplied = codes.size === 0 && ranges[0]?.unit === 'year'
  if (ranges.some(({ kind }) => kind !== 'number')) concepts.clear()
  if (whole.some(({ text }) => /^\d+[.,]\d+$/.test(text)))
    for (const term of terms) if (/^\d+$/.test(term)) terms.delete(term)
  const ordinal = to - from === 1 ? ordinalOf(own[0]!) : undefined
  if (ordinal) for (const text of ordinal) terms.add(text)
  const last = stem(fold(said[to - 1]!))
  const next = said.slice(to, to + 2).map((word) => stem(fold(word)))
  for (const each of next) for (const concept of conceptsOfPair(last, each)) concepts.add(`#${concept}`)
  const synonyms = new Set(synonymsOf(last, next[0]))
  if (terms.size + concepts.size + synonyms.size + ranges.length === 0) return []
  const isMeasure =
    to - from === 1 && from > 0 && unitOf(own[0]) !== undefined && rangesOf(said, from - 1, from, []).length > 0
  const isCommon =
    isMeasure || (ranges.length === 0 && !ordinal && read.every(({ isCommon, isStopWord }) => isCommon || isStopWord))
  const word = fold(own[0]!)
  return [
    {
      stem: to - from === 1 ? stem(word) : '',
      at: from,
      ...{ terms, concepts, synonyms, codes, ranges, isCommon, isImplied },
      weight: isCommon ? commonWeight : [...codes].some((code) => code.length > 2) ? codeWeight : 1,
      sounds: to - from > 1 || isCommon || conceptsOf(word, stem(word)).length > 0 ? [] : soundsOf(own[0]!),
    },
  ]
}

const ordinals = [english, german].flatMap(({ ordinals }) =>
  Object.entries(ordinals ?? {}).flatMap(([value, words]) => words.split(', ').map((word) => [word, value] as const)),
)
const valueOfOrdinal = new Map(ordinals)
const endings: Record<string, string> = { 1: 'st', 2: 'nd', 3: 'rd' }

/** “Second” is written “2nd” and “2.”, and “floor two”, too. */
function ordinalOf(word: string): string[] | undefined {
  const value = valueOfOrdinal.get(word)
  return value ? [value, `${value}${endings[value] ?? 'th'}`] : undefined
}

/** Letters and digits only. */
export function codeOf(text: string): string {
  return fold(text).replaceAll(/[^\p{L}\p{N}]/gu, '')
}

const early = /^(?:am|morning|morgens|früh|night|nachts)$/
const late = /^(?:pm|afternoon|evening|nachmittags?|abends?)$/

function rangesOf(said: string[], from: number, to: number, spoken: string[]): Range[] {
  const [before, after] = [said[from - 1], said[to]]
  const phrase = said.slice(Math.max(0, from - 2), from).join(' ')
  const ranges = to - from === 1 ? namedIn(said[from]!, before) : []
  const measure = to - from === 1 ? unitOf(said[from]) : undefined
  const count =
    (/^half$|^halbe[nrs]?$/.test(before ?? '') && said[from - 3] !== 'and') || said[from - 2] === 'half' ? 0.5 : 1
  if (measure && (count < 1 || /^(?:an?|one|per|pro|eine[nr]?|une?)$/.test(before ?? '')))
    ranges.push(rangeOf('number', count * measure[1], count * measure[1], measure[0]))
  const shift = /^(?:after|nach|past)$/.test(before ?? '')
    ? 1
    : /^(?:before|vor|until|till)$/.test(before ?? '')
      ? -1
      : 0
  const beyondNumber = /\b(?:over|above|more than|über|mehr als)$/.test(phrase)
    ? nearest
    : /\b(?:under|below|less than|unter|weniger als)$/.test(phrase)
      ? -nearest
      : 0
  /** An early hour may be one of the afternoon. */
  const times = (hours: number, minutes: number, isSpoken = true) => {
    const isLate = hours < 12 && said.some((word) => late.test(word))
    const isEither = hours > 0 && hours < 8 && !said.some((word) => early.test(word))
    const both = [...(isLate || (isEither && !isSpoken) ? [] : [hours]), ...(isLate || isEither ? [hours + 12] : [])]
    return both.map((hours) => rangeOf('time', hours * hour + minutes + shift))
  }
  // “One thirty” is half an hour past one, “a hundred and thirty” is not.
  const saysDigits = to - from > 1 && !unitOf(after) && !/hund|thous|taus|cent|mill/.test(said.slice(from, to).join())
  for (const text of [
    ...spoken.filter((text) => text.includes(':')),
    ...(to - from === 1 ? said.slice(from, to) : []),
    ...spoken,
  ]) {
    const clock = /^(\d{1,2}):(\d\d)$/.exec(text)
    if (clock) ranges.push(...times(Number(clock[1]), Number(clock[2])))
    const bare = saysDigits ? /^(\d{1,2})([0-5]\d)$/.exec(text) : null
    if (bare && Number(bare[1]) < 24) ranges.push(...times(Number(bare[1]), Number(bare[2])))
    if (!/^\d{1,6}(?:[.,]\d{1,2})?$/.test(text)) continue
    const value = Number(text.replace(',', '.'))
    const [unit, factor] = unitOf(after) ?? unitOf(said[to - 1]) ?? [undefined, 1]
    if (!ranges.some(({ kind }) => kind === 'time'))
      ranges.push(rangeOf('number', value * factor + beyondNumber, value * factor + beyondNumber, unit))
    if (!unit && value <= 24 && beforeTimes.test(before ?? '')) ranges.push(...times(value, 0, false))
  }
  return ranges
}
