import { BoundedMap } from '../../bounded-map.ts'
import { fold } from '../../terms/word-forms.ts'
import { sentencesOf } from '../speech/sentences.ts'
import { type Day, isPublicHoliday, type Place, partsOf } from './calendar.ts'
import { type Encoded, holidaysIn, type Language, languages, marks } from './words.ts'
import { addDates, type Mentions } from './written-dates.ts'

/**
 * How a sentence names a day: by its date or holiday, by a range or a rule (“the first Friday”) that contains it, by a range that is longer
 * than a month, by the day of the week; or it names dates, but others.
 */
export type Naming = 'date' | 'range' | 'rule' | 'season' | 'weekday' | 'others' | 'none'

/** What a sentence says of hours. */
interface Hours {
  /** True if it speaks of hours, open or closed; and if it does so by such words, rather than by a time. */
  speaksOfHours: boolean
  namesHours: boolean
  saysClosed: boolean
  /** True for words such as “week” and “before”, which make other days of those that are named. */
  isVague: boolean
  /** True if it says of the business itself that it is open or closed: “we open at 9”. */
  isOfBusiness: boolean
  /** True if it has a word for the business. */
  namesBusiness: boolean
  /** What stands before the first word for hours or time, and before the first day: what they are of. */
  untilHours: string
  untilDays: string
}

/** Longer sentences name days of several kinds. */
const maxCharacters = 1000
const time = /\d[:.h]\d\d|\d ?(?:am|pm|a\.m|p\.m|uhr|h)(?![a-z])|\b(?:noon|midnight|mittag|mitternacht|midi|minuit)\b/
const vague =
  /\b(?:weeks?|before|after|reopen\w*|back|rest of|half of|end of|woche\w*|vor|nach|wieder|anfang|ende|semaines?|avant|apres|semanas?|antes|despues|settiman[ae]|prima|dopo|weken|voor|na)\b/

/** A sentence of a passage. */
export interface ReadSentence extends Hours {
  text: string
  /** What it names below the passage's headings. */
  mentions: Mentions
  /** What a line above it names, such as “From 20 December to 31 January:”. */
  lead: Mentions | undefined
}

/** Passages come again in other searches. */
const passages = new BoundedMap<string, ReadSentence[]>(500)

/** Reads the sentences of a passage. @param headings those above it, outermost first */
export function readPassage(headings: readonly string[], content: string): ReadSentence[] {
  return passages.getOrInsertComputed(JSON.stringify([headings, content]), () => {
    let lead: (Mentions & Hours) | undefined
    return sentencesOf(content).map((text) => {
      const own = mentionsIn(text)
      const mentions = headings.length > 0 ? mentionsIn([...headings, text].join(': ')) : own
      const read = { ...own, ...inherited(own, lead), text, mentions, lead }
      if (/[.:]$/.test(text)) lead = text.endsWith(':') ? { ...own, weekdays: [] } : undefined
      return read
    })
  })
}

/** An item below “We are closed on these days:” is about closing, too. */
function inherited(own: Hours, lead: Hours | undefined): Partial<Hours> {
  if (!lead) return {}
  return {
    speaksOfHours: own.speaksOfHours || lead.speaksOfHours,
    saysClosed: own.saysClosed || (lead.saysClosed && !own.speaksOfHours),
    isOfBusiness: own.isOfBusiness || lead.isOfBusiness,
  }
}

const nearDays = 10

/** True if it names a date near the day, but no range that has it. */
export function isNear({ dated }: Mentions, day: Day, place: Place): boolean {
  const days = Array.from({ length: 2 * nearDays + 1 }, (_, i) => day - nearDays + i)
  return dated.some(
    ({ naming, contains }) => (naming === 'date' || naming === 'range') && days.some((each) => contains(each, place)),
  )
}

/** How a sentence names a day. */
export function namingOf(sentence: string, day: Day, place: Place): Naming {
  return namingIn(mentionsIn(sentence), day, place)
}

