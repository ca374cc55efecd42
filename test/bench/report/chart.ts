import { ours } from '../part.ts'
import { figureOf, type Measured, type Run } from './run.ts'

const width = 720
const panel = { left: 64, right: 190, height: 250, gap: 64, top: 44 }
const colors: Record<string, string> = {
  [ours]: '#d1495b',
  'LangChain, indexed by hand': '#30638e',
  LangChain: '#8fb8de',
  Mastra: '#6b8f71',
  clustered: '#d1495b',
  scattered: '#edae49',
  'off-centre': '#30638e',
  sparse: '#6b8f71',
  'near-duplicate': '#8d6a9f',
}

interface Line {
  name: string
  /** Size of the agent, figure. */
  points: [number, number][]
}

/** Latency of all and recall of ours, over the agent's size. */
export function toChart(run: Run): string {
  const measurements = run.parts.flatMap(({ name, measurements: each }) =>
    each.map((measured) => ({ part: name, ...measured })),
  )
  const latency = measurements.filter(
    ({ part, unit, figure }) => part === 'search' && unit === 'ms' && figure === undefined,
  )
  const recall = measurements.filter(({ part }) => part === 'recall')
  const kinds = [...new Set(recall.map(({ work }) => work.split(',')[0]!))]
  const height = 2 * (panel.top + panel.height) + panel.gap + 30
  const table = latency[0]?.work.replace(/.* of ([\d,]+):.*/, '$1') ?? '0'
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#333" role="img">`,
    `<title>Search latency and recall over the size of an agent</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    drawPanel(0, `Search: median ms by the agent’s chunks, in a table of ${table}`, linesOf(latency), 'log'),
    drawPanel(
      panel.top + panel.height + panel.gap,
      `${ours}: recall@10 by the agent’s chunks, by kind of vectors`,
      kinds.map((kind) => ({
        name: kind,
        points: pointsOf(
          recall.filter(({ work }) => work.startsWith(`${kind},`)),
          ours,
        ),
      })),
      'recall',
    ),
    '</svg>\n',
  ].join('\n')
}

function linesOf(measured: Measured[]): Line[] {
  const names = Object.keys(measured[0]?.contestants ?? {})
  return names.map((name) => ({ name, points: pointsOf(measured, name) }))
}

function pointsOf(measured: Measured[], name: string): [number, number][] {
  return measured.flatMap((each): [number, number][] => {
    const figure = figureOf(each, each.contestants[name])
    return each.size === undefined || figure === undefined ? [] : [[each.size, figure]]
  })
}

function drawPanel(offset: number, title: string, lines: Line[], scale: 'log' | 'recall'): string {
  const points = lines.flatMap((line) => line.points)
  if (points.length === 0) return ''
  const sizes = [...new Set(points.map(([size]) => size))].sort((a, b) => a - b)
  const values = points.map(([, value]) => value)
  const ticks = scale === 'log' ? powersAround(values) : recallTicks(Math.min(...values))
  const top = offset + panel.top
  const bottom = top + panel.height
  const right = width - panel.right
  const place = scale === 'log' ? Math.log : (value: number) => value
  const x = between(Math.log(sizes[0]!), Math.log(sizes.at(-1)!), panel.left + 12, right)
  const y = between(place(ticks[0]!), place(ticks.at(-1)!), bottom, top)
  const labels = apart(lines.map(({ points: each }) => y(place(each.at(-1)![1]))))
  return [
    `<text x="${panel.left}" y="${offset + 26}" font-size="14" font-weight="600">${title}</text>`,
    ...ticks.map((tick) => {
      const at = y(place(tick)).toFixed(1)
      return `<path d="M${panel.left} ${at}H${right}" stroke="#e4e4e4"/><text x="${panel.left - 8}" y="${at}" dy="4" text-anchor="end">${tick}</text>`
    }),
    ...sizes.map(
      (size) =>
        `<text x="${x(Math.log(size)).toFixed(1)}" y="${bottom + 18}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    ...lines.map(({ name, points: each }, i) => {
      const at = each.map(([size, value]) => [x(Math.log(size)).toFixed(1), y(place(value)).toFixed(1)] as const)
      const color = colors[name] ?? '#777'
      const dots = at.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`).join('')
      const label = `<text x="${right + 10}" y="${labels[i]!.toFixed(1)}" dy="4" fill="${color}" font-weight="${name === ours ? 700 : 400}">${name}</text>`
      return `<path d="M${at.map((point) => point.join(' ')).join('L')}" fill="none" stroke="${color}" stroke-width="${name === ours ? 3 : 1.8}"/>${dots}${label}`
    }),
  ].join('\n')
}

function between(from: number, to: number, start: number, end: number) {
  return (value: number) => (to === from ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start))
}

function powersAround(values: number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...values)))
  const last = Math.ceil(Math.log10(Math.max(...values)))
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i))
}

function recallTicks(lowest: number): number[] {
  if (lowest >= 0.95) return [0.95, 0.96, 0.97, 0.98, 0.99, 1]
  return lowest >= 0.8 ? [0.8, 0.85, 0.9, 0.95, 1] : [0, 0.25, 0.5, 0.75, 1]
}

/** Moves labels down until each has a line of its own. */
function apart(positions: number[]): number[] {
  const moved = [...positions]
  let lowest = Number.NEGATIVE_INFINITY
  for (const i of positions
    .keys()
    .toArray()
    .sort((a, b) => positions[a]! - positions[b]!)) {
    moved[i] = Math.max(positions[i]!, lowest + 15)
    lowest = moved[i]
  }
  return moved
}
