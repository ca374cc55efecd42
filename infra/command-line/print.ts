import { onOneLine } from './sentence.ts'
import type { Program } from './terminal.ts'

type Row = Record<string, unknown>

export type Output = object | { data: object[]; has_more?: boolean }

interface Format {
  asJson: boolean
  columns?: readonly string[] | undefined
}

export function print(program: Program, output: Output, { asJson, columns }: Format): void {
  program.terminal.stdout.write(`${asJson ? JSON.stringify(output) : toText(output, columns)}\n`)
  if (!asJson && 'has_more' in output && output.has_more) program.warn('There are more rows: raise --limit.')
}

function toText(output: Output, columns?: readonly string[]): string {
  if (!('data' in output)) return fields(output as Row).join('\n')
  const rows = output.data as Row[]
  return rows.length === 0 ? 'None.' : table(rows, columns).join('\n')
}

function fields(row: Row): string[] {
  return align(
    Object.entries(row).flatMap(([name, value]) =>
      isPlain(value)
        ? Object.entries(value).map(([inner, count]) => [`${name} ${inner}`, show(count)])
        : [[name, show(value)]],
    ),
  )
}

const maxCellCharacters = 60

function table(rows: Row[], columns: readonly string[] = Object.keys(rows[0]!)): string[] {
  const names = columns.filter((name) => rows.some((row) => show(row[name]) !== empty))
  return align([names, ...rows.map((row) => names.map((name) => shorten(show(row[name]))))])
}

function shorten(text: string): string {
  const characters = [...text]
  return characters.length > maxCellCharacters ? `${characters.slice(0, maxCellCharacters - 1).join('')}…` : text
}

function align(lines: string[][]): string[] {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

function isPlain(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

const empty = '-'

function show(value: unknown): string {
  if (value === null || value === undefined) return empty
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(show).join(', ') || empty
  return onOneLine(isPlain(value) ? JSON.stringify(value) : String(value))
}