export function namingIn({ dated, weekdays, publicHolidays }: Mentions, day: Day, place: Place): Naming {
  const found = dated.filter(({ contains }) => contains(day, place))
  if (found.some(({ naming }) => naming === 'date')) return 'date'
  if (found.some(({ naming }) => naming === 'range') || (publicHolidays && isPublicHoliday(day, place))) return 'range'
  if (found.some(({ naming }) => naming === 'rule')) return 'rule'
  const isOtherDay = weekdays.includes(true) && !weekdays[partsOf(day).weekday]
  if (found.length > 0) return isOtherDay ? 'others' : 'season'
  if (dated.length > 0 || publicHolidays) return 'others'
  return weekdays[partsOf(day).weekday] ? 'weekday' : 'none'
}

function mentionsIn(sentence: string): Mentions & Hours {
  const folded = fold(sentence.slice(0, maxCharacters))
  const encodings = languages().map((language) => language.encode(folded))
  const found: Mentions & Hours = {
    dated: [],
    weekdays: [],
    publicHolidays: false,
    speaksOfHours: time.test(folded) || bareHours.test(encodings[0]!.text),
    namesHours: false,
    saysClosed: false,
    isVague: vague.test(folded),
    isOfBusiness: false,
    namesBusiness: false,
    untilHours: folded,
    untilDays: folded,
  }
  const words = new Set(folded.match(/[a-z]+/g))
  // “20. Juli bis 2. August” has one name of a month in Dutch, too. The last language only has names.
  const most = Math.max(...encodings.map(({ count }) => count))
  const isRead = (i: number) =>
    encodings[i]!.values.size > 0 &&
    encodings[i]!.count === most &&
    !(i === encodings.length - 1 && encodings.some(({ count }, other) => other < i && count === most))
  for (const [i, language] of languages().entries()) {
    const hasHours = words.intersection(language.hours).size > 0
    const hasBusiness = words.intersection(language.itself).size > 0
    found.speaksOfHours ||= hasHours
    found.namesHours ||= hasHours
    found.namesBusiness ||= hasBusiness
    found.saysClosed ||= words.intersection(language.closed).size > 0
    const encoded = encodings[i]!
    const { untilHours, untilDays } = subjectsIn(language, encoded, folded)
    const subject = new Set(untilHours.match(/[a-z]+/g))
    found.isOfBusiness ||= hasHours && subject.intersection(language.itself).size > 0
    if (untilHours.length < found.untilHours.length) found.untilHours = untilHours
    if (untilDays.length < found.untilDays.length) found.untilDays = untilDays
    const named = holidaysIn(language, folded)
    if (isRead(i)) addDates(found, language, encoded, named)
    else if (named.length > 0) addDates(found, language, { ...encoded, values: new Map() }, named)
    if (language.publicHolidays && folded.search(language.publicHolidays) >= 0) found.publicHolidays = true
    if (language.weekdays && folded.search(language.weekdays) >= 0) for (let i = 0; i < 5; i++) found.weekdays[i] = true
    if (language.daily && folded.search(language.daily) >= 0) for (let i = 0; i < 7; i++) found.weekdays[i] = true
  }
  return found
}

/** “9-12”, at the end or before a stop. */
const bareHours = new RegExp(`[${marks.either}] ?[–-] ?[${marks.either}](?= ?(?:[.,;)]|$))`)
const anyMark = new RegExp(`[${Object.values(marks).join('')}]`)

function subjectsIn(language: Language, { text, starts }: Encoded, folded: string) {
  const hours = [...folded.matchAll(/[a-z]+/g)].find(([word]) => language.hours.has(word))?.index
  const clock = folded.search(time)
  const mark = text.search(anyMark)
  const days = [
    mark < 0 ? -1 : starts[mark]!,
    folded.search(/\d/),
    ...holidaysIn(language, folded).map(({ start }) => start),
  ]
  const first = (places: readonly (number | undefined)[]) =>
    Math.min(...places.filter((place) => place !== undefined && place >= 0).map(Number), folded.length)
  const atHours = first([hours, clock])
  return { untilHours: folded.slice(0, atHours), untilDays: folded.slice(0, first([atHours, ...days])) }
}
