import { crc32, deflateSync } from 'node:zlib'
import { hostileFile as file, type HostileFile } from './hostile-file.ts'
import { pdfOf, stream } from './pdf-of.ts'

const letters = (text: string) => Buffer.from(text, 'latin1')
const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([letters(type), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** White, of one bit a pixel. */
function pngOf(width: number, height: number, rows = height): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const line = Buffer.alloc(1 + Math.ceil(width / 8), 255)
  line[0] = 0
  const pixels = deflateSync(Buffer.concat(Array<Buffer>(rows).fill(line)), { level: 9 })
  return Buffer.concat([
    letters('\x89PNG\r\n\x1a\n'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A header of this size, without pixels. */
function jpegOf(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc0000b08000000000101110000', 'hex').subarray(0, 13)
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from('ffd8ffdb004300', 'hex'), Buffer.alloc(64, 1), frame, Buffer.from('ffd9', 'hex')])
}

const picturePdf = (width: number, height: number, pixels: Buffer, dictionary: string) =>
  picturesPdf([pixels], `/Width ${width} /Height ${height} ${dictionary}`)

/** A page for each picture. */
export function picturesPdf(pictures: readonly Buffer[], dictionary: string): Buffer {
  const kids = pictures.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pictures.length} >>`,
    stream('q 600 0 0 800 0 0 cm /I Do Q'),
    ...pictures.flatMap((pixels, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 3 0 R /Resources << /XObject << /I ${5 + 2 * index} 0 R >> >> >>`,
      stream(pixels, `/Type /XObject /Subtype /Image ${dictionary}`),
    ]),
  ])
}
const bits = '/ColorSpace /DeviceGray /BitsPerComponent 1'

/** Pictures, and PDFs whose pages are pictures. */
export const hostilePictures: HostileFile[] = [
  file('a PNG of 400 megapixels in 50 kB', 'bomb.png', 'picture_too_large', () => pngOf(20_000, 20_000)),
  file('a PNG of 100 megapixels', 'large.png', 'picture_too_large', () => pngOf(10_000, 10_000)),
  file('a PNG of one pixel', 'dot.png', 'no_text', () => pngOf(1, 1)),
  file('a line of 40 megapixels', 'line.png', ['no_text', 'damaged', 'too_complex'], () => pngOf(40_000_000, 1)),
  file('a PNG that ends too early', 'half.png', ['damaged', 'no_text'], () => pngOf(1_000, 1_000, 500)),
  file('half a PNG', 'half.png', ['damaged', 'no_text'], () => half(pngOf(1_000, 1_000))),
  file('a PNG without pixels', 'empty.png', 'damaged', () => letters('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')),
  file('a JPEG of 400 megapixels', 'bomb.jpg', ['picture_too_large', 'damaged'], () => jpegOf(20_000, 20_000)),
  file('a JPEG without pixels', 'empty.jpg', ['damaged', 'no_text'], () => jpegOf(100, 100)),
  file('a JPEG that is only a mark', 'mark.jpg', 'damaged', () => letters('\xff\xd8\xff\xe0\0\x10JFIF\0')),
  file('a GIF', 'menu.gif', 'image', () => letters('GIF89a\x01\0\x01\0')),
  file('a PDF with a picture of 400 megapixels', 'bomb.pdf', ['no_text', 'image', 'too_complex'], () =>
    picturePdf(20_000, 20_000, deflateSync(Buffer.alloc(50_000_000, 255)), `${bits} /Filter /FlateDecode`),
  ),
]

/** These take seconds each. */
export const slowHostilePictures: HostileFile[] = [
  file('a PDF with a picture that claims too large a size', 'lie.pdf', ['no_text', 'image', 'damaged'], () =>
    picturePdf(6_000, 6_000, Buffer.alloc(100), bits),
  ),
  file('a fax of 36 megapixels in ten bytes', 'fax.pdf', ['no_text', 'image', 'damaged'], () =>
    picturePdf(
      6_000,
      6_000,
      Buffer.alloc(10, 0x26),
      `${bits} /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 6000 /Rows 6000 >>`,
    ),
  ),
  ...['JBIG2Decode', 'JPXDecode', 'DCTDecode'].map((filter) =>
    file(`a picture whose ${filter} cannot be decoded`, 'noise.pdf', ['no_text', 'image', 'damaged'], () =>
      picturePdf(2_000, 2_000, Buffer.alloc(5_000, 'noise'), `${bits} /Filter /${filter}`),
    ),
  ),
]
