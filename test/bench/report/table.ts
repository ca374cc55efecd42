import { type Goal, ours } from '../part.ts'
import { figureOf, type Measured, type Run } from './run.ts'

const heads = ['', ours, 'middle half', 'best peer', '', 'ratio', 'goal', 'met']

/** The whole run as one table of text. */
export function toTable(run: Run): string {
  const lines: string[][] = [heads]
  for (const { title, error, measurements } of run.parts) {
    lines.push([title])
    for (const measured of measurements) lines.push(toLine(measured))
    const remarks = measurements.map(({ remark }) => remark).filter((remark) => remark !== undefined)
    for (const remark of new Set([...remarks, ...(error ? [error] : [])])) lines.push([`    (${remark})`])
  }
  const widths = heads.map((_, column) =>
    Math.max(...lines.filter((line) => line.length > 1).map((line) => line[column]!.length)),
  )
  return lines
    .map((line) =>
      line.length === 1
        ? line[0]!.replace(/^(?! )/, '\n')
        : line
            .map((cell, column) =>
              column === 0 || column === 3 || column === 6
                ? cell.padEnd(widths[column]!)
                : cell.padStart(widths[column]!),
            )
            .join('  ')
            .trimEnd(),
    )
    .join('\n')
}

function toLine(measured: Measured): string[] {
  const { work, unit, contestants, bestPeer, ratio, goal, met } = measured
  const own = contestants[ours]
  const best = bestPeer === undefined ? undefined : contestants[bestPeer]
  return [
    `  ${work}`,
    own ? withUnit(figureOf(measured, own)!, unit) : '–',
    own ? `${short(own.lower)}–${short(own.upper)}` : '',
    bestPeer ?? '',
    best ? withUnit(figureOf(measured, best)!, unit) : '',
    ratio === undefined ? '' : `${short(ratio)} ×`,
    goal ? goalText(goal, unit) : '',
    met === undefined ? '' : met ? 'yes' : 'no',
  ]
}

function goalText(goal: Goal, unit: string): string {
  if ('atMost' in goal) return `≤ ${withUnit(goal.atMost, unit)}`
  if ('atLeast' in goal) return `≥ ${withUnit(goal.atLeast, unit)}`
  return `≥ ${short(goal.times)} × ${goal.than ?? 'the best peer'}`
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
