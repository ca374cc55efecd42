import * as v from 'valibot'

/** The IANA name of a time zone, with the usual upper and lower case. Offsets such as `+02:00` have no name. */
export const timeZone = v.pipe(
  v.string('must be a string'),
  v.check(isTimeZone, 'must be the IANA name of a time zone, such as Europe/Berlin'),
  v.transform((name) => (resolved(name).toLowerCase() === name.toLowerCase() ? resolved(name) : name)),
)

/** The ISO 3166 code of the country, or of the region of a country, whose public holidays a business has. */
export const holidays = v.pipe(
  v.string('must be a string'),
  v.check(isRegion, 'must be the ISO 3166 code of a country or of a region, such as CA or CA-ON'),
)

/** The time zone of an agent; UTC if nobody has chosen one. */
export function timeZoneOf({ time_zone }: { time_zone: string | null }): string {
  return time_zone ?? 'UTC'
}

function isTimeZone(name: string): boolean {
  try {
    return /^[a-z]/i.test(name) && resolved(name) !== ''
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return false
  }
}

/** The runtime's name for the zone, which for an alias such as Europe/Kyiv is another one. @throws RangeError for an unknown zone */
function resolved(name: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const pairsOfLetters = letters.flatMap((first) => letters.map((second) => first + second))

/** The ISO 3166 code of the country of a time zone; undefined for zones that belong to none, such as UTC. */
export function countryOf(zone: string): string | undefined {
  const name = resolved(zone)
  // The region of a locale is the current code, also for a former one such as DD.
  const code = pairsOfLetters.find((code) => new Intl.Locale(`und-${code}`).getTimeZones()?.includes(name))
  return code && new Intl.Locale(`und-${code}`).region
}

/** The local date and time in a zone, such as `2026-12-20T09:30:00`. */
export function wallTime(time: Date, zone: string): string {
  return time.toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T')
}

/** The local day in a zone, such as `2026-12-20`. */
export function dayOf(time: Date, zone: string): string {
  return wallTime(time, zone).slice(0, 'yyyy-mm-dd'.length)
}

const longDay = new Intl.DateTimeFormat('en', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** “Thursday, 24 December 2026”. @param day such as `2026-12-24` @param unnamedYear is not written */
export function dayText(day: string, unnamedYear?: string): string {
  const parts = Object.fromEntries(longDay.formatToParts(new Date(day)).map(({ type, value }) => [type, value]))
  return `${parts.weekday}, ${parts.day} ${parts.month}${parts.year === unnamedYear ? '' : ` ${parts.year}`}`
}

/** The first moment of a day such as `2026-12-20` in a zone. It is not midnight if the clocks skip midnight. */
export function startOfDay(day: string, zone: string): Date {
  return instantOf(`${day}T00:00`, zone)
}

export const dayMilliseconds = 86_400_000

/**
 * The moment at which the clocks of a zone show a local date and time. The earlier one if they show it twice. If they skip it, the
 * moment that is as long after the change as the local time is after the last one shown.
 */
export function instantOf(wall: string, zone: string): Date {
  const shown = Date.parse(`${wall}Z`)
  const offsetAt = (time: number) => Date.parse(`${wallTime(new Date(time), zone)}Z`) - time
  const isShown = (time: number) => time + offsetAt(time) === shown
  const [before, after] = [-dayMilliseconds, dayMilliseconds].map((distance) => shown - offsetAt(shown + distance)) as [
    number,
    number,
  ]
  return new Date(!isShown(before) && isShown(after) ? after : before)
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
/** Codes that name no country. */
const noCountry = /^(?:EU|EZ|UN|XA|XB|ZZ|Q[M-Z]|X[A-Z])$/

function isRegion(code: string): boolean {
  const country = /^([A-Z]{2})(?:-[A-Z0-9]{1,3})?$/.exec(code)?.[1]
  if (!country || (noCountry.test(country) && country !== 'XK')) return false
  // An alias such as UK, which is GB, is no code.
  return countries.of(country) !== undefined && new Intl.Locale(`und-${country}`).region === country
}

/** The ISO 3166 codes of countries and their English names, by name. */
export function countriesByName(): (readonly [code: string, name: string])[] {
  const named = pairsOfLetters.filter(isRegion).map((code) => [code, countries.of(code)!] as const)
  return named.sort(([, one], [, other]) => one.localeCompare(other))
}
