import { ours, service } from '../part.ts'
import { figureOf, type Measured, type Run } from './run.ts'
import { short, withUnit } from './table.ts'

/** The rows of the README: a part, the work as its measurement names it, and the words for it. */
const rows = [
  ['ingest', /^1 document of/, 'Ingest, 1 document of 1,000 chunks'],
  ['ingest', /^100 documents of 10 chunks$/, 'Ingest, 100 documents of 10 chunks'],
  ['search', /^33 chunks of [\d,]+: p50$/, 'Search by meaning, 33 chunks'],
  ['search', /^33 chunks .*away: p50$/, 'The same, 1 ms away from the database'],
  ['search', /^1,000 chunks of [\d,]+: p50$/, 'Search by meaning, 1,000 chunks'],
  ['search', /^1,000 chunks .*: both arms/, 'Hybrid search, 1,000 chunks'],
  ['search', /^20,000 chunks of [\d,]+: p50$/, 'Search by meaning, 20,000 chunks'],
  ['search', /^20,000 chunks .*: by words, p50$/, 'Search by words, 20,000 chunks'],
  ['search', /^60,000 chunks of [\d,]+: p50$/, 'Search by meaning, 60,000 chunks'],
  ['sessions', /^33 chunks, semantic: p50$/, 'Search by meaning, 33 chunks, on a fresh session of the database'],
  [
    'sessions',
    /^1,000 chunks, hybrid, not loaded: p50$/,
    'Hybrid search, 1,000 chunks, of an agent that the instance has not loaded',
  ],
  ['inside', /^1,000 chunks: both arms, p50$/, 'Hybrid search in the caller’s process, 1,000 chunks'],
  ['inside', /^20,000 chunks: both arms, p50$/, 'The same, 20,000 chunks'],
  ['inside', /^20,000 chunks: by meaning, p50$/, 'Search by meaning in the caller’s process, 20,000 chunks'],
  ['inside', /^60,000 chunks: by meaning, p50$/, 'The same, 60,000 chunks'],
  [
    'inside',
    /^1,000 chunks: with the built-in encoder/,
    'Hybrid search there, its vector made by the built-in encoder',
  ],
  ['inside', /^1,000 chunks: from a replica/, 'From a replica on the caller’s machine, 1,000 chunks'],
  ['cold-start', /^documents: import and first request/, 'New Lambda instance, import and first request'],
] as const

/** The README with its figures replaced by those of the run. @throws Error when it has no place for them */
export function withFigures(readme: string, run: Run): string {
  return withSection(readme, 'npm run bench', toMarkdown(run))
}

/** The README with what that command last wrote replaced. @throws Error when it has no place for it */
export function withSection(readme: string, command: string, markdown: string): string {
  const [begin, end] = ['begin', 'end'].map((side) => `<!-- ${command} -- --readme: ${side} -->`) as [string, string]
  const [before, rest] = readme.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`the page has no place for the figures of ${command}`)
  return `${before}${begin}\n${markdown}\n${end}${after}`
}

function toMarkdown(run: Run): string {
  const measured = (part: string) => run.parts.find(({ name }) => name === part)?.measurements ?? []
  const shown = rows.flatMap(([part, work, label]) => {
    const found = measured(part).find((each) => work.test(each.work))
    return found ? [{ label, found }] : []
  })
  return [
    '| medians | Cuecard | best peer | | a vector service |',
    '|---|---|---|---|---|',
    ...shown.map(({ label, found }) => toRow(label, found)),
    ...recallRow(measured('recall')),
    '',
    ...new Set([...shown.flatMap(({ found }) => found.remark ?? []), ...run.remarks]),
    '',
    `<sub>${run.startedAt.slice(0, 10)}: ${run.machine}; ${run.server}; Node ${run.versions.node}; 205,000 chunks in the table. Every figure and its
spread: [run.json](test/bench/results/run.json).</sub>`,
  ].join('\n')
}

function toRow(label: string, { unit, contestants, bestPeer, ratio }: Measured): string {
  const figure = (name: string) => withUnit(contestants[name]!.median, unit)
  const asked = contestants[service] && `${service} ${figure(service)}`
  const peer = bestPeer === undefined ? '–' : `${bestPeer} ${figure(bestPeer)}`
  return `| ${label} | ${figure(ours)} | ${peer} | ${ratio === undefined ? '' : ratioText(ratio)} | ${asked ?? ''} |`
}

/** Differences of less than a twentieth are noise. */
const even = 0.95

function ratioText(ratio: number): string {
  if (ratio < even) return `**${short(1 / ratio)} × slower**`
  return ratio > 1 / even ? `${short(ratio)} × faster` : 'even'
}

function recallRow(measurements: Measured[]): string[] {
  if (measurements.length === 0) return []
  const lowest = Math.min(...measurements.map((each) => figureOf(each, each.contestants[ours]!)))
  return [`| Recall@10, the lowest of 5 kinds of vectors up to 100,000 chunks | ${short(lowest)} | 1: exact | | |`]
}
