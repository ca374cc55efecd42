import type { Ruling } from '../rulings.ts'
import type { Raster } from './raster.ts'

/** Thin lines are pale in a scan. */
const dark = 190
/** In pixels of 300 dpi, where letters have shorter strokes. */
const minLength = 100
const maxThickness = 12
const maxGap = 12

type Run = { at: number; from: number; to: number }
type Line = { first: number; last: number; from: number; to: number; runs: Run[] }

/** Finds the lines of tables, and erases them, since they are taken for letters. In pixels. */
export function takeLines(raster: Raster): Ruling[] {
  return [true, false].flatMap((level) =>
    linesOf(raster, level).map((line) => {
      erase(raster, level, line)
      return { level, at: (line.first + line.last) / 2, from: line.from, to: line.to }
    }),
  )
}

function linesOf(raster: Raster, level: boolean): Line[] {
  let open: Line[] = []
  const lines: Line[] = []
  const outer = level ? raster.height : raster.width
  for (let at = 0; at < outer; at++) {
    const runs = runsOf(raster, level, at)
    for (const run of runs) {
      const line = open.find(
        ({ last, from, to }) => at - last <= 3 && run.from <= to + maxGap && run.to >= from - maxGap,
      )
      if (!line) open.push({ first: at, last: at, from: run.from, to: run.to, runs: [run] })
      else {
        line.runs.push(run)
        ;[line.last, line.from, line.to] = [at, Math.min(line.from, run.from), Math.max(line.to, run.to)]
      }
    }
    lines.push(...open.filter(({ last }) => at - last > 3))
    open = open.filter(({ last }) => at - last <= 3)
  }
  // A line that is not quite level takes more rows; an area does, too, but each of them whole.
  return [...lines, ...open].filter(({ first, last, from, to, runs }) => {
    const covered = runs.reduce((sum, run) => sum + run.to - run.from, 0)
    return last - first <= maxThickness + 0.03 * (to - from) && covered <= maxThickness * (to - from)
  })
}

function runsOf({ width, height, grey }: Raster, level: boolean, at: number): Run[] {
  const [length, start, step] = level ? [width, at * width, 1] : [height, at, width]
  const runs: Run[] = []
  let from = -1
  let last = -1
  for (let place = 0; place <= length; place++) {
    if (place < length && grey[start + place * step]! < dark) {
      if (from < 0) from = place
      last = place
    } else if (from >= 0 && (place - last > 2 || place === length)) {
      if (last - from >= minLength) runs.push({ at, from, to: last + 1 })
      from = -1
    }
  }
  return runs
}

function erase({ width, height, grey }: Raster, level: boolean, { runs }: Line): void {
  for (const { at, from, to } of runs)
    for (let outer = Math.max(0, at - 2); outer <= Math.min((level ? height : width) - 1, at + 2); outer++)
      for (let place = from; place < to; place++) grey[level ? outer * width + place : place * width + outer] = 255
}
