import { html } from 'hono/html'
import type { Html } from './layout.ts'
import { words } from './words.ts'

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(words.lang, { dateStyle: 'medium', timeZone: 'UTC', ...options })
const days = format({})
const times = format({ timeStyle: 'short' })

/** In UTC, which dashboard.js turns into the reader's own time. */
export function localTime(time: Date): Html {
  return html`<time datetime="${time.toISOString()}" data-local="time">${times.format(time)} UTC</time>`
}

export function localDay(time: Date): Html {
  return html`<time datetime="${time.toISOString()}" data-local="day">${days.format(time)}</time>`
}
