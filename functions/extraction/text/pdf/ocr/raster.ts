import { type Matrix, product } from '../paint-steps.ts'

/** Grey pixels row by row; 0 is black. */
export interface Raster {
  width: number
  height: number
  grey: Uint8Array
}

/** `matrix` maps the unit square, in which y goes up, to points on the page as shown. */
export interface Picture {
  raster: Raster
  matrix: Matrix
}

export const pointsPerInch = 72
const [minDpi, maxDpi, maxPixels] = [200, 300, 12_000_000]

/** Paints the page as a scanner would see it. Pictures only darken it, so that a mask shows the picture behind it. */
export function painted(
  pictures: readonly Picture[],
  width: number,
  height: number,
): { raster: Raster; scale: number } {
  const finest = Math.max(
    ...pictures.map(({ raster, matrix }) => Math.sqrt((raster.width * raster.height) / area(matrix))),
  )
  const dpi = Math.min(maxDpi, Math.max(minDpi, finest * pointsPerInch))
  const scale = Math.min(dpi / pointsPerInch, Math.sqrt(maxPixels / (width * height)))
  const page = blank(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)))
  for (const { raster, matrix } of pictures) paint(page, raster, product([scale, 0, 0, scale, 0, 0], matrix))
  return { raster: page, scale }
}

export function area([a, b, c, d]: Matrix): number {
  return Math.abs(a * d - b * c)
}

function blank(width: number, height: number): Raster {
  return { width, height, grey: new Uint8Array(width * height).fill(255) }
}

function paint(page: Raster, raster: Raster, [a, b, c, d, e, f]: Matrix): void {
  const determinant = a * d - b * c
  const [xs, ys] = [
    [e, e + a, e + c, e + a + c],
    [f, f + b, f + d, f + b + d],
  ]
  const [left, right] = [Math.max(0, Math.floor(Math.min(...xs))), Math.min(page.width, Math.ceil(Math.max(...xs)))]
  const [top, bottom] = [Math.max(0, Math.floor(Math.min(...ys))), Math.min(page.height, Math.ceil(Math.max(...ys)))]
  const shrink = Math.sqrt((raster.width * raster.height) / Math.abs(determinant))
  const samples = Math.min(4, Math.max(1, Math.round(shrink)))
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      let sum = 0
      for (let j = 0; j < samples; j++)
        for (let i = 0; i < samples; i++) {
          const [dx, dy] = [x + (i + 0.5) / samples - e, y + (j + 0.5) / samples - f]
          const u = ((d * dx - c * dy) / determinant) * raster.width - 0.5
          const v = (1 - (a * dy - b * dx) / determinant) * raster.height - 0.5
          sum += sample(raster, u, v)
        }
      const at = y * page.width + x
      page.grey[at] = Math.min(page.grey[at]!, sum / samples ** 2)
    }
}

/** Interpolates between pixels; white outside. */
export function sample({ width, height, grey }: Raster, x: number, y: number): number {
  if (x <= -1 || y <= -1 || x >= width || y >= height) return 255
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))]
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)]
  const [across, down] = [Math.max(0, x - left), Math.max(0, y - top)]
  const above = grey[top * width + left]! * (1 - across) + grey[top * width + right]! * across
  const below = grey[bottom * width + left]! * (1 - across) + grey[bottom * width + right]! * across
  return above * (1 - down) + below * down
}

/** Turns the raster clockwise by a quarter. */
export function turned({ width, height, grey }: Raster): Raster {
  const result = blank(height, width)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) result.grey[x * height + height - 1 - y] = grey[y * width + x]!
  return result
}
