import { BoundedMap } from '../../bounded-map.ts'
import { groupBy } from '../../built-ins.ts'
import { isFiller } from '../../terms/fillers.ts'
import { fold } from '../../terms/word-forms.ts'
import { normalForm } from '../../text/normal-form.ts'
import { countryOf, type Day, dayOf, holidayIn, isoOf, localOf, nthWeekday, type Place, partsOf } from './calendar.ts'
import type { Meaning } from './languages/language.ts'
import { type Encoded, holidaysIn, type Language, languages, marks, numberNamed, withoutOverlaps } from './words.ts'

/** Days that a question names. */
export interface AskedDays {
  said: string
  from: Day
  to: Day
  /** The place of `said` in the question. */
  start: number
  end: number
  /** The part of the day, such as “evening”. */
  part: string | undefined
  language: Language
  /** How it is named. What is `relative` depends on the day of the question, as “tomorrow” and “this Friday” do; “on Friday” may mean any. */
  naming: 'date' | 'holiday' | 'rule' | 'weekday' | 'relative weekday' | 'relative'
  /** True for “now” and “tonight” after midnight, which the hours of the day before may reach. */
  isAfterMidnight: boolean
}

/** Later characters name no days. */
const maxCharacters = 1000
/** “Now” before this hour may belong to the evening before. */
const morning = 5
const partOfDay =
  / (morning|afternoon|evening|vormittag|mittag|nachmittag|abend|matin|apres[- ]midi|soir|tarde|noche|mattina|pomeriggio|sera|ochtend|middag|avond)$/
/** Any date in figures has one, and so has “in 3 days”. */
const dayNumber = /(?<!\d)0*\d\d?(?!\d)/
const tonight = /tonight|nacht|soir|noche|stasera|stanotte|avond/
const thisDay = /^(?:this|coming|diese|kommende|ce |este|quest|deze|aanstaande|komende)/
/** A name with one of these before or behind it is every such day. */
const everyBefore =
  /(?:every|each|any|per|jede[nrms]?|immer|chaque|tous les|les|cada|los|ogni|tutti i|elke|iedere|an?|to|bis|und|tot|hasta|fino a|au) $/
const everyAfter = new RegExp(`^ (?:to|till|until|through|bis|tot|au|al?) ${marks.day}`)
const greeting =
  /(?:happy|merry|frohe[sn]?|schone[sn]?|gutes|joyeux|bonne|feliz|felices|buon[ae]?|fijne|gelukkig|see you) $/
/** Between two days that are the ends of a range, and between those of a list. */
const rangeJoint = /^ (?:to|until|till|through|bis|au|al?|tot)(?: the| zum| den)? $/
const andJoint = /^ (?:and|und|et|y|e|en)(?: the)? $/
const between = /(?:between|zwischen|entre|fra|tra|tussen)(?: the)? $/
const dayBefore =
  /(?:(?:day|night|evening) before|eve of|tag vor|vorabend von|veille (?:de|du)|vispera de|vigilia di|dag voor)(?: the| dem| la)? $/
const dayAfter =
  /(?:(?:day|morning) after|tag nach|lendemain (?:de|du)|dia despues de|giorno dopo|dag na)(?: the| dem)? $/
/** The longest range that a question can name, in days. */
const maxRange = 62

/** A search reads its question several times, and the caller's next question has it as history. */
const recent = new BoundedMap<string, readonly AskedDays[]>(500)

/** The days that a question names at a moment, in their order. */
export function askedDays(question: string, moment: Date, place: Place): readonly AskedDays[] {
  const { day, hour } = localOf(moment, place.timeZone)
  const country = countryOf(place)
  const key = JSON.stringify([question, day, hour < morning, country])
  return recent.getOrInsertComputed(key, () => daysIn(question, day, hour, country))
}

