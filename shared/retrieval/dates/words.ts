import { fold } from '../../terms/word-forms.ts'
import { de } from './languages/de.ts'
import { en } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import type { Holiday } from './languages/holidays.ts'
import { it } from './languages/it.ts'
import type { DateWords, Meaning } from './languages/language.ts'
import { nl } from './languages/nl.ts'

/** A folded text in which one character stands for each number and name of a day or month, so that expressions for dates are short. */
export interface Encoded {
  text: string
  /** The index in the folded text at which each character begins; one more for its end. */
  starts: number[]
  /** What the character at a place stands for; from 0 (Monday) for days, from 1 for months and numbers. */
  values: ReadonlyMap<number, number>
  /** The number of these characters, but for short names of days, which are other words elsewhere: “so”. */
  count: number
}

/** A language's words, as expressions of encoded texts. */
export interface Language {
  language: string
  /** The names from Monday on; none if several languages are one here. */
  dayNames: string[]
  monthNames: string[]
  phrases: (readonly [phrase: RegExp, meaning: Meaning])[]
  /** Any phrase, or any name or number that one may have. A folded text without one, and without a number of two digits, names no day but a holiday. */
  anyDay: RegExp
  dates: RegExp[]
  monthly: RegExp[]
  everySecond: RegExp | undefined
  publicHolidays: RegExp | undefined
  /** Phrases for several days of the week. */
  daysOfWeek: (readonly [phrase: RegExp, from: number, to: number])[]
  /** One for all, so that a text without any is read once. */
  anyHoliday: RegExp | undefined
  holidays: (readonly [name: RegExp, holiday: Holiday])[]
  /** A name of each, without the words that may be left out. */
  holidayNames: (readonly [name: string, holiday: Holiday])[]
  /** Between the ends of a range. */
  to: RegExp
  wholeMonth: RegExp | undefined
  prepositions: ReadonlySet<string>
  hours: ReadonlySet<string>
  asksHours: ReadonlySet<string>
  closed: ReadonlySet<string>
  partsOfDay: ReadonlySet<string>
  itself: ReadonlySet<string>
  /** @param isMonthFirst whether “4/8” is 8 April, rather than 4 August; undefined if neither is sure */
  encode(folded: string, isMonthFirst?: boolean): Encoded
}

/** Languages of which only the names of days and months are known. */
const others = ['pt', 'pl', 'sv', 'da', 'nb', 'fi', 'cs', 'hu', 'ro', 'tr', 'hr', 'sk', 'sl', 'ca', 'el', 'uk', 'ru']

export const marks = {
  days: '\uE007',
  day: '\uE000',
  shortDay: '\uE001',
  month: '\uE002',
  nth: '\uE003',
  number: '\uE004',
  either: '\uE005',
  year: '\uE006',
}
const patterns: Record<string, string> = {
  day: marks.day,
  month: marks.month,
  nth: `[${marks.nth}${marks.either}]`,
  ordinal: marks.nth,
  n: `[${marks.number}${marks.either}]`,
  year: marks.year,
}

const weekLength = 7

/** The names of the days, from Monday on, and of the months. */
function namesOf(language: string, style: 'long' | 'short') {
  const format = new Intl.DateTimeFormat(language, { weekday: style, month: style, day: 'numeric', timeZone: 'UTC' })
  // 5 January 1970 is a Monday; the first seven months after it have each weekday once.
  const dates = [5, 3, 4, 2, 1, 6, 7, 1, 1, 1, 1, 1].map((date, month) => new Date(Date.UTC(1970, month, date)))
  const days: string[] = []
  const months = dates.map((date) => {
    const parts = format.formatToParts(date)
    const nameOf = (kind: string) => fold(parts.find(({ type }) => type === kind)!.value).replaceAll('.', '')
    days[(date.getUTCDay() + 6) % weekLength] = nameOf('weekday')
    return nameOf('month')
  })
  return { days, months }
}

interface Token {
  mark: string
  value: number
}

