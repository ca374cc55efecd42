import type { PDFPageProxy } from 'unpdf/pdfjs'
import { luminance } from './ocr/leptonica.ts'
import { area, type Picture, type Raster } from './ocr/raster.ts'
import { type Matrix, type OperatorList, paintSteps } from './paint-steps.ts'

/** A picture that PDF.js has decoded; a mask has no `kind`, and its zero bits are painted. */
type Decoded = { width: number; height: number; kind?: number; data?: Uint8Array | Uint8ClampedArray | string | null }

/** The pictures of a page that cover at least this share of it, drawn or scanned; masks count as black. */
export async function pagePictures(
  page: PDFPageProxy,
  list: OperatorList,
  operators: Record<string, number>,
  leastShare: number,
): Promise<{ pictures: Picture[]; isIncomplete: boolean }> {
  const { width, height, transform } = page.getViewport({ scale: 1 })
  const pictures: Picture[] = []
  let covered = 0
  let isIncomplete = false
  for (const { operator, parameters, matrix } of paintSteps(list, operators, transform as unknown as Matrix)) {
    if (!Array.isArray(parameters) || area(matrix) < 1) continue
    const isMask = operator === operators.paintImageMaskXObject
    const isPicture = operator === operators.paintImageXObject || operator === operators.paintInlineImageXObject
    if (!isMask && !isPicture) continue
    const raster = greyOf(await decoded(page, parameters[0]), isMask)
    if (raster) pictures.push({ raster, matrix })
    else isIncomplete = true
    covered += raster ? area(matrix) : 0
  }
  return { pictures: covered >= leastShare * width * height ? pictures : [], isIncomplete }
}

/** The picture that PDF.js keeps under an id, or `what` itself. */
async function decoded(page: PDFPageProxy, what: unknown): Promise<Decoded | undefined> {
  if (typeof what === 'object' && what !== null && typeof (what as Decoded).data === 'string')
    return { ...(what as Decoded), ...(await decoded(page, (what as Decoded).data)) }
  if (typeof what !== 'string') return (what as Decoded | null) ?? undefined
  const objects = what.startsWith('g_') ? page.commonObjs : page.objs
  return objects.has(what) ? ((objects.get(what) as Decoded | null) ?? undefined) : undefined
}

function greyOf(picture: Decoded | undefined, isMask: boolean): Raster | undefined {
  if (!picture?.data || typeof picture.data === 'string') return undefined
  const { width, height, data, kind } = picture
  const grey = new Uint8Array(width * height)
  const bytes = kind === 3 ? 4 : 3
  const lineBytes = (width + 7) >> 3
  if (isMask || kind === 1)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        grey[y * width + x] = (data[y * lineBytes + (x >> 3)]! >> (7 - (x & 7))) & 1 ? 255 : 0
  else
    for (let at = 0; at < grey.length; at++)
      grey[at] = luminance(data[at * bytes]!, data[at * bytes + 1]!, data[at * bytes + 2]!)
  return { width, height, grey }
}
