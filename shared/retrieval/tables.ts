import { namesColumns, tableCells } from '../text/table-header.ts'
import type { Hit } from './schemas.ts'

export interface TableRow {
  /** The group, if any, and the row's own header. */
  path: string[]
  cells: string[]
}

export interface PassageTable {
  hit: Pick<Hit, 'chunk_id' | 'document_title' | 'content' | 'metadata'>
  /** The document's title, the headings and a caption above. */
  context: string[]
  /** The headers above each column, outermost first. */
  columns: string[][]
  rows: TableRow[]
}

const isDelimiter = (line: string) => line.includes('|') && line.includes('-') && /^[\s|:-]+$/.test(line)
/** Longer passages and wider tables are a client’s own. */
const maxCharacters = 8000
const maxColumns = 40
/** A longer line above a table is a text of its own. */
const maxCaption = 80
/** The cells of all passages together: reading them is bounded work. */
const maxCells = 700
/** Joins the texts of two header rows when files are read. */
const headerSeam = ': '

/** The document's title and the headings above a passage, outermost first. A client may store anything as headings. */
export function headsOf({
  document_title,
  metadata: { headings },
}: Pick<Hit, 'document_title' | 'metadata'>): string[] {
  return [document_title, ...(Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : [])]
}

/** The Markdown tables of a passage. */
export function tablesIn(hit: PassageTable['hit']): PassageTable[] {
  const lines = hit.content.slice(0, maxCharacters).split('\n')
  const outer = headsOf(hit)
  const tables: PassageTable[] = []
  for (let at = 0; at < lines.length; at++) {
    const found = tableAt(lines, at)
    if (!found || found.columns.length > maxColumns) continue
    const { end, ...table } = found
    const above = lines.slice(0, at).findLast((line) => line.trim() !== '')
    const isCaption = above !== undefined && above.length <= maxCaption && !above.includes('|')
    tables.push({ hit, context: isCaption ? [...outer, above] : outer, ...table })
    at = end - 1
  }
  return tables
}

/** The tables of each passage, as long as all together have few cells. */
export function tablesOf(hits: readonly PassageTable['hit'][]): PassageTable[][] {
  let cells = 0
  return hits.map((hit) =>
    tablesIn(hit).filter(({ rows, columns }) => {
      cells += rows.length * columns.length
      return cells <= maxCells
    }),
  )
}

/** The table whose header is this line; it ends before the line `end`. */
export function tableAt(lines: readonly string[], at: number) {
  if (!lines[at]!.includes('|') || !isDelimiter(lines[at + 1] ?? '')) return undefined
  const grid: string[][] = []
  let end = at + 2
  for (; end < lines.length && lines[end]!.includes('|'); end++) grid.push(tableCells(lines[end]!))
  const header = tableCells(lines[at]!)
  // A row with more cells than the header has a bar in its own text.
  const rows = grid.filter((row) => row.length <= header.length)
  return { end, ...tableOf(header, rows) }
}

function tableOf(header: string[], grid: string[][]): Pick<PassageTable, 'columns' | 'rows'> {
  const heads = grid.length > 1 && namesColumns(header, grid[0]!) ? [handedRight(header), grid[0]!] : [header]
  const columns = header.map((_, column) => {
    const path = heads.flatMap((row) => row[column]?.split(headerSeam) ?? [])
    return path.filter((text, i) => text !== '' && text !== path[i - 1])
  })
  const rows: TableRow[] = []
  let group: string | undefined
  for (const row of grid.slice(heads.length - 1)) {
    const cells = header.map((_, column) => row[column] ?? '')
    const [first = '', ...others] = cells
    if (first && others.length > 0 && others.every((text) => text === '' || (others.length > 1 && text === first))) {
      group = first
      continue
    }
    const own = first || rows.at(-1)?.cells[0] || ''
    rows.push({ path: [group, own].filter((text) => text !== undefined).filter(Boolean), cells: [own, ...others] })
  }
  return { columns, rows }
}

/** Repeats a name above several columns, which only the first of them has. */
function handedRight(header: string[]): string[] {
  let name = ''
  return header.map((text, column) => {
    if (column === 0) return text
    name = text || name
    return name
  })
}
