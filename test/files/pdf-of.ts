/** A PDF of these objects, numbered from 1; the first is the catalog. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let offset = parts[0]!.length
  for (const [index, object] of objects.entries()) {
    const whole = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    offsets.push(offset)
    parts.push(whole)
    offset += whole.length
  }
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const end = `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${offset}\n%%EOF\n`
  return Buffer.concat([...parts, Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}${end}`)])
}

export function stream(content: string | Buffer, dictionary = ''): Buffer {
  const start = Buffer.from(`<< /Length ${Buffer.byteLength(content)} ${dictionary} >>\nstream\n`)
  return Buffer.concat([start, Buffer.from(content), Buffer.from('\nendstream')])
}

/** One page that paints `content`. */
export function pagePdf(content: Buffer | string, { dictionary = '', trailer = '', catalog = '' } = {}): Buffer {
  return pagesPdf([content], { dictionary, trailer, catalog })
}

/** Pages that paint these contents, in Helvetica (`/F`) and its bold (`/B`). */
export function pagesPdf(
  contents: readonly (Buffer | string)[],
  { dictionary = '', trailer = '', catalog = '' } = {},
): Buffer {
  const kids = contents.map((_, index) => `${5 + 2 * index} 0 R`).join(' ')
  const page = '/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R /B 4 0 R >> >>'
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>',
    ...contents.flatMap((content, index) => [
      `<< ${page} /Contents ${6 + 2 * index} 0 R >>`,
      stream(content, dictionary),
    ]),
  ]
  return pdfOf(objects, trailer)
}

export const shown = (text: string) => `BT /F 12 Tf 50 700 Td (${text}) Tj ET`
