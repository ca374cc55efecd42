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
  /** “Weekdays” and “daily”. */
  weekdays: string
  daily: string
  /** Before a month that is meant as a whole. */
  inMonth: string
  /** Words that speak of hours, open or closed; those that do so only in a question; those for closed; and those for the business itself and its holidays. */
  hours: string
  asksHours: string
  closed: string
  itself: string
  holidays: Partial<Record<Holiday, string>>
}

/** What a phrase means: days from now, weeks, a weekday of this or another week. */
export type Meaning =
  | { days: number }
  | { isNow: true }
  | { week: number }
  | { weekend: number }
  /** The coming `{day}`, today included; `week` names one of this week (0), the next (1) or the last (-1). */
  | { weekday: 'coming' | number }
  /** In `{n}` of so many days. */
  | { times: number }
  /** The next `{nth}` of a month. */
  | { nth: true }

export const holidays = {
  newYear: '01-01',
  epiphany: '01-06',
  valentine: '02-14',
  carnivalMonday: 'easter-48',
  carnivalTuesday: 'easter-47',
  ashWednesday: 'easter-46',
  saintPatrick: '03-17',
  maundyThursday: 'easter-3',
  goodFriday: 'easter-2',
  easterSaturday: 'easter-1',
  easter: 'easter+0',
  easterMonday: 'easter+1',
  liberationItaly: '04-25',
  anzac: '04-25',
  kingsDay: '04-27',
  labourDay: { default: '05-01', US: '09 mon 1', CA: '09 mon 1', AU: '10 mon 1', NZ: '10 mon 4' },
  kingsBirthday: { default: '06 mon 2', NZ: '06 mon 1' },
  earlyMay: '05 mon 1',
  liberationNetherlands: '05-05',
  victoryFrance: '05-08',
  mothersDay: { default: '05 sun 2', GB: 'easter-21', IE: 'easter-21', FR: '05 sun -1', ES: '05 sun 1' },
  victoriaDay: '05-24 mon',
  memorialDay: '05 mon -1',
  springBank: '05 mon -1',
  ascension: 'easter+39',
  whitSunday: 'easter+49',
  whitMonday: 'easter+50',
  corpusChristi: 'easter+60',
  republicItaly: '06-02',
  juneteenth: '06-19',
  fathersDay: { default: '06 sun 3', DE: 'easter+39', ES: '03-19', IT: '03-19', AU: '09 sun 1', NZ: '09 sun 1' },
  saintJohn: '06-24',
  canadaDay: '07-01',
  independenceUs: '07-04',
  bastille: '07-14',
  swissNational: '08-01',
  civicHoliday: '08 mon 1',
  assumption: '08-15',
  summerBank: '08 mon -1',
  unityGermany: '10-03',
  hispanicDay: '10-12',
  columbusDay: '10 mon 2',
  reformation: '10-31',
  halloween: '10-31',
  allSaints: '11-01',
  remembrance: '11-11',
  thanksgiving: { default: '11 thu 4', CA: '10 mon 2' },
  blackFriday: '11 fri 4',
  constitutionSpain: '12-06',
  saintNicholas: { default: '12-06', NL: '12-05', BE: '12-06' },
  immaculate: '12-08',
  christmasEve: '12-24',
  christmas: '12-25',
  boxingDay: '12-26',
  newYearsEve: '12-31',
  australiaDay: '01-26',
  waitangi: '02-06',
  martinLutherKing: '01 mon 3',
  presidents: '02 mon 3',
  familyDay: '02 mon 3',
} as const satisfies Record<string, string | { default: string; [country: string]: string }>
export type Holiday = keyof typeof holidays
