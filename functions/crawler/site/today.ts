const day = 24 * 3_600_000
const languages = ['en', 'de', 'fr', 'es', 'it', 'nl']
const labels =
  "today(?: is)?|the date is|last (?:updated|modified|changed)|updated|generated|printed|heute(?: ist)?|stand|aktualisiert|letzte (?:änderung|aktualisierung)|aujourd['’]hui|nous sommes|mis à jour|hoy(?: es)?|actualizado|oggi(?: è)?|aggiornato|vandaag(?: is)?|bijgewerkt"
/** Signs between two words; without a limit, long runs of them would take as long as their square. */
const signs = '\\W{0,9}'
const time = `(?:${signs}(?:at|um|à|alle)?${signs}\\d?\\d[:.h]\\d\\d(?::\\d\\d)?(?: ?[ap]m\\b)?(?: ?(?:utc|gmt|uhr)\\b)?)?`
const months = Array.from({ length: 12 }, (_, at) => namesOf('month', Date.UTC(2026, at, 15)))
const days = Array.from({ length: 7 }, (_, at) => namesOf('weekday', Date.UTC(2026, 1, at + 1))).flat()
const weekdays = new RegExp(`(?<!\\p{L})(?:${days.join('|')})(?!\\p{L})\\.?`, 'gu')

/** Removes today's date from the lines; a line with more than a date must name it as today's. */
export function withoutToday(lines: readonly string[], today: Date): string[] {
  const dates = [-day, 0, day].flatMap((away) => formsOf(new Date(today.getTime() + away)))
  const date = `(?:${dates.join('|')})(?![\\d\\p{L}]|[./-]\\d)`
  const said = new RegExp(`(?<!\\p{L})(${labels})(?: on| am| le)?${signs}${date}${time}|^\\W*${date}${time}\\W*$`, 'u')
  return lines.map((line) => {
    if (!/\d/.test(line)) return line
    const plain = plainDates(line)
    return said.test(plain) ? plain.replace(said, '$1 …') : line
  })
}

/** `Tue, 01. Dec. 2026` as `1 dec 2026`. */
function plainDates(text: string): string {
  return text
    .toLowerCase()
    .replace(weekdays, '')
    .replace(/\b0(?=\d\b)|(?<=\d)(st|nd|rd|th)\b|[.,](?=\s)|\bde(?=\s)/g, '')
    .replace(/\s+/g, ' ')
}

/** The written forms of a day, the longer ones first. */
function formsOf(date: Date): string[] {
  const [year, month, number] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  const names = months[month - 1]!
  return [
    ...names.flatMap((name) => [`${number} ${name} ${year}`, `${name} ${number} ${year}`]),
    ...names.flatMap((name) => [`${number} ${name}`, `${name} ${number}`]),
    ...['.', '/', '-'].flatMap((by) =>
      [
        [number, month, year],
        [month, number, year],
        [year, month, number],
      ].map((parts) => parts.join(by === '.' ? '\\.' : by)),
    ),
  ]
}

/** The long and short names in all languages. */
function namesOf(kind: 'month' | 'weekday', date: number): string[] {
  const names = languages.flatMap((language) =>
    (['long', 'short'] as const).map((style) =>
      new Intl.DateTimeFormat(language, { [kind]: style, timeZone: 'UTC' }).format(date).toLowerCase().replace('.', ''),
    ),
  )
  return [...new Set(names)]
}
