import * as v from 'valibot'

const rfc3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

/** A time of RFC 3339 on a day that exists, in a year that Postgres has; becomes UTC with milliseconds. */
export const time = v.pipe(
  v.string('must be a string'),
  v.check(
    (text) => isoOf(text) !== undefined,
    'must be a time as in RFC 3339, such as 2026-03-02T08:15:30Z or 2026-03-02T09:15:30+01:00',
  ),
  v.metadata({ format: 'date-time' }),
  v.transform((text) => isoOf(text)!),
)

function isoOf(text: string): string | undefined {
  const day = rfc3339.exec(text)?.[1]
  const [midnight, date] = [new Date(`${day}T00:00Z`), new Date(text)]
  if (Number.isNaN(midnight.getTime()) || Number.isNaN(date.getTime())) return undefined
  const iso = date.toISOString()
  return midnight.toISOString().startsWith(day!) && /^\d{4}-/.test(iso) && iso >= '0001' ? iso : undefined
}