/** The six languages' folded words have no other letters; classes of Unicode take long to compile. */
const bounded = (pattern: string) => new RegExp(String.raw`(?<![a-z\d])(?:${pattern})(?![a-z\d])`, 'g')
/** Its groups have numbers, since before Node 24 an expression has no two groups of one name. */
const filled = (phrase: string) =>
  bounded(
    phrase.replaceAll(/\{(\w+)\}/g, (_, name: string, at: number) => {
      return `(?<${name === 'ordinal' ? 'nth' : name}_${at}>${patterns[name]})`
    }),
  )
const optional = (pattern: string) => (pattern ? filled(pattern) : undefined)

function languageOf(words: DateWords): Language {
  const { language } = words
  const isOne = language !== ''
  const named = isOne ? [language] : others
  const long = named.map((each) => namesOf(each, 'long'))
  const tokens = new Map<string, Token>()
  const add = (mark: string, names: readonly string[], from: number) => {
    for (const [i, forms] of names.entries())
      for (const form of forms.split('/')) {
        const name = form.replaceAll(/[_-]/g, ' ')
        const known = tokens.get(name)
        const isBoth = known && mark === marks.number && known.mark === marks.nth
        tokens.set(name, { mark: isBoth ? marks.either : mark, value: i + from })
      }
  }
  add(marks.nth, listOf(words.nths), 1)
  add(marks.number, listOf(words.numbers), 1)
  if (isOne) {
    const short = namesOf(language, 'short')
    add(marks.shortDay, short.days, 0)
    add(marks.month, short.months, 1)
    if (language === 'en') add(marks.month, ['sept'], 9)
  }
  for (const { days, months } of long) {
    add(marks.month, months, 1)
    add(
      marks.days,
      days.map((name) => `${name}s`),
      0,
    )
    add(marks.day, days, 0)
  }
  if (words.language === 'de') add(marks.day, ['sonnabend'], 5)
  const holidays = Object.entries(words.holidays)
  return {
    language,
    dayNames: isOne ? long[0]!.days : [],
    monthNames: isOne ? long[0]!.months : [],
    phrases: words.phrases.map(([phrase, meaning]) => [filled(phrase), meaning]),
    anyDay: filled([...namesIn(tokens), ...words.phrases.map(([phrase]) => phrase)].join('|')),
    dates: [...words.dates, '{nth}{month}{year}?'].map(filled),
    monthly: words.monthly.map(filled),
    everySecond: optional(words.everySecond),
    publicHolidays: optional(words.publicHolidays),
    daysOfWeek: (
      [
        [words.weekdays, 0, 4],
        [words.weekends, 5, 6],
        [words.daily, 0, 6],
      ] as const
    ).flatMap(([phrase, from, to]) => (phrase ? [[filled(phrase), from, to] as const] : [])),
    anyHoliday: optional(holidays.map(([, name]) => name).join('|')),
    holidays: holidays.map(([holiday, name]) => [filled(name), holiday as Holiday] as const),
    holidayNames: holidays.map(([holiday, name]) => [plainName(name), holiday as Holiday] as const),
    to: new RegExp(`^,? ?(?:–|—|-|${words.to}) ?$`, 'u'),
    wholeMonth: words.inMonth ? new RegExp(`(?:^|[^\\p{L}])(?:${words.inMonth}) $`, 'u') : undefined,
    prepositions: new Set(words.inMonth.split('|')),
    hours: new Set(listOf(words.hours)),
    asksHours: new Set(listOf(`${words.hours} ${words.asksHours}`)),
    closed: new Set(listOf(words.closed)),
    partsOfDay: new Set(listOf(words.partsOfDay)),
    itself: new Set(listOf(words.itself)),
    encode: (folded, isMonthFirst) => encode(folded, tokens, isMonthFirst),
  }
}

/** The names that phrases and dates may have. */
function namesIn(tokens: ReadonlyMap<string, Token>): string[] {
  const meant = new Set([marks.day, marks.month, marks.nth, marks.number, marks.either])
  return [...tokens].flatMap(([name, { mark }]) => (meant.has(mark) ? [name] : []))
}

const plainName = (pattern: string) =>
  pattern
    .replaceAll(/\(\?:[^()]*\)\??|.\?|\\./g, '')
    .replaceAll(/\[([^[\]])[^[\]]*\]/g, '$1')
    .split('|')[0]!
    .trim()

