import { anywhere, countryOf, type Day, dayOf, holidayIn, nthWeekday, type Place, partsOf } from './calendar.ts'
import { type Encoded, type holidaysIn, type Language, marks, numberNamed, withoutOverlaps } from './words.ts'

/** The days that a sentence names. */
export interface Mentions {
  /** Dates, ranges and rules. */
  dated: { naming: 'date' | 'range' | 'rule' | 'season'; contains(day: Day, place: Place): boolean }[]
  /** True for `weekdays` from Monday on. */
  weekdays: boolean[]
  /** True for “public holidays”. */
  publicHolidays: boolean
  /** True if its weekdays are those of some weeks only, and it does not say which: “every other Friday”, “this Friday”, “those Fridays”. */
  isOfSomeWeeks: boolean
}

type Contains = (day: Day, place: Place) => boolean

/** A date or holiday of a text, and its place in the encoded text. */
interface WrittenDate {
  start: number
  end: number
  /** Undefined if the year has no such day, or another year is written. */
  dayIn(year: number, place: Place): Day | undefined
  /** The month and year that a number beside it has: “24 and 25 December”. */
  month?: number | undefined
  year?: number | undefined
}

const dateOf = (start: number, end: number, month: number, date: number, year: number | undefined): WrittenDate => ({
  start,
  end,
  month,
  year,
  dayIn: (each) => (year === undefined || year === each ? dayOf(each, month, date) : undefined),
})

const isOn =
  ({ dayIn }: WrittenDate): Contains =>
  (day, place) =>
    dayIn(partsOf(day).year, place) === day

/** Between a day and the date that it is beside: “the day before Christmas Eve”, “the Friday after Thanksgiving”. */
const beside = new RegExp(
  `(?:day|night|evening|morning|tag|abend|dia|giorno|dag|${marks.day}) (?:(before|vor|voor|avant|antes de|prima di)|after|following|nach|na|apres|despues de|dopo) (?:the |dem |den )?$`,
)

/** The day that is meant by a date after such words. */
function besideOf(date: WrittenDate, { text, values }: Encoded): WrittenDate {
  const match = beside.exec(text.slice(0, date.start))
  if (!match) return date
  const step = match[1] === undefined ? 1 : -1
  const weekday = values.get(match.index)
  const dayIn = (year: number, place: Place) => {
    let day = date.dayIn(year, place)
    if (day === undefined) return undefined
    do day += step
    while (weekday !== undefined && partsOf(day).weekday !== weekday)
    return day
  }
  return { start: match.index, end: date.end, dayIn }
}

