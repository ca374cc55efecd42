import { Unreadable } from '../../../../../shared/text/unreadable.ts'
import type { Raster } from './raster.ts'
import { type Core, startedEngine } from './tesseract.ts'

const maxPixels = 50_000_000

/** Decodes a JPEG or PNG with Leptonica, which is inside Tesseract's WebAssembly. @throws Unreadable */
export async function decodedPicture(file: Buffer): Promise<Raster> {
  const { core } = await startedEngine()
  const header = 24
  const pointer = core._malloc(header + file.length + 4)
  try {
    const bytes = pointer + header
    for (let at = 0; at < file.length; at++) core.setValue(bytes + at, file[at]!, 'i8')
    const [format, width, height, ...more] = [0, 4, 8, 12, 16, 20].map((offset) => pointer + offset)
    const isDamaged = core._pixReadHeaderMem(bytes, file.length, format!, width!, height!, ...more) !== 0
    if (isDamaged) throw new Unreadable('damaged')
    if (core.getValue(width!, 'i32') * core.getValue(height!, 'i32') > maxPixels)
      throw new Unreadable('picture_too_large')
    const picture = core._pixReadMem(bytes, file.length)
    if (!picture) throw new Unreadable('damaged')
    const raster = greyOf(core, picture)
    core.setValue(pointer, picture, 'i32')
    core._pixDestroy(pointer)
    return raster
  } finally {
    core._free(pointer)
  }
}

/** Fields of Leptonica's `Pix`, in bytes. */
const fields = { width: 0, height: 4, depth: 8, wordsPerLine: 16, palette: 44, data: 48 }

function greyOf(core: Core, picture: number): Raster {
  const wordAt = (pointer: number) => core.getValue(pointer, 'i32') >>> 0
  const field = (name: keyof typeof fields) => wordAt(picture + fields[name])
  const [width, height, depth, data, palette] = [
    field('width'),
    field('height'),
    field('depth'),
    field('data'),
    field('palette'),
  ]
  const shades = palette ? shadesOf(palette, wordAt) : undefined
  const shadeOf = (value: number) => {
    if (depth === 32) return luminance(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255)
    return depth === 1 ? 255 * (1 - value) : (255 * value) / (2 ** depth - 1)
  }
  const grey = new Uint8Array(width * height)
  const perWord = 32 / depth
  for (let y = 0; y < height; y++) {
    const line = data + 4 * y * field('wordsPerLine')
    for (let x = 0, word = 0; x < width; x++) {
      if (x % perWord === 0) word = wordAt(line + (4 * x) / perWord)
      const value = depth === 32 ? word : (word >>> (32 - depth * ((x % perWord) + 1))) & (2 ** depth - 1)
      grey[y * width + x] = shades ? shades[value]! : shadeOf(value)
    }
  }
  return { width, height, grey }
}

/** A palette's colours have four bytes: blue, green, red, and an unused one. */
function shadesOf(palette: number, wordAt: (pointer: number) => number): number[] {
  const [colours, count] = [wordAt(palette), wordAt(palette + 12)]
  return Array.from({ length: count }, (_, index) => {
    const colour = wordAt(colours + 4 * index)
    return luminance((colour >>> 16) & 255, (colour >>> 8) & 255, colour & 255)
  })
}

export function luminance(red: number, green: number, blue: number): number {
  return 0.3 * red + 0.59 * green + 0.11 * blue
}