const listOf = (words: string) => words.split(/\s+/).filter(Boolean)

/** 2026-12-24, 24.12., 24.12.2026, 24-12-2026, 24/12 and 12/24: without a doubt about the month. */
const numericDate =
  /(?<![\d.,:/-])(?:(?<y>20\d\d)-(?<mm>\d\d)-(?<dd>\d\d)|(?<d>\d{1,2})(?:\.(?<m>\d{1,2})\.(?: ?(?<year>20\d\d))?|-(?<dashedMonth>\d{1,2})-(?<dashedYear>20\d\d))|(?<one>\d{1,2})\/(?<two>\d{1,2})(?:\/(?<slashed>(?:20)?\d\d))?)(?![\d/%]|[.,:-]\d)/
const wordOrNumber = new RegExp(
  String.raw`${numericDate.source}|\p{L}+(?:[ -]\p{L}+){0,2}|(?<![\p{L}\d:.,/$€£])\d{1,4}(?:st|nd|rd|th|er|ste|de|e|º|°|\.(?!\d))?(?![\p{L}\d%€]|[:.,/h]\d| ?(?:uhr|h|am|pm|a\.m|p\.m)(?!\p{L}))`,
  'gu',
)

/** Fractions, and “24/7”. */
const noDate = /^(?:1\/[2-4]|2\/3|3\/4|24\/7)$/

/** Undefined for what is no date, and for “4/8” if nothing tells which number is the month. @param weekday the day of the week before it */
function numericParts(
  said: string,
  groups: Record<string, string | undefined>,
  weekday: number | undefined,
  isMonthFirst: boolean | undefined,
) {
  const { y, mm, dd, d, dashedMonth, m = dashedMonth, dashedYear = '0', year = dashedYear } = groups
  const { one, two, slashed = '0' } = groups
  if (noDate.test(said)) return undefined
  const [a, b] = [Number(one), Number(two)]
  const weekdayOn = (month: number, date: number) =>
    (new Date(Date.UTC(Number(yearOf(slashed)), month - 1, date)).getUTCDay() + 6) % weekLength
  const [isFirst, isSecond] = [weekdayOn(a, b) === weekday, weekdayOn(b, a) === weekday]
  const byWeekday = slashed !== '0' && isFirst !== isSecond ? isFirst : undefined
  const order = b > maxMonth ? true : a > maxMonth ? false : (byWeekday ?? isMonthFirst)
  const parts = y
    ? [y, mm, dd]
    : d
      ? [year, m, d]
      : one && order !== undefined
        ? [yearOf(slashed), ...(order ? [one, two] : [two, one])]
        : []
  const [written = 0, month = 0, date = 0] = parts.map(Number)
  return month >= 1 && month <= maxMonth && date >= 1 && date <= maxDate ? { year: written, month, date } : undefined
}

const yearOf = (slashed: string) => (slashed.length === 2 ? `20${slashed}` : slashed)
const maxMonth = 12
const maxDate = 31
const monthFirst = new Set(['US', 'PH', 'PR', 'GU'])

/** Whether “4/8” in a text is 8 April: by another date in it, such as “12/24”, else by the country; undefined if neither tells. */
export function isMonthFirstIn(text: string, country: string | undefined): boolean | undefined {
  const dates = [...text.matchAll(/(?<![\d/])(\d{1,2})\/(\d{1,2})(?![\d%])/g)].filter(([said]) => !noDate.test(said))
  const shows = (place: 1 | 2) => dates.some((date) => Number(date[place]) > maxMonth)
  if (shows(1) !== shows(2)) return shows(2)
  return country === undefined ? undefined : monthFirst.has(country)
}

