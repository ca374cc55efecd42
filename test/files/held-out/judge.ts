/** A spoken question about one of the files. */
export interface Question {
  /** The name of the file, which is unique among all languages. */
  file: string
  question: string
  /** A right hit has all of these, and the row. */
  answer: string[]
  /** Words that must be together, if the answer is in a row: in one row of a table, or within 200 characters in this order. */
  row?: string[]
  /** Names or units that must be with the row: in its line, above its column, or above its table. */
  header?: string[]
  /** Words near the row on the page that must not come between its parts, such as the neighbour's price. */
  apart?: string[]
}

export interface Found {
  document_id: string
  content: string
}

const windowCharacters = 200

/** Markdown's escapes and emphasis, white space, width and case do not count. */
export function normalized(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\\(?=[^\w\s])|\*\*/g, '')
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/[–—]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

const holds = (text: string, words: readonly string[] = []) => words.every((each) => text.includes(normalized(each)))
const holdsAny = (text: string, words: readonly string[] = []) => words.some((each) => text.includes(normalized(each)))

export function hasAnswer(content: string, { answer, row }: Question): boolean {
  const text = normalized(content)
  return holds(text, answer) && holds(text, row)
}

/** True if the row is together, without parts of its neighbours, and its header or unit is where a reader looks for it. */
export function isWhole(content: string, question: Question): boolean {
  const lines = content.split('\n')
  const isRow = (line: string) => cellsOf(line).length > 1
  const fits = (line: string) => holds(normalized(line), question.row) && !holdsAny(normalized(line), question.apart)
  return (
    lines.some((line, at) => isRow(line) && fits(line) && hasHeader(lines, at, question)) ||
    isWholeText(lines, question)
  )
}

/** A word counts in its own row, in its table's header above the answer, and in the text above, but not in a header row among the data. */
function hasHeader(lines: readonly string[], at: number, { answer, header = [] }: Question): boolean {
  const above = lines.slice(0, at)
  const column = cellsOf(lines[at]!).findIndex((cell) => holds(normalized(cell), answer))
  const rule = above.findLastIndex((line) => /^\|(\s*:?-+:?\s*\|)+$/.test(line.trim()))
  const name = cellsOf(lines[rule - 1] ?? '')[column] ?? ''
  const seen = [lines[at]!, name, ...above.filter((line) => cellsOf(line).length === 1)].map(normalized)
  return header.every((word) => seen.some((text) => holds(text, [word])))
}

function isWholeText(lines: readonly string[], { row = [], header, apart }: Question): boolean {
  const text = normalized(lines.filter((line) => cellsOf(line).length <= 1).join('\n'))
  const first = normalized(row[0]!)
  for (let from = text.indexOf(first); from >= 0; from = text.indexOf(first, from + 1)) {
    let end = from
    for (const words of row) {
      const found = text.indexOf(normalized(words), end)
      end = found < 0 ? Number.POSITIVE_INFINITY : found + normalized(words).length
    }
    if (end - from > windowCharacters || holdsAny(text.slice(from, end), apart)) continue
    if (holds(text.slice(0, end + windowCharacters), header)) return true
  }
  return false
}

function cellsOf(line: string): string[] {
  const trimmed = line.trim()
  return trimmed.startsWith('|') ? trimmed.slice(1).split(/(?<!\\)\|/) : [trimmed]
}
