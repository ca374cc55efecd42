import { html } from 'hono/html'
import * as v from 'valibot'
import { dayMilliseconds, dayOf, startOfDay, timeZoneOf } from '../../../shared/organizations/time-zone.ts'
import { fieldsOf } from '../form-view.ts'
import type { Faults } from '../forms.ts'
import type { Html } from '../layout.ts'
import { dayIn } from '../times.ts'

export interface Dates {
  valid_from: Date | null
  valid_until: Date | null
  /** The agent's, in which its days begin. */
  time_zone: string | null
}

/** The first and the last day, both inclusive; '' for no limit. */
export interface Days {
  from?: string | undefined
  until?: string | undefined
}

/** The range of days that browsers' fields accept and Postgres can store in every time zone. */
const firstDay = '1900-01-01'
export const lastDay = '9998-12-31'

const day = v.optional(
  v.pipe(
    v.string(),
    v.check((text) => text === '' || isDay(text), 'Choose a day.'),
  ),
)
export const dayFields = { from: day, until: day }
export const notInOrder = 'The last day is before the first.'
export const areInOrder = ({ from, until }: Days) => !from || !until || from <= until

export function isDay(text: string): boolean {
  const time = Date.parse(text)
  if (Number.isNaN(time) || text < firstDay || text > lastDay) return false
  return new Date(time).toISOString().slice(0, 10) === text
}

export function daysOf({ valid_from, valid_until, ...agent }: Dates) {
  const shown = (time: Date | null) => {
    const text = time ? dayOf(time, timeZoneOf(agent)) : ''
    return isDay(text) ? text : ''
  }
  return { from: shown(valid_from), until: shown(valid_until && lastMoment(valid_until)) }
}

const lastMoment = (until: Date) => new Date(until.getTime() - 1)

/** The dates that a form changes. A date whose day stays as shown keeps its time of day. */
export function changedDates({ from, until }: Days, stored: Dates) {
  const shown = daysOf(stored)
  const start = (day: string) => (day ? startOfDay(day, timeZoneOf(stored)).toISOString() : null)
  return {
    ...(from !== undefined && from !== shown.from && { valid_from: start(from) }),
    ...(until !== undefined && until !== shown.until && { valid_until: start(dayAfter(until)) }),
  }
}

function dayAfter(day: string): string {
  return day && dayOf(new Date(Date.parse(day) + dayMilliseconds), 'UTC')
}

export function datesFields({ from, until }: Days, faults: Faults, zone: string): Html {
  const { line } = fieldsOf({ typed: { from, until }, faults })
  const days = html`type="date" min="${firstDay}" max="${lastDay}"`
  const hint = `Callers get answers from it from the beginning of the first day to the end of the last one, in the time zone ${zone}. Leave a day empty for no limit.`
  const isOpen = from || until || faults.from || faults.until
  return html`<details class="field"${isOpen && html` open`}><summary>Serve it for a limited time</summary>
${line('from', 'First day', firstDay.length, false, days)}${line('until', 'Last day', lastDay.length, hint, days)}</details>`
}

/** “from …”, “until …” with the last day, or nothing. */
export function datesView({ valid_from, valid_until, ...agent }: Dates): Html {
  const zone = timeZoneOf(agent)
  return html`${valid_from && html` · from ${dayIn(valid_from, zone)}`}${
    valid_until && html` · until ${dayIn(lastMoment(valid_until), zone)}`
  }`
}
