import { type Raster, sample } from './raster.ts'

const dark = 150
const block = 24
/** An area darker than this share of the page's paper is coloured, not in shadow. */
const deepestShadow = 0.3
const [maxDegrees, coarse, fine] = [10, 0.5, 0.1]

/** Removes shadows and dull light, so that paper becomes white everywhere. */
export function evenlyLit({ width, height, grey }: Raster): Raster {
  const [columns, rows] = [Math.ceil(width / block), Math.ceil(height / block)]
  const paper = new Float32Array(columns * rows)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      paper[row * columns + column] = brighterHalf(grey, width, height, column * block, row * block)
  const smooth = around(around(paper, columns, rows, Math.max), columns, rows, (a, b) => a + b).map((sum) => sum / 9)
  const least = deepestShadow * [...smooth].sort((a, b) => a - b)[Math.floor(0.9 * smooth.length)]!
  const light: Raster = {
    width: columns,
    height: rows,
    grey: Uint8Array.from(smooth, (value) => Math.max(1, least, value)),
  }
  const lit = new Uint8Array(grey.length)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      const [u, v] = [
        Math.min(columns - 1, Math.max(0, x / block - 0.5)),
        Math.min(rows - 1, Math.max(0, y / block - 0.5)),
      ]
      lit[at] = Math.min(255, (255 * grey[at]!) / sample(light, u, v))
    }
  return { width, height, grey: lit }
}

function brighterHalf(grey: Uint8Array, width: number, height: number, left: number, top: number): number {
  const [right, bottom] = [Math.min(width, left + block), Math.min(height, top + block)]
  const meanFrom = (least: number) => {
    let [sum, count] = [0, 0]
    for (let y = top; y < bottom; y++)
      for (let x = left; x < right; x++) {
        const value = grey[y * width + x]!
        if (value < least) continue
        sum += value
        count++
      }
    return sum / count
  }
  return meanFrom(Math.floor(meanFrom(0)))
}

function around(
  values: Float32Array,
  width: number,
  height: number,
  join: (a: number, b: number) => number,
): Float32Array {
  const clamp = (value: number, end: number) => Math.min(end - 1, Math.max(0, value))
  return values.map((_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)]
    let result: number | undefined
    for (let j = -1; j <= 1; j++)
      for (let i = -1; i <= 1; i++) {
        const value = values[clamp(y + j, height) * width + clamp(x + i, width)]!
        result = result === undefined ? value : join(result, value)
      }
    return result!
  })
}

type Points = { x: Float32Array; y: Float32Array }

/** True if the lines of text run from top to bottom. */
export function liesOnItsSide(raster: Raster): boolean {
  const { x, y } = darkPoints(raster)
  return sharpness({ x: y, y: x }, skew({ x: y, y: x })) > 1.5 * sharpness({ x, y }, skew({ x, y }))
}

/** Makes lines of text level. */
export function levelled(raster: Raster): Raster {
  const { width, height } = raster
  const slope = skew(darkPoints(raster))
  if (Math.abs(slope) < 0.002) return raster
  const grey = raster.grey.map((_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)]
    return sample(raster, x - (y - height / 2) * slope, y + (x - width / 2) * slope)
  })
  return { width, height, grey }
}

function darkPoints({ width, height, grey }: Raster): Points {
  const [x, y]: [number[], number[]] = [[], []]
  const step = 3
  for (let row = 0; row < height; row += step)
    for (let column = 0; column < width; column += step)
      if (grey[row * width + column]! < dark) {
        x.push(column)
        y.push(row)
      }
  const keep = Math.ceil(x.length / 60_000)
  const thinned = (values: number[]) => Float32Array.from(values.filter((_, index) => index % keep === 0))
  return { x: thinned(x), y: thinned(y) }
}

/** The slope at which lines of text are the sharpest. */
function skew(points: Points): number {
  const best = (from: number, to: number, step: number) => {
    let [found, most] = [0, -1]
    for (let degrees = from; degrees <= to; degrees += step) {
      const slope = Math.tan((degrees * Math.PI) / 180)
      const sharp = sharpness(points, slope)
      if (sharp > most) [found, most] = [degrees, sharp]
    }
    return found
  }
  const rough = best(-maxDegrees, maxDegrees, coarse)
  return Math.tan((best(rough - coarse, rough + coarse, fine) * Math.PI) / 180)
}

function sharpness({ x, y }: Points, slope: number): number {
  const counts = new Map<number, number>()
  for (let at = 0; at < x.length; at++) {
    const line = Math.round((y[at]! - x[at]! * slope) / 3)
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  let sum = 0
  for (const count of counts.values()) sum += count * count
  return sum
}