function daysIn(question: string, today: Day, hour: number, country: string | undefined): AskedDays[] {
  const text = normalForm(question).slice(0, maxCharacters)
  const folded = fold(text)
  const original = folded.length === text.length ? text : folded
  const found: AskedDays[] = []
  const add = (
    language: Language,
    start: number,
    end: number,
    [from, to = from]: Days,
    naming: AskedDays['naming'],
    isAfterMidnight = false,
  ) => {
    if (from === undefined || to === undefined) return
    const said = original.slice(start, end).trim()
    const part = partOfDay.exec(folded.slice(start, end))?.[1]
    const isThis = naming === 'weekday' && thisDay.test(folded.slice(start, end))
    found.push({
      said,
      from,
      to,
      start,
      end,
      part,
      language,
      isAfterMidnight,
      naming: isThis ? 'relative weekday' : naming,
    })
  }
  const addByPhrases = (language: Language) => {
    const encoded = language.encode(folded)
    const read = (
      pattern: RegExp,
      toDays: (match: RegExpMatchArray) => Days,
      naming: AskedDays['naming'],
      isNight = (_: string) => false,
    ) => {
      for (const match of encoded.text.matchAll(pattern)) {
        const [start, end] = [encoded.starts[match.index]!, encoded.starts[match.index + match[0].length]!]
        add(language, start, end, toDays(match), naming, isNight(match[0]))
      }
    }
    for (const [phrase, meaning] of language.phrases) {
      const weekday = 'weekday' in meaning ? meaning.weekday : undefined
      const naming =
        weekday === undefined
          ? 'relative'
          : weekday === 'coming' && !('weeks' in meaning)
            ? 'weekday'
            : 'relative weekday'
      const isToday = 'isNow' in meaning || ('days' in meaning && meaning.days === 0)
      const isNight = (said: string) => isToday && hour < morning && ('isNow' in meaning || tonight.test(said))
      read(phrase, (match) => daysOf(encoded, match, meaning, today), naming, isNight)
    }
    if (encoded.values.size > 0) {
      for (const date of language.dates) read(date, (match) => [dateIn(encoded, match, today)], 'date')
      for (const rule of language.monthly) read(rule, (match) => [monthlyIn(encoded, match, today)], 'rule')
    }
  }
  const hasNumber = dayNumber.test(folded)
  for (const language of languages()) {
    if (hasNumber || folded.search(language.anyDay) >= 0) addByPhrases(language)
    for (const { holiday, start, end } of holidaysIn(language, folded))
      add(language, start, end, [comingBy(today, (year) => holidayIn(year, holiday, country))], 'holiday')
  }
  const days = withoutWeekdaysOfDates(withoutOverlaps(found)).filter((each) => isMeant(each, folded))
  return withRanges(
    inWeeks(days, folded, original).map((each) => moved(each, folded)),
    folded,
  )
}

/** False for “happy new year”, “Sunday roast” and “Easter eggs”. */
function isMeant({ start, end, naming, language }: AskedDays, folded: string): boolean {
  if (greeting.test(folded.slice(0, start))) return false
  const isBare = naming === 'holiday' || (naming === 'weekday' && !/\s/.test(folded.slice(start, end)))
  const next = /^ ([\p{L}\d]+)/u.exec(folded.slice(end))?.[1]
  if (!isBare || !next || language.language !== 'en' || isFiller(next) || /\d/.test(next)) return true
  return language.asksHours.has(next) || language.partsOfDay.has(next)
}

/** “The night before Thanksgiving” is another day. */
function moved(day: AskedDays, folded: string): AskedDays {
  const before = folded.slice(0, day.start)
  const match = dayBefore.exec(before) ?? dayAfter.exec(before)
  if (!match || day.from !== day.to) return day
  const from = day.from + (dayBefore.test(before) ? -1 : 1)
  return { ...day, from, to: from, start: match.index, said: folded.slice(match.index, day.end) }
}

/** “Thursday evening next week” is one day, that of the week. */
function inWeeks(days: AskedDays[], folded: string, original: string): AskedDays[] {
  const kept: AskedDays[] = []
  for (const next of days) {
    const last = kept.at(-1)
    const [week, day] = last && isWeek(last) ? [last, next] : [next, last]
    if (!last || !day || !isWeek(week) || !namesWeekday(day) || !besideWeek.test(folded.slice(last.end, next.start)))
      kept.push(next)
    else {
      const from = week.from + partsOf(day.from).weekday
      const place = { start: last.start, end: next.end, said: original.slice(last.start, next.end) }
      kept.splice(-1, 1, { ...day, ...place, from, to: from, naming: 'relative weekday' })
    }
  }
  return kept
}

/** Each whole week begins on a Monday. */
const isWeek = ({ from, to }: AskedDays) => to - from === 6
/** What stands between a weekday and its week. */
const besideWeek = /^ (?:of |in |on |am |der |de |de la |la |le |el |op )?$/

/** “From the 15th to the 18th of May”, “between Christmas and New Year”. */
function withRanges(days: AskedDays[], folded: string): AskedDays[] {
  const kept: AskedDays[] = []
  for (const next of days) {
    const last = kept.at(-1)
    const joint = last && folded.slice(last.end, next.start)
    const isRange =
      joint && (rangeJoint.test(joint) || (andJoint.test(joint) && between.test(folded.slice(0, last.start))))
    if (!isRange || next.to < last.from || next.to - last.from > maxRange) kept.push(next)
    else kept.splice(-1, 1, { ...next, from: last.from, start: last.start, said: folded.slice(last.start, next.end) })
  }
  return kept
}

export const namesWeekday = ({ naming }: AskedDays) => naming.endsWith('weekday')
export const isRelative = ({ naming }: AskedDays) => naming.startsWith('relative')

