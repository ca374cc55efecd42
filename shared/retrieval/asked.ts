import { BoundedMap } from '../bounded-map.ts'
import { isFiller } from '../terms/fillers.ts'
import { synonymsOf } from '../terms/synonyms.ts'
import { joinedTerms } from '../terms/terms.ts'
import { fold, stem } from '../terms/word-forms.ts'
import { wordsOf } from '../terms/words.ts'
import { normalForm } from '../text/normal-form.ts'
import { type Reading, readings } from './keyword/spoken/readings.ts'
import { type Range, rangeOf, rangesIn, unitOf } from './quantities.ts'
import { type AnswerKind, kindsIn, saysKind } from './value/kinds.ts'

/** A word of a turn, or several that are one code, number or time. */
export interface Unit {
  /** Empty for several words. */
  stem: string
  /** Stems and codes, as texts have them. */
  forms: ReadonlySet<string>
  synonyms: ReadonlySet<string>
  ranges: Range[]
  /** True if a value must account for it; false if every such question has it. */
  isContent: boolean
  /** True if it only says which kind of answer is wanted, such as “open”. */
  saysKind: boolean
}

export interface AskedTurn {
  units: Unit[]
  /** False if no cell answers: the turn has more words than are read, asks for a sum, or when something was. */
  isWhole: boolean
  kinds: ReadonlySet<AnswerKind>
  /** The end of the hours that is asked for: “until when” is the last one. */
  end: 'first' | 'last' | undefined
  /** True for “are you open”, which hours answer, but no single time. */
  asksWhether: boolean
  /** True for “how much”, which only a price answers. */
  asksPrice: boolean
  /** True for “how old” and “who”, which neither a price nor a time answers. */
  asksOther: boolean
  /** True for “where” and “who”, which no cell of a column of prices or times answers. */
  asksWhere: boolean
}

