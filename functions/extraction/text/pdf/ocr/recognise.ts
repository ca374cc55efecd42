import { maxSpace, median, type PageContent, type Word } from '../page-content.ts'
import { withoutLeaders } from './leaders.ts'
import { type Picture, painted, pointsPerInch, type Raster, turned } from './raster.ts'
import { evenlyLit, levelled, liesOnItsSide } from './straighten.ts'
import { type ReadLine, readLines } from './tesseract.ts'

/** Confidences, of 100. */
const [noise, noiseOfLine, doubtful, upsideDown] = [25, 50, 65, 70]
const maxPassages = 20

/** `doubtful` are passages that may be wrong; an empty one stands for the whole page. */
export type RecognisedPage = { content: PageContent; doubtful: string[] }

/** Recognises the text of pictures that are painted on a page of this size, in points. */
export async function recognised(
  pictures: readonly Picture[],
  size: { width: number; height: number },
): Promise<RecognisedPage> {
  const { raster, scale } = painted(pictures, size.width, size.height)
  const lit = evenlyLit(raster)
  const upright = liesOnItsSide(lit) ? turned(lit) : lit
  let read = await readRaster(upright, scale)
  if (read.confidence < upsideDown) {
    const other = await readRaster(turned(turned(upright)), scale)
    if (other.confidence > read.confidence) read = other
  }
  const { width, height } = upright
  const content = { width: width / scale, height: height / scale, words: read.words, turned: [], rulings: [] }
  return { content, doubtful: summed(read.passages, read.words.length) }
}

async function readRaster(raster: Raster, scale: number) {
  const level = withoutLeaders(levelled(raster))
  const lines = await readLines(level, scale * pointsPerInch)
  const body = median(lines.flatMap((line) => line.words.map(() => sizeOf(line))))
  const straight = straightening(lines, level.width / 2)
  const passages: string[] = []
  const words: Word[] = []
  for (const line of lines) {
    const bullet = isBullet(line, body)
    if (!bullet && confidenceOf(line.words) < noiseOfLine) continue
    const size = steadySize(sizeOf(line), body) / scale
    let previous: Word | undefined
    for (const { text: seen, confidence, bbox } of line.words) {
      const text = bullet ? '•' : seen.replace(/^[|[\]]+|(?<![|[\]])[|[\]]+$|[.·…_]{3,}/g, '')
      const isWord = /[\p{L}\p{N}€£$%]/u.test(text)
      if (!bullet && confidence < (isWord ? noise : doubtful)) continue
      const [x0, x1, y] = [bbox.x0 / scale, bbox.x1 / scale, straight((bbox.x0 + bbox.x1) / 2, line) / scale]
      const word = { text, x0, x1, y, size, font: '', bold: false, space: maxSpace }
      // Tesseract has separated these words, so the layout must not join them.
      if (previous) previous.x1 = Math.min(previous.x1, x0 - 0.2 * size)
      words.push(word)
      if (isWord && confidence < doubtful) passages.push(text)
      previous = word
    }
  }
  return { words, passages, confidence: confidenceOf(lines.flatMap((line) => line.words)) }
}

/** True for a single round sign, which Tesseract reads as a full stop or a star. */
function isBullet({ words: [word, ...others] }: ReadLine, body: number): boolean {
  if (!word || others.length > 0 || !/^[^\p{L}\p{N}€£$%&]$/u.test(word.text)) return false
  const [width, height] = [word.bbox.x1 - word.bbox.x0, word.bbox.y1 - word.bbox.y0]
  return Math.abs(width - height) <= 0.3 * height && height >= 0.2 * body && height <= 0.65 * body
}

function confidenceOf(words: ReadLine['words']): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  return words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / (letters || 1)
}

/** Corrects lines' heights by their slopes, which change from top to bottom, since few photos are taken from straight above. */
function straightening(lines: readonly ReadLine[], center: number) {
  let [weights, ys, slopes, squares, products] = [0, 0, 0, 0, 0]
  for (const { baseline } of lines) {
    const width = baseline.x1 - baseline.x0
    const [y, slope, weight] = [baseline.y0, slopeOf(baseline), width ** 2]
    if (!(Math.abs(slope) < 0.06)) continue
    weights += weight
    ys += weight * y
    slopes += weight * slope
    squares += weight * y * y
    products += weight * y * slope
  }
  const spread = weights * squares - ys * ys
  const change = spread > 0 ? (weights * products - ys * slopes) / spread : 0
  const first = weights > 0 ? (slopes - change * ys) / weights : 0
  return (x: number, { baseline }: ReadLine) => {
    const y = baseline.y0 + (x - baseline.x0) * slopeOf(baseline)
    return y - (x - center) * (first + change * y)
  }
}

function slopeOf({ x0, y0, x1, y1 }: ReadLine['baseline']): number {
  return x1 > x0 ? (y1 - y0) / (x1 - x0) : 0
}

/** The font's size, by how far letters rise above the line and hang below it. */
function sizeOf({ words }: ReadLine): number {
  const sizes = words.map(({ text, bbox }) => {
    const rise = /[\p{Lu}\p{N}bdfhkltäöüß€£$%()]/u.test(text) ? 0.72 : 0.53
    return (bbox.y1 - bbox.y0) / (rise + (/[gjpqy()]/.test(text) ? 0.21 : 0))
  })
  return median(sizes)
}

/** Rounds a size, so that errors of measurement do not make headings. */
function steadySize(size: number, body: number): number {
  return body * 1.25 ** Math.round(Math.log(size / body) / Math.log(1.25))
}

function summed(passages: readonly string[], words: number): string[] {
  return passages.length > Math.max(maxPassages, words / 3) ? [''] : passages.slice(0, maxPassages)
}
