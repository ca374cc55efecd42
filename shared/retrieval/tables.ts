import { namesColumns, tableCells } from '../text/table-header.ts'
import type { Hit } from './schemas.ts'

export interface TableRow {
  /** The group, if any, and the row's own header. */
  path: string[]
  cells: string[]
}

export interface HitTable {
  hit: Pick<Hit, 'chunk_id' | 'document_title' | 'content' | 'metadata'>
  /** The document's title, the headings and the line above. */
  context: string[]
  /** The headers above each column, outermost first. */
  columns: string[][]
  rows: TableRow[]
}

const isDelimiter = (line: string) => line.includes('|') && line.includes('-') && /^[\s|:-]+$/.test(line)
/** Longer passages and wider tables are a client’s own. */
const maxCharacters = 8000
const maxColumns = 40
/** Joins the texts of two header rows when files are read. */
const headerSeam = ': '

/** The Markdown tables of a passage. */
export function tablesIn(hit: HitTable['hit']): HitTable[] {
  const lines = hit.content.slice(0, maxCharacters).split('\n')
  const headings = Array.isArray(hit.metadata.headings) ? hit.metadata.headings : []
  const outer = [hit.document_title, ...headings.filter((heading) => typeof heading === 'string')]
  const tables: HitTable[] = []
  for (let at = 0; at < lines.length; at++) {
    const found = tableAt(lines, at)
    if (!found || found.columns.length > maxColumns) continue
    const { end, ...table } = found
    const above = lines.slice(0, at).findLast((line) => line.trim() !== '')
    tables.push({ hit, context: above ? [...outer, above] : outer, ...table })
    at = end - 1
  }
  return tables
}

/** The table whose header is this line; it ends before the line `end`. */
export function tableAt(lines: readonly string[], at: number) {
  if (!lines[at]!.includes('|') || !isDelimiter(lines[at + 1] ?? '')) return undefined
  const grid: string[][] = []
  let end = at + 2
  for (; end < lines.length && lines[end]!.includes('|'); end++) grid.push(tableCells(lines[end]!))
  return { end, ...tableOf(tableCells(lines[at]!), grid) }
}

function tableOf(header: string[], grid: string[][]): Pick<HitTable, 'columns' | 'rows'> {
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
