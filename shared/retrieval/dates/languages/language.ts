import type { Holiday } from './holidays.ts'

/**
 * The words for days in one language, folded: lower case without diacritics. In a phrase `{day}` and `{month}` stand for their names,
 * `{nth}` for a day of a month or “first”, `{n}` for a number and `{year}` for four digits.
 */
export interface DateWords {
  /** The code of the language, for the names of days and months that `Intl` gives. */
  language: string
  /** Words for the 1st to the 31st, separated by spaces; `_` stands for a space, `/` separates forms. */
  nths: string
  /** Words for one to ten. */
  numbers: string
  /** Phrases of a question, and the days that they mean. */
  phrases: readonly (readonly [phrase: string, meaning: Meaning])[]
  /** Dates with a day and a month. */
  dates: readonly string[]
  /** A weekday of a month, such as the first Friday; `(?<last>…)` is “last”. */
  monthly: readonly string[]
  /** Between the ends of a range. */
  to: string
  /** `{day}` of every second week: it needs a date to count from. */
  everySecond: string
  publicHolidays: string
  /** “Weekdays”, “weekends” and “daily”. */
  weekdays: string
  weekends: string
  daily: string
  /** Before a month that is meant as a whole. */
  inMonth: string
  /** Words that speak of hours, open or closed; those that do so only in a question; those for closed; and those for the business itself and its holidays. */
  hours: string
  asksHours: string
  closed: string
  itself: string
  partsOfDay: string
  holidays: Partial<Record<Holiday, string>>
}

/** What a phrase means: days from now, weeks, a weekday of this or another week. */
export type Meaning =
  | { days: number }
  | { isNow: true }
  | { week: number }
  | { weekend: number }
  /** The coming `{day}`, today included, or `weeks` later; a number is of this week (0), the next (1) or the last (-1). */
  | { weekday: 'coming' | number; weeks?: number }
  /** The day that is `{n}` times so many days away. */
  | { times: number }
  /** The next `{nth}` of a month. */
  | { nth: true }
