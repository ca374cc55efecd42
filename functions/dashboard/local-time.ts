import { html } from 'hono/html'
import type { Html } from './layout.ts'
import { words } from './words.ts'

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
