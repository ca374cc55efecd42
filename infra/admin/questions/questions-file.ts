import { CsvError, parse } from 'csv-parse/sync'
import { CommandError } from '../command-error.ts'

export interface Question {
  id: string
  /** What makes it hard, such as `misheard`; undefined where the file does not say. */
  kind: string | undefined
  question: string
  /** What the right passage has; undefined for a question that no document answers. */
  expected: Expected | undefined
}

/** One of both, or both. */
export interface Expected {
  title: string | undefined
  words: string | undefined
}

/** Under which names each column is read, in lower case. */
const columns = {
  id: ['id'],
  kind: ['kind'],
  question: ['question', 'query'],
  title: ['title', 'document', 'document_title'],
  words: ['words', 'passage', 'answer'],
}
type Column = keyof typeof columns

interface Row {
  cells: string[]
  line: number
}

/**
 * The questions of a CSV file (RFC 4180; or with semicolons, as spreadsheets write it in many countries). A question without an
 * id is known by its line; one without a title and words has no answer.
 * @param file its name in messages
 * @throws CommandError that names file and line
 */
export function parseQuestions(text: string, file: string): Question[] {
  return [...questionsByLine(text, file).values()]
}

/** Questions as parseQuestions gives them, by the line where each ends. @throws CommandError */
export function questionsByLine(text: string, file: string): Map<number, Question> {
  const [head, ...rows] = rowsOf(text, file)
  const places = placesOf(head, file)
  if (rows.length === 0) throw new CommandError(`${file} has no questions`)
  const ids = new Set<string>()
  const questions = rows.map(({ cells, line }): [number, Question] => {
    const cell = (column: Column) => cells[places[column]]?.trim() || undefined
    const [id, question, title, words] = [cell('id') ?? `line ${line}`, cell('question'), cell('title'), cell('words')]
    if (question === undefined) throw new CommandError(`${file}, line ${line}: the question is empty`)
    if (ids.has(id)) throw new CommandError(`${file}, line ${line}: an earlier question has the id ${id} too`)
    ids.add(id)
    return [line, { id, kind: cell('kind'), question, expected: title || words ? { title, words } : undefined }]
  })
  return new Map(questions)
}

/** A file with the columns `question`, `title` and `words`. */
export function writeQuestions(questions: readonly Pick<Question, 'question' | 'expected'>[]): string {
  const rows = questions.map(({ question, expected }) => [question, expected?.title, expected?.words])
  return [['question', 'title', 'words'], ...rows].map((row) => `${row.map(quoted).join(',')}\n`).join('')
}

function quoted(cell = ''): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

function rowsOf(text: string, file: string): Row[] {
  const delimiter = /^[^,\r\n]*;/.test(text) ? ';' : ','
  const record_delimiter = ['\r\n', '\n', '\r']
  try {
    const rows = parse(text, { bom: true, info: true, delimiter, record_delimiter, skip_empty_lines: true })
    return (rows as unknown as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      cells: record,
      line: info.lines,
    }))
  } catch (error) {
    if (error instanceof CsvError) throw new CommandError(`${file} is not valid CSV: ${error.message}`)
    throw error
  }
}

/** @returns the index of each column; -1 of one that the file does not have */
function placesOf(head: Row | undefined, file: string): Record<Column, number> {
  const found = (head?.cells ?? []).map((cell) => cell.trim().toLowerCase())
  const places = Object.fromEntries(
    Object.entries(columns).map(([column, names]) => [column, found.findIndex((name) => names.includes(name))]),
  ) as Record<Column, number>
  const has = (column: Column) => places[column] >= 0
  const missing = has('question') ? (has('title') || has('words') ? undefined : '`title` or `words`') : '`question`'
  if (missing === undefined) return places
  const there = found.length > 0 ? `there are: ${found.join(', ')}` : 'the file is empty'
  throw new CommandError(`${file}, line ${head?.line ?? 1}: no column ${missing}; ${there}`)
}
