import { CsvError, parse } from 'csv-parse/sync'
import { inLine } from '../../../shared/text/plain-line.ts'
import { CommandError } from '../../command-line/command-error.ts'

export interface Question {
  id: string
  /** The difficulty, such as `misheard`; undefined if the file has none. */
  kind: string | undefined
  question: string
  /** The expected passage; undefined if no document answers the question. */
  expected: Expected | undefined
  /** Further settings of a golden question, as the file's text. */
  settings: Partial<Record<(typeof settings)[number], string>>
  /** The caller's earlier turns, oldest first. */
  history: string[]
}

/** Has a title, words or a value. */
export interface Expected {
  title: string | undefined
  words: string | undefined
  /** The text of the answer's value, null if it should have none; undefined if it is not checked. */
  value?: string | null | undefined
}

const settings = ['document_id', 'within', 'on_failure', 'as_of'] as const
/** The cell of `value` if the answer should have none. */
const noValue = '(none)'

/** The accepted names of each column, in lower case. */
const columns = {
  id: ['id'],
  kind: ['kind'],
  language: ['language'],
  question: ['question', 'query'],
  title: ['title', 'document', 'document_title'],
  words: ['words', 'passage', 'answer'],
  document_id: ['document_id'],
  within: ['within'],
  on_failure: ['on_failure'],
  as_of: ['as_of'],
  history: ['history'],
  value: ['value'],
}
type Column = keyof typeof columns

interface Row {
  cells: string[]
  line: number
}

/**
 * Reads the questions of a CSV file (RFC 4180, or with semicolons, as spreadsheets write it in many countries), by the line where each
 * ends. The line is the id of a question without one. A question without title, words and value has no answer.
 * @param file the file's name in messages
 * @throws CommandError with file and line
 */
export function questionsByLine(text: string, file: string): Map<number, Question> {
  const [head, ...rows] = rowsOf(text, file)
  const places = placesOf(head, file)
  if (rows.length === 0) throw new CommandError(`${file} has no questions`)
  const ids = new Set<string>()
  const questions = rows.map(({ cells, line }): [number, Question] => {
    const written = (column: Column) => cells[places[column]]?.trim() ?? ''
    const cell = (column: Column) => unescaped(written(column)) || undefined
    const [id, question, title, words] = [cell('id') ?? `line ${line}`, cell('question'), cell('title'), cell('words')]
    if (question === undefined) throw new CommandError(`${file}, line ${line}: the question is empty`)
    if (ids.has(id)) throw new CommandError(`${file}, line ${line}: an earlier question has the id ${id} too`)
    ids.add(id)
    const value = written('value') === noValue ? null : cell('value')
    const expected = title || words || value !== undefined ? { title, words, value } : undefined
    const turns = (cell('history') ?? '').split(/[\r\n]+/).map(inLine)
    const given = Object.fromEntries(settings.map((column) => [column, cell(column)]))
    return [line, { id, kind: cell('kind'), question, expected, settings: given, history: turns.filter(Boolean) }]
  })
  return new Map(questions)
}

const written = ['question', 'title', 'words', ...settings, 'history', 'value'] as const

type Written = Record<Exclude<(typeof written)[number], 'history'>, string | number | null | undefined>

/** Writes golden questions as a file that `questionsByLine` reads without loss, but for white space around texts and in `history`. */
export function writeQuestions(questions: readonly (Written & { history: string[] })[]): string {
  const rows = questions.map((each) => {
    const cells = { ...each, history: each.history.map(inLine).join('\n') }
    const texts = written.map((column) => quoted(escaped(`${cells[column] ?? ''}`.trim())))
    return each.value === null ? texts.with(written.indexOf('value'), noValue) : texts
  })
  return [written, ...rows].map((row) => `${row.join(',')}\n`).join('')
}

/**
 * A spreadsheet would run a cell that begins like this, and `(none)` stands for no value. A leading `'` makes it text, and is removed
 * when the file is read.
 */
const formula = /^'*(?:[=+\-@＝＋－＠]|\(none\)$)/

function escaped(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell
}

function unescaped(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
}

function quoted(cell: string): string {
  return /[";,\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
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

/** @returns the index of each column; -1 for a column that the file lacks */
function placesOf(head: Row | undefined, file: string): Record<Column, number> {
  const found = (head?.cells ?? []).map((cell) => cell.trim().toLowerCase())
  const places = Object.fromEntries(
    Object.entries(columns).map(([column, names]) => [column, found.findIndex((name) => names.includes(name))]),
  ) as Record<Column, number>
  const has = (column: Column) => places[column] >= 0
  const hasExpected = has('title') || has('words') || has('value')
  const missing = has('question') ? (hasExpected ? undefined : '`title`, `words` or `value`') : '`question`'
  const names = Object.values(columns).flat()
  const unknown = found.find((name) => name !== '' && !names.includes(name))
  if (missing === undefined && unknown === undefined) return places
  const at = `${file}, line ${head?.line ?? 1}`
  if (missing === undefined)
    throw new CommandError(`${at}: unknown column \`${unknown}\`; there may be: ${names.join(', ')}`)
  const there = found.length > 0 ? `there are: ${found.join(', ')}` : 'the file is empty'
  throw new CommandError(`${at}: no column ${missing}; ${there}`)
}