function encode(folded: string, tokens: ReadonlyMap<string, Token>, isMonthFirst: boolean | undefined): Encoded {
  let text = ''
  const starts: number[] = []
  const values = new Map<number, number>()
  let at = 0
  let count = 0
  const copy = (to: number) => {
    for (; at < to; at++) {
      starts.push(at)
      text += folded[at]
    }
  }
  const put = (start: number, end: number, { mark, value }: Token) => {
    copy(start)
    starts.push(start)
    values.set(text.length, value)
    if (mark !== marks.shortDay) count++
    text += mark
    at = end
  }
  wordOrNumber.lastIndex = 0
  for (let match = wordOrNumber.exec(folded); match; match = wordOrNumber.exec(folded)) {
    const start = match.index
    const [said] = match
    const isBeside = start - at <= 2 && (text.endsWith(marks.day) || text.endsWith(marks.shortDay))
    const weekday = isBeside ? values.get(text.length - 1) : undefined
    const date = numericParts(said, match.groups!, weekday, isMonthFirst)
    if (date) {
      put(start, start, { mark: marks.nth, value: date.date })
      put(start, start, { mark: marks.month, value: date.month })
      if (date.year > 0) put(start, start, { mark: marks.year, value: date.year })
      at = start + said.length
      continue
    }
    if (/^\d/.test(said)) {
      const value = Number.parseInt(said, 10)
      const digits = String(value).length
      const mark =
        digits === 4
          ? marks.year
          : digits > 2 || value > 31
            ? undefined
            : said.length > digits
              ? marks.nth
              : marks.either
      if (mark) put(start, start + said.length, { mark, value })
      continue
    }
    const words = said.split(/[ -]/)
    let length = words.length
    while (length > 1 && !tokens.has(words.slice(0, length).join(' '))) length--
    const name = words.slice(0, length).join(' ')
    const token = tokens.get(name)
    wordOrNumber.lastIndex = start + name.length
    if (!token) continue
    const hasStop = token.mark === marks.month && folded[start + name.length] === '.' && name.length <= 4
    put(start, start + name.length + (hasStop ? 1 : 0), token)
  }
  copy(folded.length)
  starts.push(folded.length)
  return { text, starts, values, count }
}

const none = {
  nths: '',
  numbers: '',
  monthly: [],
  to: 'to',
  everySecond: '',
  publicHolidays: '',
  weekdays: '',
  weekends: '',
  daily: '',
  inMonth: '',
  hours: '',
  asksHours: '',
  closed: '',
  partsOfDay: '',
  itself: '',
  holidays: {},
}

/** Only names: “{day}” is the coming one. */
const namesOnly: DateWords = {
  ...none,
  language: '',
  phrases: [['{day}', { weekday: 'coming' }]],
  dates: ['{nth}(?: de)? {month}(?:(?: de)? {year})?'],
}

let known: readonly Language[] | undefined

/** All languages, those with all words first. */
export function languages(): readonly Language[] {
  known ??= [en, de, fr, es, it, nl, namesOnly].map(languageOf)
  return known
}

/** True for a folded name of a day or month, and for a word that stands before one. */
export function isOfDate(word: string): boolean {
  return languages().some(({ encode, prepositions }) => prepositions.has(word) || encode(word).values.size > 0)
}

/** The value of a named group of a match in an encoded text, such as `day`. */
export function numberNamed({ values }: Encoded, match: RegExpMatchArray, name: string): number | undefined {
  const groups = Object.entries(match.groups ?? {})
  const mark = groups.find(([group, mark]) => mark !== undefined && group.split('_')[0] === name)?.[1]
  return mark === undefined ? undefined : values.get(match.index! + match[0].indexOf(mark))
}

/** The holidays that a folded text names. */
export function holidaysIn({ anyHoliday, holidays }: Language, folded: string) {
  if (!anyHoliday || folded.search(anyHoliday) < 0) return []
  return withoutOverlaps(
    holidays.flatMap(([name, holiday]) =>
      [...folded.matchAll(name)].map(({ index, 0: said }) => ({ holiday, start: index, end: index + said.length })),
    ),
  )
}

/** The longest at each place, in their order. */
export function withoutOverlaps<Found extends { start: number; end: number }>(found: Found[]): Found[] {
  const kept: Found[] = []
  const length = ({ start, end }: Found) => end - start
  for (const each of found.sort((a, b) => length(b) - length(a) || a.start - b.start))
    if (kept.every(({ start, end }) => each.end <= start || each.start >= end)) kept.push(each)
  return kept.sort((a, b) => a.start - b.start)
}
