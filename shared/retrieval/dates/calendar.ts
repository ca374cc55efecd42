import { BoundedMap } from '../../bounded-map.ts'
import { groupBy } from '../../built-ins.ts'
import { dayMilliseconds } from '../../organizations/time-zone.ts'
import { countriesOfZones, type Holiday, holidays, movedHolidays, publicHolidays } from './languages/holidays.ts'

/** The number of days since 1970-01-01. */
export type Day = number

/** The place of a business, which decides what its days are. */
export interface Place {
  /** An IANA time zone. */
  timeZone: string
  /** An ISO 3166 country, with a region or without; null if unknown. */
  holidays: string | null
}

/** The place of an agent that nobody has placed. */
export const anywhere: Place = { timeZone: 'UTC', holidays: null }

/** The day; undefined if there is none, such as 30 February. @param month 1 to 12 */
export function dayOf(year: number, month: number, date: number): Day | undefined {
  const at = new Date(Date.UTC(year, month - 1, date))
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === date ? at.getTime() / dayMilliseconds : undefined
}

/** `month` 1 to 12, `weekday` 0 (Monday) to 6. */
export function partsOf(day: Day) {
  const at = new Date(day * dayMilliseconds)
  const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()]
  return { year, month, date, weekday: (at.getUTCDay() + 6) % 7 }
}

/** `YYYY-MM-DD`. */
export function isoOf(day: Day): string {
  return new Date(day * dayMilliseconds).toISOString().slice(0, 10)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

interface Local {
  day: Day
  /** 0 to 23. */
  hour: number
}

const minuteMilliseconds = 60_000
/** Recent answers by zone and minute: a search asks several times, and Intl takes ten microseconds. */
const locals = new BoundedMap<string, Local>(100)

/** The day and the hour of a moment in a time zone. */
export function localOf(moment: Date, timeZone: string): Local {
  const minute = Math.floor(moment.getTime() / minuteMilliseconds)
  return locals.getOrInsertComputed(`${timeZone} ${minute}`, () => readClock(moment, timeZone))
}

function readClock(moment: Date, timeZone: string): Local {
  let clock = clocks.get(timeZone)
  if (!clock) {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
    clock = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', calendar: 'gregory', ...fields })
    clocks.set(timeZone, clock)
  }
  const parts = new Map(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  return { day: dayOf(parts.get('year')!, parts.get('month')!, parts.get('day')!)!, hour: parts.get('hour')! }
}

/** The day of the nth weekday of a month, counted from its end if `nth` is negative; undefined if there is none. */
export function nthWeekday(year: number, month: number, weekday: number, nth: number): Day | undefined {
  const first = dayOf(year, month, 1)!
  const next = month === 12 ? dayOf(year + 1, 1, 1)! : dayOf(year, month + 1, 1)!
  const day =
    nth > 0
      ? first + ((weekday - partsOf(first).weekday + 7) % 7) + 7 * (nth - 1)
      : next - 1 - ((partsOf(next - 1).weekday - weekday + 7) % 7) + 7 * (nth + 1)
  return day >= first && day < next ? day : undefined
}

/** Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher). */
function easterOf(year: number): Day {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const g = Math.floor((8 * b + 13) / 25)
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const months = h + l - 7 * m + 114
  return dayOf(year, Math.floor(months / 31), (months % 31) + 1)!
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

export function countryOf({ timeZone, holidays }: Place): string | undefined {
  return holidays?.slice(0, 2) ?? countriesOfZones.find(([zones]) => zones.test(timeZone))?.[1]
}

/** The day of a holiday in a year, as its name is used in a country: `05-24 mon` is the Monday until 24 May, `05 mon -1` the last of May. */
export function holidayIn(year: number, holiday: Holiday, country: string | undefined): Day {
  const rules: string | { default: string; [country: string]: string } = holidays[holiday]
  const rule = typeof rules === 'string' ? rules : (rules[country ?? ''] ?? rules[year] ?? rules.default)
  if (rule.startsWith('easter')) return easterOf(year) + Number(rule.slice('easter'.length))
  const [month, weekday = '', nth] = rule.split(' ')
  if (nth === undefined) {
    const [fixed, date] = month!.split('-').map(Number)
    const day = dayOf(year, fixed!, date!)!
    return weekday === '' ? day : day - ((partsOf(day).weekday - weekdays.indexOf(weekday) + 7) % 7)
  }
  return nthWeekday(year, Number(month), weekdays.indexOf(weekday), Number(nth))!
}

const years = new BoundedMap<string, Map<Day, Holiday[]>>(200)

/** The holidays on a day, as their names are used in a country. */
export function holidaysOn(day: Day, country: string | undefined): readonly Holiday[] {
  const { year } = partsOf(day)
  const inYear = years.getOrInsertComputed(`${year} ${country}`, () =>
    groupBy(Object.keys(holidays) as Holiday[], (holiday) => holidayIn(year, holiday, country)),
  )
  return inYear.get(day) ?? []
}

/** True for a public holiday, or for the day on which one is kept that falls on a weekend. */
export function isPublicHoliday(day: Day, place: Place): boolean {
  const country = countryOf(place) ?? ''
  const named = publicHolidays[country] ?? publicHolidays.elsewhere!
  const isNamed = (each: Day) => holidaysOn(each, country).some((holiday) => named.includes(holiday))
  const { weekday } = partsOf(day)
  const isKept = movedHolidays.has(country) && weekday === monday && [day - 1, day - 2].some(isNamed)
  return isNamed(day) || isKept || (country === 'US' && weekday === friday && isNamed(day + 1))
}

const monday = 0
const friday = 4
