import { ours } from '../part.ts'
import { figureOf, type Measured, type Run } from './run.ts'
import { short, withUnit } from './table.ts'

/** The README with its figures replaced by those of the run. @throws Error when it has no place for them */
export function withFigures(readme: string, run: Run): string {
  return withSection(readme, 'npm run bench', toMarkdown(run))
}

/** The README with what that command last wrote replaced. @throws Error when it has no place for it */
export function withSection(readme: string, command: string, markdown: string): string {
  const [begin, end] = ['begin', 'end'].map((side) => `<!-- ${command} -- --readme: ${side} -->`) as [string, string]
  const [before, rest] = readme.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`README.md has no place for the figures of ${command}`)
  return `${before}${begin}\n${markdown}\n${end}${after}`
}

function toMarkdown(run: Run): string {
  const rows = run.parts.flatMap(({ name, title, measurements }) =>
    name === 'recall'
      ? recallRow(measurements)
      : measurements.filter(isShown).map((measured) => toRow(title, measured)),
  )
  return [
    ...(run.isQuick ? ['A quick run, of smaller sizes:', ''] : []),
    '| medians | Cuecard | best peer | |',
    '|---|---|---|---|',
    ...rows,
    '',
    sentenceAbout(run),
    '',
    `<sub>${run.startedAt.slice(0, 10)}: ${run.machine}; ${run.server}; Node ${run.versions.node}. Every figure and its spread:
[run.json](test/bench/results/run.json).</sub>`,
  ].join('\n')
}

/** What only explains another figure stands in the JSON alone. */
function isShown({ work, figure, size }: Measured): boolean {
  if (figure !== undefined || /: buffers/.test(work)) return figure === undefined && size === 20_000
  return !/with full-page images|first load$|every chunk rewritten|among .*: p50|as shipped/.test(work)
}

function toRow(title: string, measured: Measured): string {
  const { work, unit, contestants, bestPeer, ratio, remark } = measured
  const figure = (name: string) => {
    const value = figureOf(measured, contestants[name])
    return value === undefined ? undefined : withUnit(value, unit)
  }
  const own = figure(ours) ?? remark ?? '–'
  const peer = bestPeer === undefined ? '–' : `${bestPeer} ${figure(bestPeer)}`
  return `| ${title.split(/[,:]/)[0]}: ${work} | ${own} | ${peer} | ${ratio === undefined ? '' : ratioText(ratio)} |`
}

/** Differences of less than a twentieth are noise. */
const even = 0.95

function ratioText(ratio: number): string {
  if (ratio < even) return `**${short(1 / ratio)} × slower**`
  return ratio > 1 / even ? `${short(ratio)} × faster` : 'even'
}

function sentenceAbout(run: Run): string {
  const compared = run.parts
    .flatMap(({ measurements }) => measurements.filter(isShown))
    .filter(({ ratio }) => ratio !== undefined)
  const slower = compared.filter(({ ratio }) => ratio! < even).length
  if (slower === 0) return 'No peer is faster in any line.'
  return `In ${slower} of the ${compared.length} lines with a peer, the peer is faster: those marked slower.`
}

function recallRow(measurements: Measured[]): string[] {
  if (measurements.length === 0) return []
  const recalls = measurements.map((measured) => figureOf(measured, measured.contestants[ours])!)
  const kinds = new Set(measurements.map(({ work }) => work.split(',')[0]))
  const largest = Math.max(...measurements.map(({ size }) => size!)).toLocaleString('en')
  const lowest = short(Math.min(...recalls))
  return [
    `| Recall@10: the lowest of ${kinds.size} kinds of vectors, agents of 10 to ${largest} chunks | ${lowest} | 1: exact | |`,
  ]
}
