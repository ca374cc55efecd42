type Row = Record<string, unknown>

export type Output = object | { data: object[]; has_more?: boolean }

export function print(output: Output, asJson: boolean): void {
  console.log(asJson ? JSON.stringify(output) : toText(output))
  if (!asJson && 'has_more' in output && output.has_more) console.error('There are more rows: raise --limit.')
}

function toText(output: Output): string {
  if (!('data' in output)) return fields(output as Row).join('\n')
  const rows = output.data as Row[]
  return rows.length === 0 ? 'None.' : table(rows).join('\n')
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

function table(rows: Row[]): string[] {
  const names = Object.keys(rows[0]!)
  return align([names, ...rows.map((row) => names.map((name) => show(row[name])))])
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

function show(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(show).join(', ') || '-'
  return onOneLine(isPlain(value) ? JSON.stringify(value) : String(value))
}

/** Replaces control characters: a customer's title must not move the operator's cursor. */
export function onOneLine(text: string): string {
  return text.trim().replace(/\p{Cc}+/gu, ' ')
}
