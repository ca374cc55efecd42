import { html } from 'hono/html'
import { dayText } from '../../shared/organizations/time-zone.ts'
import type { Html } from './layout.ts'

const units = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const
const maxSeconds = 7 * 86_400

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Shows how long ago a time was, or its date after a week. */
export function ago(time: Date): Html {
  const seconds = (Date.now() - time.getTime()) / 1000
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

/** A time of an agent, with its time zone. */
export function timeIn(time: Date, timeZone: string): Html {
  return html`<time datetime="${time.toISOString()}">${format({ timeZone, timeStyle: 'short' }).format(time)}</time> (${timeZone})`
}

/** “Thursday, 24 December 2026”, or “from … to …”. Each day such as `2026-12-24`. @param year is not named */
export function daysInWords({ from, to }: { from: string; to: string }, year?: string): string {
  const last = dayText(to, year)
  return from === to ? last : `from ${dayText(from, to.slice(0, 'yyyy'.length))} to ${last}`
}

/** Accepts the format of `datetime-local` fields, in years that Postgres can store in every zone. */
export function isWallTime(text: string): boolean {
  const isInRange = text >= '1900' && text < '9999'
  return isInRange && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) && !Number.isNaN(Date.parse(`${text}Z`))
}
