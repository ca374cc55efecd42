import * as v from 'valibot'

const milliseconds: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const time = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

/** A time in the future: RFC 3339 such as 2027-01-01T00:00:00Z, or a duration from now such as 90m, 12h, 30d or 8w. */
export const expiry = v.pipe(
  v.string(),
  v.transform(parse),
  v.date('must be a time like 2027-01-01T00:00:00Z or a duration like 90m, 12h, 30d or 8w'),
  v.check((date) => date.getTime() > Date.now(), 'must be in the future'),
)

function parse(text: string): Date {
  const [, count, unit] = /^(\d+)([mhdw])$/.exec(text) ?? []
  if (unit) return new Date(Date.now() + Number(count) * milliseconds[unit]!)
  const day = time.exec(text)?.[1]
  // Date reads February 30 as March 2.
  const isCalendarDay = day && toDay(new Date(`${day}T00:00:00Z`)) === day
  return new Date(isCalendarDay ? text : Number.NaN)
}

function toDay(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10)
}
