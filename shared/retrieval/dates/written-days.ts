import { BoundedMap } from '../../bounded-map.ts'
import { fold } from '../../terms/word-forms.ts'
import { sentencesOf } from '../speech/sentences.ts'
import { countryOf, type Day, dayOf, holidaysOn, isPublicHoliday, nthWeekday, type Place, partsOf } from './calendar.ts'
import { type Encoded, holidaysIn, type Language, languages, marks, numberNamed, withoutOverlaps } from './words.ts'

/**
 * How a sentence names a day: by its date or holiday, by a range or rule that contains it, by a range that is longer than a month, by the
 * day of the week; or it names dates, but others.
 */
export type Naming = 'date' | 'range' | 'season' | 'weekday' | 'others' | 'none'

/** The days that a sentence names. */
export interface Mentions {
  /** Dates, ranges and rules. */
  dated: { naming: 'date' | 'range' | 'season'; contains(day: Day, place: Place): boolean }[]
  /** True for `weekdays` from Monday on. */
  weekdays: boolean[]
  /** True for “public holidays”. */
  publicHolidays: boolean
}

/** What a sentence says of hours. */
interface Hours {
  /** True if it speaks of hours, open or closed. */
  speaksOfHours: boolean
  saysClosed: boolean
  /** True if it says open or closed, or that there is no such thing then. */
  isChange: boolean
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
const without = /\b(?:no|not|kein\w*|nicht|pas|ne|sin|nessun\w*|non|geen|niet)\b/

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
    let lead: Mentions | undefined
    return sentencesOf(content).map((text) => {
      const own = mentionsIn(text)
      const mentions = headings.length > 0 ? mentionsIn([...headings, text].join(': ')) : own
      const read = { ...own, text, mentions, lead }
      if (/[.:]$/.test(text)) lead = text.endsWith(':') ? { ...own, weekdays: [] } : undefined
      return read
    })
  })
}

/** How a sentence names a day. */
export function namingOf(sentence: string, day: Day, place: Place): Naming {
  return namingIn(mentionsIn(sentence), day, place)
}

export function namingIn({ dated, weekdays, publicHolidays }: Mentions, day: Day, place: Place): Naming {
  const found = dated.filter(({ contains }) => contains(day, place))
  if (found.some(({ naming }) => naming === 'date')) return 'date'
  if (found.some(({ naming }) => naming === 'range') || (publicHolidays && isPublicHoliday(day, place))) return 'range'
  const isOtherDay = weekdays.includes(true) && !weekdays[partsOf(day).weekday]
  if (found.length > 0) return isOtherDay ? 'others' : 'season'
  if (dated.length > 0 || publicHolidays) return 'others'
  return weekdays[partsOf(day).weekday] ? 'weekday' : 'none'
}

function mentionsIn(sentence: string): Mentions & Hours {
  const folded = fold(sentence.slice(0, maxCharacters))
  const found: Mentions & Hours = {
    ...{ dated: [], weekdays: [], publicHolidays: false, speaksOfHours: time.test(folded), saysClosed: false },
    isChange: without.test(folded),
    ...{ isOfBusiness: false, namesBusiness: false, untilHours: folded, untilDays: folded },
  }
  const words = new Set(folded.match(/[a-z]+/g))
  const encodings = languages().map((language) => language.encode(folded))
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
    found.isChange ||= hasHours
    found.namesBusiness ||= hasBusiness
    found.isOfBusiness ||= hasBusiness && hasHours
    found.saysClosed ||= words.intersection(language.closed).size > 0
    const encoded = encodings[i]!
    const { untilHours, untilDays } = subjectsIn(language, encoded, folded)
    if (untilHours.length < found.untilHours.length) found.untilHours = untilHours
    if (untilDays.length < found.untilDays.length) found.untilDays = untilDays
    const named = holidaysIn(language, folded)
    if (isRead(i)) addDates(found, language, encoded, named.length > 0)
    if (language.publicHolidays && folded.search(language.publicHolidays) >= 0) found.publicHolidays = true
    if (language.weekdays && folded.search(language.weekdays) >= 0) for (let i = 0; i < 5; i++) found.weekdays[i] = true
    if (language.daily && folded.search(language.daily) >= 0) for (let i = 0; i < 7; i++) found.weekdays[i] = true
    for (const { holiday } of named)
      found.dated.push({
        naming: 'date',
        contains: (day, place) => holidaysOn(day, countryOf(place)).includes(holiday),
      })
  }
  return found
}

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

