// Measures the time and memory that files of 1 MB take in a cold and in a warm process: npm run measure-files -- [--hostile]
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { deflateSync } from 'node:zlib'
import { readerLimits } from '../../functions/extraction/text/extract-text.ts'
import { residentMb } from '../../functions/extraction/text/process-memory.ts'
import { ReaderProcess } from '../../functions/extraction/text/reader-process.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { Unreadable } from '../../shared/text/unreadable.ts'
import { hostileFiles, slowHostileFiles } from './hostile-files.ts'
import { hostilePictures, picturesPdf } from './hostile-pictures.ts'
import { docxOf, epubOf, mailOf, paragraph, pptxOf, xlsxOf } from './office-files.ts'
import { pdfOf, stream } from './pdf-of.ts'
import { zipOf } from './zip-of.ts'

const { values } = parseArgs({ options: { hostile: { type: 'boolean' } } })

let seed = 1
const random = () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}
const letters = 'etaoinshrdlucmfw'
const word = () =>
  Array.from({ length: 2 + random() * 8 }, () => letters[Math.floor(random() * letters.length)]).join('')
const words = (count: number) => Array.from({ length: count }, word).join(' ')

/** About 1 MB each. */
const files: Record<string, () => Buffer> = {
  pdf: () => {
    const pages = Array.from({ length: 420 }, () => {
      const lines = Array.from({ length: 45 }, (_, line) => `1 0 0 1 50 ${760 - line * 16} Tm (${words(14)}) Tj`)
      return deflateSync(Buffer.from(`BT /F 11 Tf ${lines.join('\n')} ET`))
    })
    const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')
    return pdfOf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...pages.flatMap((content, index) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${5 + 2 * index} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
        stream(content, '/Filter /FlateDecode'),
      ]),
    ])
  },
  'scan.pdf': () => {
    const scan = readFileSync(join(import.meta.dirname, 'fixtures/price-list.scan.pdf'), 'latin1')
    const jpeg = Buffer.from(/\xff\xd8.*\xff\xd9/s.exec(scan)![0], 'latin1')
    const size = '/Width 1450 /Height 2020 /ColorSpace /DeviceGray /BitsPerComponent 8'
    return picturesPdf(Array<Buffer>(14).fill(jpeg), `${size} /Filter /DCTDecode`)
  },
  docx: () => docxOf(Array.from({ length: 3_300 }, () => paragraph(words(90))).join('')),
  xlsx: () =>
    xlsxOf(
      `<sheetData>${Array.from({ length: 22_000 }, (_, row) => `<row r="${row + 1}"><c r="A${row + 1}" t="inlineStr"><is><t>${words(4)}</t></is></c>${['B', 'C', 'D'].map((column) => `<c r="${column}${row + 1}"><v>${(random() * 1000).toFixed(2)}</v></c>`).join('')}</row>`).join('')}</sheetData>`,
    ),
  pptx: () => pptxOf(Array.from({ length: 500 }, () => Array.from({ length: 12 }, () => words(45)))),
  rtf: () => Buffer.from(`{\\rtf1 ${Array.from({ length: 1_900 }, () => `${words(90)}\\par `).join('\n')}}`),
  odt: () =>
    zipOf([
      { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' },
      {
        name: 'content.xml',
        content: `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>${Array.from({ length: 3_300 }, () => `<text:p>${words(90)}</text:p>`).join('')}</office:text></office:body></office:document-content>`,
      },
    ]),
  epub: () =>
    epubOf(Array.from({ length: 100 }, () => Array.from({ length: 33 }, () => `<p>${words(90)}</p>`).join(''))),
  eml: () =>
    mailOf(`Content-Type: text/html\n\n${Array.from({ length: 1_900 }, () => `<p>${words(90)}</p>`).join('\n')}`),
  html: () => Buffer.from(shopPage()),
}

function shopPage(): string {
  const card = () =>
    `<li class="product"><div><a href="/products/${word()}"><span>${words(4)}</span><span>€${(random() * 100).toFixed(2)}</span></a><p>${words(12)}</p></div></li>`
  return `<!doctype html><header><nav>${'<a href="/">x</a>'.repeat(200)}</nav></header><main><ul>${Array.from({ length: 4_300 }, card).join('\n')}</ul></main>`
}

const organization = newId() as OrganizationId

if (values.hostile) await measureHostile()
else await measureFiles()

async function measureFiles(): Promise<void> {
  console.log(
    '| file | MB | text, MB | first process, s | warm, s | memory, MB |\n| --- | --- | --- | --- | --- | --- |',
  )
  for (const [extension, make] of Object.entries(files)) {
    const file = make()
    const reader = new ReaderProcess(readerLimits)
    const cold = await timed(reader, file, `a.${extension}`)
    const warm = [await timed(reader, file, `a.${extension}`), await timed(reader, file, `a.${extension}`)]
    const seconds = Math.min(...warm.map((run) => run.seconds))
    const peak = Math.max(cold.peakMb, ...warm.map(({ peakMb }) => peakMb))
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(2)
    console.log(
      `| ${extension} | ${megabytes(file.length)} | ${cold.outcome} | ${cold.seconds.toFixed(2)} | ${seconds.toFixed(2)} | ${peak.toFixed(0)} |`,
    )
    reader.end()
  }
}

async function measureHostile(): Promise<void> {
  const reader = new ReaderProcess(readerLimits)
  console.log('| file | ends as | s | memory, MB |\n| --- | --- | --- | --- |')
  for (const [what, fileName, , make] of [...hostileFiles, ...hostilePictures, ...slowHostileFiles]) {
    const { outcome, seconds, peakMb } = await timed(reader, make(), fileName)
    console.log(`| ${what} | ${outcome} | ${seconds.toFixed(1)} | ${peakMb.toFixed(0)} |`)
  }
  reader.end()
}

async function timed(reader: ReaderProcess, file: Buffer, fileName: string) {
  let peakMb = 0
  const watch = setInterval(async () => {
    peakMb = Math.max(peakMb, (await residentMb(reader.pid)) ?? 0)
  }, 20)
  const start = performance.now()
  const outcome = await reader.read({ file, fileName }, organization).then(
    ({ text }) => `${(Buffer.byteLength(text) / 1e6).toFixed(2)}`,
    (error: unknown) => (error instanceof Unreadable ? `\`${error.code}\`` : Promise.reject(error)),
  )
  const seconds = (performance.now() - start) / 1_000
  clearInterval(watch)
  return { outcome, seconds, peakMb }
}