const rewritten = [
  [/n['’]t(?!\p{L})/gu, ' not'],
  [/(?<=\p{L})['’](?:s|d|m|ll|re|ve)(?!\p{L})/gu, ''],
  [/\bgood (?:morning|afternoon|evening)\b/g, ''],
  [/\byears?[- ]olds?\b/g, 'years'],
  [/(?<=\p{L}{3}|\d)-?jährige?[nrs]?(?!\p{L})/gu, ' jahre '],
  [/\bhow much (?:time|notice|warning)\b/g, 'how long'],
  [/\bfor (my|our) (?:son|daughter)\b/g, 'for $1 child'],
  [/\bsquare f(?:oo|ee)t\b/g, 'sq ft'],
  [/\b(king|queen|single|double|twin|small|medium|large|full)[- ]sized?\b/g, '$1'],
  [/\b(standard|ordinary|normal|regular|express|basic|premium) (?:service|price|rate)\b/g, '$1'],
  [/\b(?:an? )?pairs? of\b/g, ''],
  [/\blittle (?=kids?\b|child|ones?\b|boys?\b|girls?\b)/g, ''],
  [/\bcomes? round\b/g, 'come'],
  [/\b(?:whole|entire|full) (week|month|year|night)\b/g, '$1'],
  [/\b(?:during the week|unter der woche)\b/g, 'weekdays'],
  [/\b(last|next|letzte[sn]?|nächste[sn]?) (year|season|summer|winter|month|jahr|saison|sommer|monat)\b/g, '$1$2'],
] as const
const asksLast =
  /\b(?:clos(?:e|es|ing)|shuts?|how late|until when|till when|open (?:until|till)|bis wann|schlie(?:ßt|ßen)|ferme[zn]?t?|jusqu|hasta qué hora|cierran?|cerráis|fino a che ora|chiudete?|tot hoe laat|hoe laat sluit)(?!\p{L})/u
const asksFirst =
  /\b(?:(?:what time|when) (?:do|does|will) (?:you|the|we)(?: \p{L}+){0,4} open|how early|from when|opens?(?: up)? at|ab wann|wie früh|wann (?:öffnen|machen)|ouvr\p{L}{1,4})(?!\p{L})/u
const asksWhether = /\b(?:is|are|will|be) (?:\p{L}+ ){0,4}open\b/u
const asksPrice = /\bhow much\b|\bwie ?viel (?!uhr)|\bwas kostet|\bwie teuer\b|\bcombien\b/
const asksMeasure =
  /\b(?:how (?:old|many|big|large|far|heavy|tall|high|deep|fast|often|wide)|wie (?:alt|viele|groß|weit|schwer|oft|hoch)|quel âge)(?!\p{L})/u
const asksWhere = /\b(?:where|who|why|wo|wer|warum|où|qui|pourquoi)(?!\p{L})/u
const unprovable =
  /\b(?:when|what time) (?:was|were|did)\b|\bwhen .{1,40} closed\b|\ball in\b|\b(?:with|including) (?:a |the )?deposit\b|\bmit kaution\b/
const maxCharacters = 500
const maxUnits = 40

/** A turn is read several times in a search, and the caller's next question has it as history. */
const turnsRead = new BoundedMap<string, AskedTurn>(500)

export function readTurn(text: string): AskedTurn {
  return turnsRead.getOrInsertComputed(text, newTurn)
}

function newTurn(text: string): AskedTurn {
  let query = normalForm(text.slice(0, maxCharacters)).slice(0, maxCharacters).toLowerCase()
  for (const [said, written] of rewritten) query = query.replaceAll(said, written)
  const kinds = kindsIn(query)
  const words = wordsOf(query)
  const said = words.map((word) => word.text)
  const spans = [...readings(said), ...joinedTerms(words)].filter((span) => isCode(said, span))
  const units: Unit[] = []
  let to = 0
  for (let from = 0; from < words.length && units.length < maxUnits; from = to) {
    const pair = pairAt(said, from)
    to = Math.max(from + (pair.length > 0 ? 2 : 1), ...spans.map((span) => (span.from === from ? span.to : 0)))
    const written = spans.filter((span) => span.from === from && span.to === to).map((span) => span.text)
    units.push(unitOfWords(said, from, to, written, kinds, units.at(-1)))
  }
  const end = asksLast.test(query) ? 'last' : asksFirst.test(query) ? 'first' : undefined
  const isWhole = text.length <= maxCharacters && to === words.length && !unprovable.test(query)
  return {
    units,
    isWhole,
    kinds,
    end: kinds.has('time') ? end : undefined,
    asksWhether: asksWhether.test(query) && !/\b(?:when|what time|how late|until|till)\b/.test(query),
    asksPrice: asksPrice.test(query),
    asksOther: asksMeasure.test(query) || asksWhere.test(query),
    asksWhere: asksWhere.test(query),
  }
}

/** A filler that names a holiday together with a day. */
const holidays = new Set(['good friday'])
/** A bare number after these words is an age. */
const beforeAges = /^(?:is|he|she|aged?|turned|turning|ist|wird)$/
/** A bare number after these words is probably a time of day. */
const beforeTimes = /^(?:at|after|before|until|till|by|around|from|since|um|nach|ab|bis|vor|gegen|past)$/

const isAfter = /^(?:after|past|nach)$/

/** False for “six kilo”, “a 12 kg dog” and “at 9:30”, whose first word belongs to no code. */
function isCode(said: readonly string[], { from, to, text }: Reading): boolean {
  const [first = '', second = '', next = ''] = said.slice(from, from + 3)
  if (/^\d+\p{L}/u.test(text) && unitOf(said[to - 1]!)) return false
  return !(/^\d/.test(second) && (first === 'a' ? unitOf(next) : beforeTimes.test(first)))
}

function unitOfWords(
  said: readonly string[],
  from: number,
  to: number,
  written: readonly string[],
  kinds: AskedTurn['kinds'],
  before?: Unit,
): Unit {
  const isWord = to - from === 1
  const word = fold(said[from]!)
  const stemmed = stem(word)
  const ranges = rangesOf(said, from, to, written)
  const measure = isWord ? unitOf(word) : undefined
  const isMeasure = measure !== undefined && before?.ranges.some(({ unit }) => unit === measure)
  const isMeasured = ranges.some(({ kind, unit }) => kind === 'time' || unit)
  const isSaid =
    isWord &&
    (isMeasure || (!isMeasured && (isFiller(word) || saysKind(stemmed, kinds)) && !holidays.has(`${word} ${said[to]}`)))
  const codes = isMeasured ? [] : [...written, said.slice(from, to).join('')].map(codeOf)
  return {
    stem: isWord ? stemmed : '',
    forms: new Set(isWord ? [stemmed, ...codes] : codes),
    synonyms: new Set(isWord ? synonymsOf(stemmed) : pairAt(said, from)),
    ranges,
    isContent: !isSaid,
    saysKind: isWord && saysKind(stemmed, kinds),
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
/** The minutes of the day that headers such as “after 6 pm” mean. */
const partsOfDay = new Map<string, readonly [from: number, to: number]>([
  ...['morning', 'vormittag'].map((name) => [name, [8 * hour, 11 * hour]] as const),
  ...['afternoon', 'nachmittag'].map((name) => [name, [13 * hour, 17 * hour]] as const),
  ...['evening', 'abend'].map((name) => [name, [19 * hour, 21 * hour]] as const),
  ['night', [20 * hour, 22 * hour]],
])

/** What the words [from, to) may mean as numbers, times and days. */
function rangesOf(said: readonly string[], from: number, to: number, written: readonly string[]): Range[] {
  const word = said[from]!
  const before = said[from - 1] ?? ''
  if (to - from === 1 && unitOf(word) && /^(?:an?|one|per|pro|eine[nr]?|une?)$/.test(before))
    return rangesIn(`${said[from - 2] ?? ''} 1 ${word}`)
  const part = partsOfDay.get(word)
  if (part) return [rangeOf('time', ...part)]
  if (to - from === 1 && !/\d/.test(word) && written.length === 0)
    return ambiguous.test(word) && !/^(?:in|on|of|am|im|for|until)$/.test(before) ? [] : rangesIn(word)
  const texts = written.length > 0 ? written : [word]
  const phrase = said.slice(Math.max(0, from - 2), from).join(' ')
  return texts.flatMap((text) => {
    const [range] = rangesIn(`${phrase.replaceAll(/\d/g, '')} ${text} ${said[to] ?? ''}`)
    if (range?.kind === 'time') return eitherHalf(said, range.low)
    const value = Number(text)
    if (range && !range.unit && beforeAges.test(before)) return [{ ...range, unit: 'year' }]
    const isTime = range && !range.unit && value <= 24 && beforeTimes.test(before)
    return [
      ...(range ? [range] : []),
      ...(isTime ? eitherHalf(said, value * hour + (isAfter.test(before) ? 1 : 0)) : []),
    ]
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
