import type { ExtractionNote } from '../../../../shared/database/tables.ts'
import type { Block } from '../../../../shared/text/blocks.ts'
import { decodedPicture } from './ocr/leptonica.ts'
import { recognised } from './ocr/recognise.ts'
import { laidOutPages } from './page-layout.ts'
import { notesOn, type Progress } from './page-notes.ts'
import type { Matrix } from './paint-steps.ts'

/** The shorter side of the page that a picture counts as, in points. */
const paperWidth = 595

/** Recognises a JPEG or PNG. @throws Unreadable */
export async function readPicture(
  file: Buffer,
  progress: Progress,
): Promise<{ blocks: Block[]; notes: ExtractionNote[] }> {
  progress(0, 1)
  const raster = await decodedPicture(file)
  const scale = paperWidth / Math.min(raster.width, raster.height)
  const [across, down] = [raster.width * scale, raster.height * scale]
  const orientation = orientationOf(file)
  const [width, height] = orientation > 4 ? [down, across] : [across, down]
  const matrix = placed[orientation]!(width, height)
  const { content, doubtful } = await recognised([{ raster, matrix }], { width, height })
  const [page] = laidOutPages([content])
  return { blocks: page!.blocks, notes: notesOn(1, page!.isDoubtful, doubtful) }
}

/** The matrix that turns a picture upright on its page, by its orientation in EXIF. */
const placed: Record<number, (width: number, height: number) => Matrix> = {
  1: (w, h) => [w, 0, 0, -h, 0, h],
  2: (w, h) => [-w, 0, 0, -h, w, h],
  3: (w, h) => [-w, 0, 0, h, w, 0],
  4: (w, h) => [w, 0, 0, h, 0, 0],
  5: (w, h) => [0, h, -w, 0, w, 0],
  6: (w, h) => [0, h, w, 0, 0, 0],
  7: (w, h) => [0, -h, w, 0, 0, h],
  8: (w, h) => [0, -h, -w, 0, w, h],
}

function orientationOf(file: Buffer): number {
  const start = file.subarray(0, 64 * 1024)
  const exif = start.indexOf('Exif\0\0', 0, 'latin1')
  if (exif < 0 || start[0] !== 0xff) return 1
  const tiff = start.subarray(exif + 6)
  // The tag, its type, one value, and that value.
  const entries = { II: [0x12, 1, 3, 0, 1, 0, 0, 0], MM: [1, 0x12, 0, 3, 0, 0, 0, 1] }
  const entry = entries[tiff.toString('latin1', 0, 2) as 'II' | 'MM']
  const at = entry ? tiff.indexOf(Buffer.from(entry)) : -1
  const value = at < 0 ? 1 : tiff[at + 8] || tiff[at + 9]
  return value && value <= 8 ? value : 1
}
