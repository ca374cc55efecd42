import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
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

/** The browser's time zone, from the cookie that dashboard.js sets; UTC without scripts. */
export function zoneOf(c: Context): string {
  const zone = getCookie(c, 'cuecard_zone') ?? 'UTC'
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return 'UTC'
  }
}

/** The local date and time in a zone, such as `2026-12-20T09:30:00`. */
export function wallTime(time: Date, zone: string): string {
  return time.toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T')
}

/** Accepts the format of `datetime-local` fields, in years that Postgres can store in every zone. */
export function isWallTime(text: string): boolean {
  const isInRange = text >= '1900' && text < '9999'
  return isInRange && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) && !Number.isNaN(Date.parse(`${text}Z`))
}

/** Converts a zone's local date and time to UTC. An hour off for times that the clock skips. */
export function instantOf(wall: string, zone: string): string {
  const shown = Date.parse(`${wall}Z`)
  const offset = (time: number) => Date.parse(`${wallTime(new Date(time), zone)}Z`) - time
  return new Date(shown - offset(shown - offset(shown))).toISOString()
}
