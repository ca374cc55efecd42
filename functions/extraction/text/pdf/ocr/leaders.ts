import type { Raster } from './raster.ts'

const dark = 150
/** A leader has at least this many dots of one size, at one distance, which is at most this many heights. */
const [minDots, maxDistance] = [8, 5]
/** The share of its box that a dot fills. */
const minSolid = 0.65

/** Dark pixels that touch each other, such as a letter or a dot. */
interface Spot {
  x0: number
  x1: number
  y0: number
  y1: number
  pixels: number
}
const heightOf = ({ y0, y1 }: Spot) => y1 - y0 + 1
const widthOf = ({ x0, x1 }: Spot) => x1 - x0 + 1

/** Removes the dots that lead from a label to its price, which Tesseract slowly reads as letters. */
export function withoutLeaders(raster: Raster): Raster {
  const grey = raster.grey.slice()
  for (const { x0, x1, y0, y1 } of leaderDots(spotsOf(raster)))
    for (let y = Math.max(0, y0 - 1); y <= Math.min(raster.height - 1, y1 + 1); y++)
      grey.fill(255, y * raster.width + Math.max(0, x0 - 1), y * raster.width + Math.min(raster.width, x1 + 2))
  return { ...raster, grey }
}

function leaderDots(spots: readonly Spot[]): Spot[] {
  const leaders: Spot[][] = []
  for (const spot of spots.toSorted((a, b) => a.x0 - b.x0)) {
    if (!isDot(spot)) continue
    const leader = leaders.findLast((each) => isNext(spot, each))
    if (leader) leader.push(spot)
    else leaders.push([spot])
  }
  return leaders.filter(({ length }) => length >= minDots).flat()
}

/** True for a solid spot as wide as it is high, which no letter is. */
function isDot(spot: Spot): boolean {
  const [width, height] = [widthOf(spot), heightOf(spot)]
  return isLike(width, height) && spot.pixels >= minSolid * width * height
}

function isNext(spot: Spot, leader: readonly Spot[]): boolean {
  const [last, before] = [leader.at(-1)!, leader.at(-2)]
  const distance = spot.x0 - last.x0
  return (
    isLike(heightOf(spot), heightOf(last)) &&
    spot.y0 <= last.y1 &&
    spot.y1 >= last.y0 &&
    distance <= maxDistance * heightOf(last) &&
    (!before || isLike(distance, last.x0 - before.x0))
  )
}

function isLike(a: number, b: number): boolean {
  return Math.min(a, b) >= 0.6 * Math.max(a, b) || Math.abs(a - b) <= 1
}

function spotsOf({ width, height, grey }: Raster): Spot[] {
  const seen = new Uint8Array(grey.length)
  const spots: Spot[] = []
  for (let start = 0; start < grey.length; start++) {
    if (grey[start]! >= dark || seen[start]) continue
    const spot: Spot = { x0: width, x1: 0, y0: height, y1: 0, pixels: 0 }
    const open = [start]
    seen[start] = 1
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)]
      spot.x0 = Math.min(spot.x0, x)
      spot.x1 = Math.max(spot.x1, x)
      spot.y0 = Math.min(spot.y0, y)
      spot.y1 = Math.max(spot.y1, y)
      spot.pixels++
      for (const next of [x > 0 && at - 1, x < width - 1 && at + 1, at - width, at + width]) {
        if (next === false || next < 0 || next >= grey.length || seen[next] || grey[next]! >= dark) continue
        seen[next] = 1
        open.push(next)
      }
    }
    spots.push(spot)
  }
  return spots
}