/** A date of a text, with a year or without, and its place in the encoded text. */
interface WrittenDate {
  start: number
  end: number
  month: number
  date: number
  year: number | undefined
}

const keyOf = ({ month, date }: Pick<WrittenDate, 'month' | 'date'>) => month * 100 + date
const isOn =
  ({ month, date, year }: WrittenDate) =>
  (day: Day) => {
    const parts = partsOf(day)
    return parts.month === month && parts.date === date && (year === undefined || year === parts.year)
  }

function isBetween(from: WrittenDate, to: WrittenDate) {
  return (day: Day) => {
    const { year, month, date } = partsOf(day)
    const last = to.year ?? from.year
    if (last !== undefined) {
      const first = from.year ?? (keyOf(from) > keyOf(to) ? last - 1 : last)
      return day >= dayOf(first, from.month, from.date)! && day <= dayOf(last, to.month, to.date)!
    }
    const key = month * 100 + date
    const wraps = keyOf(from) > keyOf(to)
    return wraps ? key >= keyOf(from) || key <= keyOf(to) : key >= keyOf(from) && key <= keyOf(to) && year > 0
  }
}

const list = /^ ?(?:,|&|\/|,? ?(?:and|und|et|y|e|en|or|oder|ou|o|of)) ?$/
const dayBetween = new RegExp(`[${marks.day}${marks.shortDay}],? ?(?:the |den |le |el |il )?`, 'g')
const dayAtEnd = new RegExp(`${dayBetween.source}$`)
const allMarks = Object.values(marks).join('')
const dayOfMonthBefore = new RegExp(`([${marks.nth}${marks.either}])([^${allMarks}]{0,24})$`)
const dayOfMonthAfter = new RegExp(`^( ?(?:–|—|-|[a-z/&]+) ?)([${marks.nth}${marks.either}])(?![ ,]*[${marks.month}])`)

function addDates(found: Mentions, language: Language, encoded: Encoded, namesHoliday: boolean): void {
  const { text } = encoded
  const rules = language.monthly.flatMap((rule) => [...text.matchAll(rule)])
  for (const match of rules) {
    const [nth = -1, weekday, month] = ['nth', 'day', 'month'].map((name) => numberNamed(encoded, match, name))
    const contains = (day: Day) => {
      const parts = partsOf(day)
      return (
        (month === undefined || month === parts.month) && nthWeekday(parts.year, parts.month, weekday!, nth) === day
      )
    }
    found.dated.push({ naming: 'range', contains })
  }
  const dates = withoutOverlaps(
    language.dates.flatMap((pattern) =>
      [...text.matchAll(pattern)].map((match): WrittenDate => {
        const [date, month, year] = ['nth', 'month', 'year'].map((name) => numberNamed(encoded, match, name))
        return { start: match.index, end: match.index + match[0].length, month: month!, date: date!, year }
      }),
    ),
  )
  const isRange = (between: string) => language.to.test(between)
  const isJoined = (between: string) => isRange(between) || list.test(between)
  for (const [i, date] of dates.entries()) {
    const next = dates[i + 1]
    const between = next && text.slice(date.end, next.start).replaceAll(dayBetween, '')
    if (between !== undefined && isRange(between)) addRange(found, date, next!)
    else found.dated.push({ naming: 'date', contains: isOn(date) })
    // “24, 25 and 26 December”, “24–26 December”
    let { start } = date
    let before = dayOfMonthBefore.exec(text.slice(0, start).replace(dayAtEnd, ''))
    const isOwn = (index: number) => !dates.some((other) => index >= other.start && index < other.end)
    while (before && isOwn(before.index) && isJoined(before[2]!.replaceAll(dayBetween, ''))) {
      start = before.index
      const first = { ...date, date: encoded.values.get(start)! }
      if (isRange(before[2]!) && !list.test(before[2]!)) addRange(found, first, date)
      else found.dated.push({ naming: 'date', contains: isOn(first) })
      before = dayOfMonthBefore.exec(text.slice(0, start))
    }
    // “December 24–26”, “July 3 and 4”
    const after = dayOfMonthAfter.exec(text.slice(date.end))
    if (after && isJoined(after[1]!)) {
      const last = { ...date, date: encoded.values.get(date.end + after[1]!.length)! }
      if (last.date > date.date && isRange(after[1]!) && !list.test(after[1]!)) addRange(found, date, last)
      else if (last.date > date.date) found.dated.push({ naming: 'date', contains: isOn(last) })
    }
  }
  if (language.everySecond && dates[0]) addAlternate(found, language.everySecond, encoded, dates[0])
  const spans = rules.map(({ index, 0: said }) => ({ start: index, end: index + said.length }))
  // “Labour Day in October” is no season.
  if (!namesHoliday) addMonths(found, language, encoded, [...dates, ...spans])
  addWeekdays(found, language, text.replaceAll(/\s+/g, ' '), encoded)
}

