import { short } from '../../bench/report/table.ts'
import type { Basis, Measured } from '../scenario.ts'
import { type Figures, figuresByOperation, figuresOf, type Quantiles, summarizeSamples } from './figures.ts'

export interface Report {
  basis: Basis
  measured: Measured[]
  /** Date, machine, server and what else to know. */
  circumstances: string
}

export function toMarkdown({ basis, measured, circumstances }: Report): string {
  const alone = measured
    .filter(({ play }) => play.samples.others === undefined)
    .flatMap(({ play }) => play.samples.quiet!)
  const { p99: aloneP99 } = summarizeSamples(alone)
  const held = `The stand holds ${Math.round(basis.held)} requests a second`
  return [
    `${held}; each line is ${basis.seconds} s of load.`,
    '',
    ...tableOf(
      [
        '',
        'offered/s',
        'served/s',
        'others: ms',
        'not served',
        'refused in: ms',
        'quiet: ms',
        '× alone',
        'quiet: not served',
        'queue',
        '',
      ],
      measured.map((each) => lineOf(each, basis, aloneP99)),
    ),
    '',
    '<details><summary>By operation</summary>',
    '',
    ...tableOf(['', 'who', 'operation', 'sent', 'p50 · p95 · p99: ms', 'not served'], measured.flatMap(operationLines)),
    '',
    '</details>',
    '',
    `<sub>${circumstances}</sub>`,
  ].join('\n')
}

function lineOf({ title, play, remarks }: Measured, { seconds }: Basis, aloneP99: number): string[] {
  const { quiet = [], others = [] } = play.samples
  const [ofQuiet, ofOthers] = [figuresOf(quiet), figuresOf(others)]
  const all = figuresOf([...quiet, ...others])
  return [
    title,
    short(all.sent / seconds),
    short(all.served / seconds),
    milliseconds(ofOthers.latency),
    outcomesOf(ofOthers),
    figure(all.refusedP99),
    milliseconds(ofQuiet.latency),
    figure(ofQuiet.latency.p99 / aloneP99),
    outcomesOf(ofQuiet),
    queueOf(play),
    [...remarks, ...(all.lateP99 > 50 ? [`the generator itself was up to ${short(all.lateP99)} ms late`] : [])].join(
      '; ',
    ),
  ]
}

function operationLines({ title, play }: Measured): string[][] {
  return Object.entries(play.samples).flatMap(([who, samples]) =>
    figuresByOperation(samples).map((figures) => [
      title,
      who,
      figures.operation,
      `${figures.sent}`,
      milliseconds(figures.latency),
      outcomesOf(figures),
    ]),
  )
}

function queueOf({ worstBacklog: { documents, oldestSeconds }, drainSeconds }: Measured['play']): string {
  const drained = drainSeconds === undefined ? 'not drained' : `drained in ${short(drainSeconds)} s`
  return `${documents} documents, ${short(oldestSeconds)} s old, ${drained}`
}

function outcomesOf({ outcomes }: Figures): string {
  return Object.entries(outcomes)
    .map(([outcome, count]) => `${count} × ${outcome}`)
    .join(', ')
}

function milliseconds({ p50, p95, p99 }: Quantiles): string {
  return Number.isNaN(p50) ? '' : [p50, p95, p99].map(short).join(' · ')
}

/** Nothing where there is nothing to measure. */
function figure(value: number): string {
  return Number.isNaN(value) ? '' : short(value)
}

function tableOf(head: string[], lines: string[][]): string[] {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`)
}
