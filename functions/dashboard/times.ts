import { html } from 'hono/html'
import type { Html } from './layout.ts'
import { words } from './words.ts'

const units = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const
const maxSeconds = 7 * 86_400

const relative = new Intl.RelativeTimeFormat(words.lang, { numeric: 'auto' })

/** How long ago a time was; after a week, its date. */
export function ago(time: Date, now: number = Date.now()): Html {
  const seconds = (now - time.getTime()) / 1000
  return seconds > maxSeconds ? localDay(time) : html`<time datetime="${time.toISOString()}">${inWords(seconds)}</time>`
}

function inWords(seconds: number): string {
  const [unit, length] = units.findLast(([, length]) => seconds >= length) ?? []
  return unit ? relative.format(-Math.floor(seconds / length!), unit) : words.justNow
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(words.lang, { dateStyle: 'medium', timeZone: 'UTC', ...options })
const days = format({})
const times = format({ timeStyle: 'short' })

/** A time in UTC, which dashboard.js converts to the reader's time zone. */
export function localTime(time: Date): Html {
  return html`<time datetime="${time.toISOString()}" data-local="time">${times.format(time)} UTC</time>`
}

export function localDay(time: Date): Html {
  return html`<time datetime="${time.toISOString()}" data-local="day">${days.format(time)}</time>`
}