/** In the numbers of `keyOf`, in which a month has 100 days. */
const oneMonth = 100

function addRange(found: Mentions, from: WrittenDate, to: WrittenDate): void {
  const days = (keyOf(to) - keyOf(from) + 1200) % 1200
  found.dated.push({ naming: days <= oneMonth ? 'range' : 'season', contains: isBetween(from, to) })
}

/** Every second week from a date on. */
function addAlternate(found: Mentions, pattern: RegExp, encoded: Encoded, anchor: WrittenDate): void {
  for (const match of encoded.text.matchAll(pattern)) {
    const weekday = numberNamed(encoded, match, 'day')
    const contains = (day: Day) => {
      const first = dayOf(anchor.year ?? partsOf(day).year, anchor.month, anchor.date)
      return first !== undefined && partsOf(day).weekday === weekday && (day - first) % 14 === 0
    }
    found.dated.push({ naming: 'range', contains })
  }
}

/** “June to September”, “in August”. */
function addMonths(
  found: Mentions,
  language: Language,
  encoded: Encoded,
  dates: readonly Pick<WrittenDate, 'start' | 'end'>[],
): void {
  const { text, values } = encoded
  const months = [...text.matchAll(new RegExp(marks.month, 'g'))].filter(
    ({ index }) => !dates.some(({ start, end }) => index >= start && index < end),
  )
  for (let i = 0; i < months.length; i++) {
    const { index } = months[i]!
    const next = months[i + 1]
    const isPair = next && language.to.test(text.slice(index + 1, next.index))
    if (!isPair && !language.wholeMonth?.test(text.slice(0, index))) continue
    const [from, to] = [values.get(index)!, values.get(isPair ? next.index : index)!]
    const contains = (day: Day) => {
      const { month } = partsOf(day)
      return from <= to ? month >= from && month <= to : month >= from || month <= to
    }
    found.dated.push({ naming: 'season', contains })
    if (isPair) i++
  }
}

const days = new RegExp(`[${marks.day}${marks.days}${marks.shortDay}]`, 'g')

function addWeekdays(found: Mentions, language: Language, text: string, { values }: Encoded): void {
  const named = [...text.matchAll(days)]
  for (const [i, { index, 0: mark }] of named.entries()) {
    const next = named[i + 1]
    const between = next && text.slice(index + 1, next.index).replace(/^(?:s|\.)/, '')
    const isPair = between !== undefined && language.to.test(between) && !list.test(between)
    // A short name alone may be a word: “so”.
    if (mark === marks.shortDay && !isPair && !/^[.:,&|/ ]*$/.test(text.slice(index + 1, index + 3))) continue
    const from = values.get(index)!
    const to = isPair ? values.get(next!.index)! : from
    for (let day = from; ; day = (day + 1) % 7) {
      found.weekdays[day] = true
      if (day === to) break
    }
  }
}
