import { html } from 'hono/html'
import type { Html } from './layout.ts'

const units = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const
const maxSeconds = 7 * 86_400

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Shows how long ago a time was, or its date after a week. */
export function ago(time: Date, now: number = Date.now()): Html {
  const seconds = (now - time.getTime()) / 1000
  return seconds > maxSeconds ? localDay(time) : html`<time datetime="${time.toISOString()}">${inWords(seconds)}</time>`
}

function inWords(seconds: number): string {
  const [unit, length] = units.findLast(([, length]) => seconds >= length) ?? []
  return unit ? relative.format(-Math.floor(seconds / length!), unit) : 'just now'
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC', ...options })
const days = format({})
const times = format({ timeStyle: 'short' })

/** A time in UTC, which dashboard.js converts to the reader's time zone. */
export function localTime(time: Date): Html {
  return html`<time datetime="${time.toISOString()}" data-local="time">${times.format(time)} UTC</time>`
}

export function localDay(time: Date): Html {
  return html`<time datetime="${time.toISOString()}" data-local="day">${days.format(time)}</time>`
}

/** A day of an agent, in its time zone. */
export function dayIn(time: Date, timeZone: string): Html {
  return html`<time datetime="${time.toISOString()}">${format({ timeZone }).format(time)}</time>`
}

const weekdays = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })
const daysOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })

/** “Friday, 25 December”. @param day such as 2026-12-25 */
export function weekdayOf(day: string): string {
  return `${weekdays.format(new Date(day))}, ${daysOfYear.format(new Date(day))}`
}

/** A time of an agent, with its time zone. */
export function timeIn(time: Date, timeZone: string): Html {
  return html`<time datetime="${time.toISOString()}">${format({ timeZone, timeStyle: 'short' }).format(time)}</time> (${timeZone})`
}

const longDay = format({ dateStyle: undefined, weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

/** “Thursday, 24 December 2026”, or “from … to …”. Each day such as `2026-12-24`. @param year is not named */
export function daysInWords({ from, to }: { from: string; to: string }, year?: string): string {
  const named = (day: string, unnamed: string | undefined) => {
    const parts = Object.fromEntries(longDay.formatToParts(new Date(day)).map(({ type, value }) => [type, value]))
    return `${parts.weekday}, ${parts.day} ${parts.month}${parts.year === unnamed ? '' : ` ${parts.year}`}`
  }
  const last = named(to, year)
  return from === to ? last : `from ${named(from, to.slice(0, 'yyyy'.length))} to ${last}`
}

/** Accepts the format of `datetime-local` fields, in years that Postgres can store in every zone. */
export function isWallTime(text: string): boolean {
  const isInRange = text >= '1900' && text < '9999'
  return isInRange && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) && !Number.isNaN(Date.parse(`${text}Z`))
}