/** “Thursday the seventh of August” is one day, its date. */
function withoutWeekdaysOfDates(found: AskedDays[]): AskedDays[] {
  return found.flatMap((each, i) => {
    const next = found[i + 1]
    const before = found[i - 1]
    const isBeside = (one?: AskedDays, other?: AskedDays) =>
      one &&
      namesWeekday(one) &&
      other &&
      !namesWeekday(other) &&
      other.from === other.to &&
      other.start - one.end <= maxGap
    if (isBeside(each, next)) return []
    return isBeside(before, each) ? [{ ...each, start: before!.start }] : [each]
  })
}

/** The characters of “, dem ”. */
const maxGap = 6

type Days = readonly [from?: Day | undefined, to?: Day | undefined]

/** Each day or range once, by its longest name. */
export function datesOf(asked: readonly AskedDays[]) {
  const names = groupBy(asked, ({ from, to }) => `${from} ${to}`)
  return [...names.values()].map((same) => {
    const { said, from, to } = same.reduce((one, other) => (other.said.length > one.said.length ? other : one))
    return { said, from: isoOf(from), to: isoOf(to) }
  })
}

function daysOf(encoded: Encoded, match: RegExpMatchArray, meaning: Meaning, today: Day): Days {
  const monday = today - partsOf(today).weekday
  if ('isNow' in meaning) return [today]
  if ('days' in meaning) return [today + meaning.days]
  if ('times' in meaning) return [today + meaning.times * numberNamed(encoded, match, 'n')!]
  if ('week' in meaning) return [meaning.week === 0 ? today : monday + 7 * meaning.week, monday + 7 * meaning.week + 6]
  if ('weekend' in meaning) {
    const saturday = monday + 5 + 7 * meaning.weekend
    return [meaning.weekend === 0 ? Math.max(saturday, today) : saturday, saturday + 1]
  }
  if ('nth' in meaning)
    return [comingDate(numberNamed(encoded, match, 'nth')!, numberNamed(encoded, match, 'day'), today)]
  if (isEvery(encoded.text, match)) return []
  const weekday = numberNamed(encoded, match, 'day')!
  if (meaning.weekday !== 'coming') return [monday + 7 * meaning.weekday + weekday]
  return [today + ((weekday - partsOf(today).weekday + 7) % 7) + 7 * (meaning.weeks ?? 0)]
}

/** True for a name of a day that means every such day, or the end of a range. */
function isEvery(text: string, { index, 0: said }: RegExpMatchArray): boolean {
  const isBare = said.length === 1
  return (isBare && everyBefore.test(text.slice(0, index))) || everyAfter.test(text.slice(index! + said.length))
}

/** The first day from today on that a year has. */
function comingBy(today: Day, inYear: (year: number) => Day | undefined): Day | undefined {
  const { year } = partsOf(today)
  const mostYearsWithout29February = 8
  for (let y = year; y <= year + mostYearsWithout29February; y++) {
    const day = inYear(y)
    if (day !== undefined && day >= today) return day
  }
  return undefined
}

/** The first day from today on that a month has. */
function comingInMonth(today: Day, inMonth: (year: number, month: number) => Day | undefined): Day | undefined {
  const { year, month } = partsOf(today)
  const monthsOfAYear = 12
  for (let m = month - 1; m < month - 1 + monthsOfAYear; m++) {
    const day = inMonth(year + Math.floor(m / monthsOfAYear), (m % monthsOfAYear) + 1)
    if (day !== undefined && day >= today) return day
  }
  return undefined
}

/** “The 24th”, “Friday the 25th”. */
function comingDate(date: number, weekday: number | undefined, today: Day): Day | undefined {
  const isMeant = (day: Day | undefined) =>
    day !== undefined && (weekday ?? partsOf(day).weekday) === partsOf(day).weekday
  return comingInMonth(today, (year, month) => {
    const day = dayOf(year, month, date)
    return isMeant(day) ? day : undefined
  })
}

function dateIn(encoded: Encoded, match: RegExpMatchArray, today: Day): Day | undefined {
  const [date, month, year] = ['nth', 'month', 'year'].map((name) => numberNamed(encoded, match, name))
  return year === undefined ? comingBy(today, (each) => dayOf(each, month!, date!)) : dayOf(year, month!, date!)
}

const nextMonth = /next|nachsten|prochain|proximo|que viene|prossimo|volgende/

function monthlyIn(encoded: Encoded, match: RegExpMatchArray, today: Day): Day | undefined {
  const [nth = -1, weekday, named] = ['nth', 'day', 'month'].map((name) => numberNamed(encoded, match, name))
  const isIn = (year: number, month: number) => nthWeekday(year, month, weekday!, nth)
  if (named !== undefined) return comingBy(today, (year) => isIn(year, named))
  const { year, month } = partsOf(today)
  if (nextMonth.test(match[0])) return month === 12 ? isIn(year + 1, 1) : isIn(year, month + 1)
  return comingInMonth(today, isIn)
}