/** True for “New Year’s Day” and “Friday 1 January” beside each other. */
function isSameDate(one: WrittenDate, other: WrittenDate, text: string): boolean {
  const year = other.year ?? one.year ?? anyYear
  const day = one.dayIn(year, anywhere)
  const gap = text.slice(one.end, other.start).replaceAll(dayBetween, '')
  return /^[ ,(–-]*$/.test(gap) && day !== undefined && other.dayIn(year, anywhere) === day
}

const maxSpan = 330

/** The first and last day of a range that begins in a year. */
function spanFrom(from: WrittenDate, to: WrittenDate, year: number, place: Place): [Day, Day] | undefined {
  const first = from.dayIn(year, place)
  if (first === undefined) return undefined
  const last = [year, year + 1].map((each) => to.dayIn(each, place)).find((day) => day !== undefined && day >= first)
  return last !== undefined && last - first <= maxSpan ? [first, last] : undefined
}

function rangeOf(from: WrittenDate, to: WrittenDate): Mentions['dated'][number] {
  const year = from.year ?? (to.year === undefined ? anyYear : to.year - 1)
  const [first, last] = spanFrom(from, to, year, anywhere) ?? spanFrom(from, to, year + 1, anywhere) ?? [0, 0]
  const contains: Contains = (day, place) =>
    [-1, 0].some((years) => {
      const span = spanFrom(from, to, partsOf(day).year + years, place)
      return span !== undefined && day >= span[0] && day <= span[1]
    })
  return { naming: last - first <= oneMonth ? 'range' : 'season', contains }
}

const anyYear = 2026
const oneMonth = 31
/** “From 5 October” and “until 19 June” speak of so many days. */
const openDays = { from: 180, until: 60 }

const list = /^ ?(?:,|&|\/|,? ?(?:and|und|et|y|e|en|or|oder|ou|o|of)) ?(?:the |den |le |el |il )?$/
const between = /(?:between|zwischen|entre|fra|tra|tussen) ?(?:the |den |le |el |il )?$/
const openFrom =
  /(?:from|starting|beginning|as of|since|after|ab|seit|nach|a partir du|depuis|desde|a partir del|dal|a partire dal|vanaf|sinds)(?: on)? ?(?:the |dem |el )?$/
const openUntil =
  /(?:until|till|through|before|bis(?: zum)?|vor|jusqu'au|hasta|fino al|tot)(?: and including)? ?(?:the |dem |el )?$/
const dayBetween = new RegExp(`[${marks.day}${marks.shortDay}],? ?(?:the |den |le |el |il )?`, 'g')
const dayAtEnd = new RegExp(`${dayBetween.source}$`)
const allMarks = Object.values(marks).join('')
const dayOfMonthBefore = new RegExp(`([${marks.nth}${marks.either}])([^${allMarks}]{0,24})$`)
const dayOfMonthAfter = new RegExp(
  `^( ?(?:–|—|-|[a-z/&,]+) ?)([${marks.nth}${marks.either}])(?![ ,]*[${marks.month}]| ?[–-])`,
)

const yearAfter = new RegExp(`^(,? ?)${marks.year}`)

/** Adds the dates, ranges, rules and weekdays that a text names in a language. @param named its holidays */
export function addDates(
  found: Mentions,
  language: Language,
  encoded: Encoded,
  named: ReturnType<typeof holidaysIn>,
): void {
  const { text, starts, values } = encoded
  const isRead = values.size > 0
  const rules = isRead ? language.monthly.flatMap((rule) => [...text.matchAll(rule)]) : []
  for (const match of rules) {
    const [nth = -1, weekday, month] = ['nth', 'day', 'month'].map((name) => numberNamed(encoded, match, name))
    const contains = (day: Day) => {
      const parts = partsOf(day)
      return (
        (month === undefined || month === parts.month) && nthWeekday(parts.year, parts.month, weekday!, nth) === day
      )
    }
    found.dated.push({ naming: 'rule', contains })
  }
  const written = (isRead ? language.dates : []).flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => {
      const [date, month, year] = ['nth', 'month', 'year'].map((name) => numberNamed(encoded, match, name))
      return dateOf(match.index, match.index + match[0].length, month!, date!, year)
    }),
  )
  const placeOf = (at: number) => starts.findIndex((start) => start >= at)
  const holidays = named.map(({ holiday, start, end }): WrittenDate => {
    const dayIn = (year: number, place: Place) => holidayIn(year, holiday, countryOf(place))
    return { start: placeOf(start), end: placeOf(end), dayIn }
  })
  const all = withoutOverlaps([...written, ...holidays]).map((date) => besideOf(date, encoded))
  // “From New Year’s Day, Friday 1 January, until …”: the name of a date is a date, but no end of a range.
  const isName = (date: WrittenDate, i: number) => all[i + 1] !== undefined && isSameDate(date, all[i + 1]!, text)
  const dates = all.filter((date, i) => !isName(date, i))
  for (const date of all.filter(isName)) found.dated.push({ naming: 'date', contains: isOn(date) })
  const isRange = (joint: string, from: number) =>
    language.to.test(joint) || (list.test(joint) && between.test(text.slice(0, from)))
  // “Every second Wednesday from 7 January” is no range.
  const isAlternate = language.everySecond !== undefined && text.search(language.everySecond) >= 0
  let isInRange = isAlternate
  for (const [i, date] of dates.entries()) {
    const next = dates[i + 1]
    const joint = next && text.slice(date.end, next.start).replaceAll(dayBetween, '')
    const before = text.slice(0, date.start).replace(dayAtEnd, '')
    const isPair = joint !== undefined && isRange(joint, date.start)
    if (isPair) found.dated.push(rangeOf(date, next!))
    else if (!isInRange && openFrom.test(before)) found.dated.push(openRange(date, 0, openDays.from))
    else if (!isInRange && openUntil.test(before)) found.dated.push(openRange(date, -openDays.until, 0))
    else if (!isInRange) found.dated.push({ naming: 'date', contains: isOn(date) })
    isInRange = isPair
    if (date.month !== undefined) addBeside(found, encoded, date, dates, isRange)
  }
  if (language.everySecond && dates[0]) addAlternate(found, language.everySecond, encoded, dates[0])
  found.isOfSomeWeeks ||= isAlternate && dates.length === 0
  const spans = rules.map(({ index, 0: said }) => ({ start: index, end: index + said.length }))
  // “Labour Day in October” is no season.
  if (isRead && named.length === 0) addMonths(found, language, encoded, [...dates, ...spans])
  if (isRead) addWeekdays(found, language, text.replaceAll(/\s+/g, ' '), encoded)
}

