import { html } from 'hono/html'
import type { Html } from './layout.ts'
import { localDay } from './local-time.ts'
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
