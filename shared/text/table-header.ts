import { groupBy } from '../built-ins.ts'

const currency = /[€$£¥₹₽₺₴]|\b(?:[A-Z]{3}|[Ee]uros?|kr|zł|Kč|Ft|lei|Fr)\b|\d[.,](?:-|–)/u

/** The number of leading rows that name the columns: those that are bold, shaded or underlined, if no other row is, else a guess from the rows below.
 * @param styles for each style, whether each row has it */
export function headerRowsOf(rows: readonly (readonly string[])[], ...styles: (readonly boolean[])[]): number {
  for (const styled of styles) {
    const count = styled.indexOf(false)
    const below = styled.slice(count)
    const tells = count > 0 && count < 4 && below.filter(Boolean).length <= below.length / 3
    if (tells && !rows[0]!.some((text) => amountKind(text) === 'price')) return count
  }
  if (!rows[0] || !hasHeader(rows)) return 0
  return goesOn(rows) ? 2 : 1
}

/** The number of leading rows that are lines above the table: a single text, or few cells such as "Valid from | 1 March". */
export function titleRowsOf(rows: readonly (readonly string[])[]): number {
  const usual = mostFrequent(rows.map((row) => row.filter(Boolean).length))
  const first = rows.findIndex((row) => {
    const texts = row.filter(Boolean)
    const isShort = usual > 3 && texts.length * 2 <= usual && row.slice(0, texts.length).every(Boolean)
    const isName = row.length === 2 && !row[0]
    return isName || (new Set(texts).size > 1 && !isShort)
  })
  return first < 0 ? rows.length : first
}

/** The text of a row that is not part of a table. */
export function lineOf(row: readonly string[]): string {
  return [...new Set(row.filter(Boolean))].join(' ')
}

function hasHeader([first, ...rest]: readonly (readonly string[])[]): boolean {
  return !first!.some((text, column) => {
    const kind = amountKind(text)
    return kind !== 'text' && rest.some((row) => amountKind(row[column] ?? '') === kind)
  })
}

/** True if the second row names columns, too: it has words above amounts, and nothing in the first column but a merged text. */
function goesOn([first, second, ...rest]: readonly (readonly string[])[]): boolean {
  if (!second || (second[0] && second[0] !== first![0]) || second.some((text) => amountKind(text) !== 'text'))
    return false
  return second.some(
    (text, column) => text && column > 0 && rest.some((row) => amountKind(row[column] ?? '') !== 'text'),
  )
}

/** Columns of tables that stand side by side in one grid: apart by a blank column, or with the same names again. */
export function columnGroups(rows: readonly (readonly string[])[]): number[][] {
  const columns = columnIndexes(rows)
  const used = columns.filter((column) => rows.some((row) => row[column]))
  const groups = used.reduce<number[][]>((all, column) => {
    if (all.at(-1)?.at(-1) === column - 1) all.at(-1)!.push(column)
    else all.push([column])
    return all
  }, [])
  const kinds = new Set(groups.map((group) => listKind(rows.map((row) => group.map((column) => row[column] ?? '')))))
  if (groups.length > 1 && kinds.size === 1 && !kinds.has(undefined)) return groups
  const names = rows.find((row) => used.every((column) => row[column])) ?? []
  const half = used.length / 2
  const isTwice = used.every((column, at) => at < half || names[column] === names[used[at - half]!])
  const repeats = half > 1 && isTwice && new Set(names.slice(0, used[half])).size >= half
  return repeats ? [used.slice(0, half), used.slice(half)] : [columns]
}

export function columnIndexes(rows: readonly (readonly string[])[]): number[] {
  return [...Array(rows.reduce((most, row) => Math.max(most, row.length), 0)).keys()]
}

/** The kind of amount at the end of rows that begin with a label, if most rows do. */
export function listKind(rows: readonly (readonly string[])[]): string | undefined {
  const filled = rows.map((row) => row.filter(Boolean)).filter((row) => row.length > 0)
  const kinds = filled.filter(([label]) => isLabel(label!)).map((row) => amountKind(row.at(-1)!))
  const amounts = kinds.filter((kind) => kind === 'price' || kind === 'number')
  return amounts.length > 1 && amounts.length >= 0.6 * (filled.length - 2) ? amounts[0] : undefined
}

export function isLabel(text: string): boolean {
  return /\p{L}{2}/u.test(text) && amountKind(text) === 'text'
}

const maxPrice = 20
const price = /^(?:(?:[€$£] ?)?\d[\d.,]*[.,](?:\d\d|-|–)(?: ?(?:[€$£]|[A-Z]{3}))?|[€$£] ?\d+|\d+ ?[€$£])$/u

/** The price that a line ends with, '' without one or with nothing else. */
export function priceAtEnd(text: string): string {
  if (!isLabel(text)) return ''
  const end = text.slice(-maxPrice)
  return (
    end
      .split('')
      .map((_, at) => end.slice(at))
      .find((ending) => price.test(ending)) ?? ''
  )
}

export function amountKind(text: string): 'text' | 'price' | 'percentage' | 'time' | 'quantity' | 'number' {
  if (!isAmount(text)) return 'text'
  if (currency.test(text)) return 'price'
  if (text.includes('%')) return 'percentage'
  if (/\d:\d\d/.test(text)) return 'time'
  return /\d ?\p{L}/u.test(text) ? 'quantity' : 'number'
}

export function isAmount(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0
  const begins = /^[^\p{L}]{0,3}\d|^[A-Z]{3} \d/u.test(text)
  return begins && digits >= 0.3 * text.replace(/\s/g, '').length && !/^(19|20)\d\d$/.test(text)
}

/** The number of columns that most rows have, the larger one of two. */
export function mostFrequent(numbers: readonly number[]): number {
  const counts = [...groupBy(numbers, (number) => number)].map(([number, { length }]) => ({ number, length }))
  return counts.sort((a, b) => b.length - a.length || b.number - a.number)[0]?.number ?? 0
}

/** The texts of a row of a Markdown table. */
export function tableCells(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
  return cells.map((cell) =>
    cell
      .replaceAll('\\|', '|')
      .replaceAll(/~~[^~]*~~|\*\*|__|<br ?\/?>/g, ' ')
      .trim(),
  )
}

/** True if the row below a header names columns, too: the header has a name above several. */
export function namesColumns([corner, ...header]: readonly string[], [first, ...row]: readonly string[]): boolean {
  if (first && corner && first !== corner) return false
  const isShared = header.some((text, i) => i > 0 && (text === '' || text === header[i - 1]))
  const isNames = header.every((text, i) => (row[i] ? /\p{L}|["″]/u.test(row[i]) : text !== ''))
  return isShared && isNames && row.some(Boolean)
}
