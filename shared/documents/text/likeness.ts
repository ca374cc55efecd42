import { sql } from 'kysely'

/** The text's lines without digits: two versions share them even if prices and dates have changed. */
export function likenessLines(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.replaceAll(/[0-9]/g, '').replaceAll(/^[ \t\r]+|(?<![ \t\r])[ \t\r]+$/g, ''))
  return [...new Set(lines)].filter((line) => !isBare.test(line))
}

/** The same lines of a text in SQL, as a column `line`. */
export const likenessLinesOf = (text: ReturnType<typeof sql>) => sql`(
  select distinct line from (
    select btrim(translate(each, '0123456789', ''), E' \\t\\r') as line from string_to_table(${text}, E'\\n') each) lines
  where line !~ ${isBare.source})`

/** True if two texts, with `total` distinct lines in all, have enough in common to be versions of one document. */
export function isAlike(common: number, total: number): boolean {
  return common >= 3 && common / total >= 0.5
}

/** Lines that say too little to be compared, such as a table's rule. */
const isBare = /^.{0,3}$|^[-| :]*$/

/** The name that versions of a file share: without dates, version numbers and marks of copying. Undefined if nothing telling is left. */
export function likenessName(name: string): string | undefined {
  const plain = name.normalize('NFKC').toLowerCase().replaceAll('_', ' ').replaceAll(marks, ' ')
  const parts = plain.match(/[\p{L}\p{M}\p{N}]+/gu)?.filter((part) => !incidental.has(part)) ?? []
  const said = parts.join(' ')
  return /\p{L}{3}|[\p{Lo}]{2}/u.test(said) && !empty.has(said) ? said : undefined
}

const marks =
  /\(\d+\)|\bcopy of\b|(?:19|20)\d{6}(?!\d)|\bv(?:er(?:sion)?)?\.? ?\d+(?:\.+\d+)*\b|\b\d{4}[-. ]?\d\d(?:[-. ]?\d\d)?\b|\b\d{1,2}[-. ]\d{1,2}[-. ]\d{2,4}\b|\b\d{1,2}\.\d{4}\b|\b(?:19|20)\d\d(?:\/\d\d)?\b/g

const months = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt'].flatMap((language) =>
  (['long', 'short'] as const).flatMap((month) => {
    const { format } = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
    return Array.from({ length: 12 }, (_, i) => format(Date.UTC(2000, i)).toLowerCase().replace('.', ''))
  }),
)
const incidental = new Set([
  ...months,
  ...'copy copie copia kopie kopia cópia final new neu nouveau nuevo updated latest version versión stand draft'.split(
    ' ',
  ),
])
const empty = new Set('document dokument documento untitled unbenannt file datei scan img image photo foto'.split(' '))