/** “24, 25 and 26 December”, “24–26 December”, “December 24–26”, “July 3, 4 and 5”. */
function addBeside(
  found: Mentions,
  { text, values }: Encoded,
  date: WrittenDate,
  dates: readonly WrittenDate[],
  isRange: (joint: string, from: number) => boolean,
): void {
  const beside = (at: number) => dateOf(at, at + 1, date.month!, values.get(at)!, date.year)
  const isOwn = (index: number) => !dates.some((other) => index >= other.start && index < other.end)
  const add = (from: WrittenDate, to: WrittenDate, joint: string, other: WrittenDate) => {
    if (isRange(joint, from.start)) found.dated.push(rangeOf(from, to))
    else if (list.test(joint)) found.dated.push({ naming: 'date', contains: isOn(other) })
    else return false
    return true
  }
  let match = dayOfMonthBefore.exec(text.slice(0, date.start).replace(dayAtEnd, ''))
  while (match && isOwn(match.index)) {
    const first = beside(match.index)
    if (!add(first, date, match[2]!.replaceAll(dayBetween, ''), first)) break
    match = dayOfMonthBefore.exec(text.slice(0, match.index))
  }
  match = dayOfMonthAfter.exec(text.slice(date.end))
  for (let at = date.end; match; ) {
    const place = at + match[1]!.length
    const yearAt = place + 1 + (yearAfter.exec(text.slice(place + 1))?.[1]?.length ?? Number.NaN)
    const last = dateOf(place, place + 1, date.month!, values.get(place)!, date.year ?? values.get(yearAt))
    if (!add(date, last, match[1]!, last)) break
    at = last.end
    match = dayOfMonthAfter.exec(text.slice(at))
  }
}

/** The days from or until a date. */
function openRange({ dayIn }: WrittenDate, from: number, to: number): Mentions['dated'][number] {
  const contains: Contains = (day, place) =>
    [-1, 0, 1].some((years) => {
      const date = dayIn(partsOf(day).year + years, place)
      return date !== undefined && day >= date + from && day <= date + to
    })
  return { naming: 'season', contains }
}

/** Every second week from a date on. */
function addAlternate(found: Mentions, pattern: RegExp, encoded: Encoded, { dayIn, year }: WrittenDate): void {
  for (const match of encoded.text.matchAll(pattern)) {
    const weekday = numberNamed(encoded, match, 'day')
    const contains: Contains = (day, place) => {
      const first = dayIn(year ?? partsOf(day).year, place)
      const isSince = first !== undefined && (year === undefined || day >= first)
      return isSince && partsOf(day).weekday === weekday && (day - first) % 14 === 0
    }
    found.dated.push({ naming: 'rule', contains })
  }
}

/** “June to September”, “in July and August”. */
function addMonths(
  found: Mentions,
  language: Language,
  { text, values }: Encoded,
  dates: readonly Pick<WrittenDate, 'start' | 'end'>[],
): void {
  const months = [...text.matchAll(new RegExp(marks.month, 'g'))].filter(
    ({ index }) => !dates.some(({ start, end }) => index >= start && index < end),
  )
  let counted = -2
  for (let i = 0; i < months.length; i++) {
    const { index } = months[i]!
    const next = months[i + 1]
    const isPair = next && language.to.test(text.slice(index + 1, next.index))
    const isListed = counted === i - 1 && list.test(text.slice(months[counted]!.index + 1, index))
    if (!isPair && !isListed && !language.wholeMonth?.test(text.slice(0, index))) continue
    const [from, to] = [values.get(index)!, values.get(isPair ? next.index : index)!]
    const contains = (day: Day) => {
      const { month } = partsOf(day)
      return from <= to ? month >= from && month <= to : month >= from || month <= to
    }
    found.dated.push({ naming: 'season', contains })
    counted = i
    if (isPair) i++
  }
}

/** After a short name of a day that is one: “Fri 9–5”, “Sat: closed”, “Sun noon–9”. */
const besideShort = new RegExp(
  `^\\.?(?: ?[:&+|/]|,? ?[${marks.day}${marks.shortDay}${marks.either}\\d]|,? ?(?:noon|closed|from|geschlossen|zu)(?![a-z]))`,
)
const listBeforeShort = new RegExp(`(?:[|–-]|[${marks.day}${marks.shortDay}]\\.?(?:[,;/]| ?[&+])) ?$`)
const days = new RegExp(`[${marks.day}${marks.days}${marks.shortDay}]`, 'g')
/** Before a day of the week in which the text was written, or that the sentence before names. */
const thisWeek =
  /(?:this|that|those|these|coming|next|diese[nrms]?|kommende[nrs]?|nachste[nrs]?|ce|cet|este|proximo|quest[oa]|prossim[oa]|deze|komende|aanstaande|volgende) $/

function addWeekdays(found: Mentions, language: Language, text: string, { values }: Encoded): void {
  const named = [...text.matchAll(days)]
  for (const [i, { index, 0: mark }] of named.entries()) {
    const next = named[i + 1]
    const between = next && text.slice(index + 1, next.index).replace(/^(?:s|\.)/, '')
    const isPair = between !== undefined && language.to.test(between) && !list.test(between)
    // A short name alone may be a word: “so”.
    if (
      mark === marks.shortDay &&
      !isPair &&
      !besideShort.test(text.slice(index + 1)) &&
      !listBeforeShort.test(text.slice(0, index))
    )
      continue
    found.isOfSomeWeeks ||= thisWeek.test(text.slice(0, index))
    const from = values.get(index)!
    const to = isPair ? values.get(next!.index)! : from
    for (let day = from; ; day = (day + 1) % 7) {
      found.weekdays[day] = true
      if (day === to) break
    }
  }
}
