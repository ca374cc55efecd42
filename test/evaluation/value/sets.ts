import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { toMarkdown } from '../../../shared/text/markdown.ts'
import { normalized } from '../ask.ts'

export interface TableQuestion {
  question: string
  /** The one document of the knowledge base that is asked. */
  document: { title: string; content: string }
  kind?: string | undefined
  /** Null where no cell answers. */
  answer: ExpectedCell | null
}

interface ExpectedCell {
  text?: string
  row?: string[]
  /** The row's other cells: a code is named by the text beside it. */
  beside?: string[]
  column?: string[]
}

type FoundCell = { text: string; row: string[]; column: string[] } | null | undefined

/** Questions of documents/*.md (questions.json) or of tables as CSV (questions.csv with file and value). */
export function tableQuestions(folder: string): TableQuestion[] {
  if (existsSync(join(folder, 'questions.json'))) return handMade(folder)
  const rows: Record<string, string>[] = parse(readFileSync(join(folder, 'questions.csv')), { columns: true })
  return rows.map(({ question = '', file = '', value = '' }) => {
    const options = { relax_column_count: true, relax_quotes: true, escape: '\\' } as const
    const cells: string[][] = parse(readFileSync(join(folder, file), 'utf8').replaceAll('""', '\\"'), options)
    const content = toMarkdown([{ kind: 'table', rows: cells, headerRows: 1 }])
    return { question, document: { title: '', content }, answer: { text: value } }
  })
}

function handMade(folder: string): TableQuestion[] {
  const questions: (ExpectedCell & { question: string; document: string; kind?: string; answer: string | null })[] =
    JSON.parse(readFileSync(join(folder, 'questions.json'), 'utf8'))
  return questions.map(({ question, kind, document, answer, row, column }) => {
    const [title = '', ...lines] = readFileSync(join(folder, 'documents', document), 'utf8').split('\n')
    const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()))
    const beside = cells.find(([, first]) => first === row?.at(-1))
    return {
      question,
      kind,
      document: { title: title.replace('# ', ''), content: lines.join('\n').trim() },
      answer: answer === null ? null : { text: answer, row: row!, beside: beside ?? [], column: column! },
    }
  })
}

export function isRightCell(found: FoundCell, answer: ExpectedCell | null): boolean {
  if (!found || !answer) return !found && !answer
  const isSame = (a: string[], b: string[] | undefined) => !b || normalized(a.join(': ')) === normalized(b.join(': '))
  const isRow = isSame(found.row, answer.row) || answer.beside?.includes(found.row.at(-1)!)
  return key(found.text) === key(answer.text ?? '') && isRow === true && isSame(found.column, answer.column)
}

const key = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.,-]+/gu, ' ')
    .trim()

const several =
  /\b(?:most|least|fewest|more|less|fewer|\w+est|total|combined|difference|average|sum|before|after|next|previous|previously|prior|following|follows|last|first|second|third|final|same|either|than|except|besides|between|above|below|top|bottom|listed|best|worst|times|longer|earlier|later|higher|lower|another|immediately)\b/i

/** True if one look-up answers: no word orders or compares, and the question has half of another cell of the row, which at most half of the rows have. */
export function isLookUp({ question, document, answer }: TableQuestion): boolean {
  if (several.test(question) || !answer?.text) return false
  const rows = document.content
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map(key),
    )
  const text = key(answer.text)
  const asked = new Set(key(question).split(/[^\p{L}\p{N}]+/u))
  const isNamed = (cell: string) => {
    const words = cell.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
    const met = words.filter((word) => asked.has(word))
    return met.some((word) => word.length > 3 || /\d/.test(word)) && met.length * 2 >= words.length
  }
  const isTelling = (cell: string) => rows.filter((row) => row.includes(cell)).length * 2 <= rows.length
  return rows.some((row) => row.includes(text) && row.some((cell) => cell !== text && isNamed(cell) && isTelling(cell)))
}
