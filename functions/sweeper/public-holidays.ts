import Holidays from 'date-holidays'

export interface PublicHoliday {
  /** `YYYY-MM-DD` */
  day: string
  /** The English name, or the local one if there is none. */
  name: string
  /** The names in all languages that the calendar of its country has. */
  names: string[]
}

/**
 * The public holidays of a country or region, such as CA or CA-ON, from one day to another, in order. A region that is unknown has
 * those of its country, an unknown country has none.
 */
export function publicHolidays(place: string, from: string, to: string): PublicHoliday[] {
  const [country, region = ''] = place.split('-')
  const calendar = new Holidays(country!, region)
  const years = new Set([from, to].map((day) => Number(day.slice(0, 4))))
  const found = new Map<string, PublicHoliday>()
  // A copy: `getHolidays` adds its language to the list. “en-us” is before “en”, for “Labor Day”.
  const languages = calendar.getLanguages().toSorted((one, other) => rankOf(other) - rankOf(one))
  for (const language of languages)
    for (const { type, date, name } of [...years].flatMap((year) => calendar.getHolidays(year, language))) {
      const day = date.slice(0, 'yyyy-mm-dd'.length)
      if (type !== 'public' || day < from || day > to) continue
      const holiday = found.get(day) ?? { day, name, names: [] }
      found.set(day, { ...holiday, names: [...holiday.names, name] })
    }
  return [...found.values()].sort((one, other) => (one.day < other.day ? -1 : 1))
}

function rankOf(language: string): number {
  return language.startsWith('en') ? language.length : 0
}
