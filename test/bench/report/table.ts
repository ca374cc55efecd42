import { ours } from '../part.ts'
import { figureOf, type Measured, type Run } from './run.ts'

const heads = ['', ours, 'middle half', 'best peer', '', 'ratio']

/** The whole run as one table of text. */
export function toTable(run: Run): string {
  const lines: string[][] = [heads]
  for (const { title, error, measurements } of run.parts) {
    lines.push([title], ...measurements.map(toLine))
    const remarks = measurements.map(({ remark }) => remark)
    for (const remark of new Set([...remarks, error])) if (remark) lines.push([`    (${remark})`])
  }
  const widths = heads.map((_, column) =>
    Math.max(...lines.filter((line) => line.length > 1).map((line) => line[column]!.length)),
  )
  const padded = (cell: string, column: number) =>
    column === 0 || column === 3 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
  return lines
    .map((line) => (line.length === 1 ? line[0]!.replace(/^(?! )/, '\n') : line.map(padded).join('  ').trimEnd()))
    .join('\n')
}

function toLine(measured: Measured): string[] {
  const { work, unit, contestants, bestPeer, ratio } = measured
  const { lower, upper } = contestants[ours]!
  const figure = (name: string) => withUnit(figureOf(measured, contestants[name]!), unit)
  return [
    `  ${work}`,
    figure(ours),
    `${short(lower)}–${short(upper)}`,
    bestPeer ?? '',
    bestPeer ? figure(bestPeer) : '',
    ratio === undefined ? '' : `${short(ratio)} ×`,
  ]
}

export function withUnit(value: number, unit: string): string {
  return `${short(value)}${unit && ` ${unit}`}`
}

/** Three significant digits, thousands separated. */
export function short(value: number): string {
  if (value === 0) return '0'
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}
