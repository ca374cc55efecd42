import { deflateSync } from 'node:zlib'
import type { UnreadableCode } from '../../functions/extraction/text/unreadable.ts'
import { pagePdf, pdfOf, shown, stream } from './pdf-of.ts'
import { type ZipEntry, zipOf } from './zip-of.ts'

export interface HostileFile {
  what: string
  fileName: string
  make: () => Buffer
  /** One of these codes, or text that matches: several where it is a matter of the machine. */
  outcome: (UnreadableCode | RegExp)[]
  /** Takes long to make or to read: left to the thorough run. */
  isSlow?: true
}

const megabyte = 2 ** 20
const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const sheetSpace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

const types = (part: string, type: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="${type}"/></Types>`
const relation = (target: string) =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${target}"/></Relationships>`

export function docxOf(body: string, more: ZipEntry[] = [], prolog = ''): Buffer {
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
  return zipOf([
    { name: '[Content_Types].xml', content: types('word/document.xml', type) },
    { name: '_rels/.rels', content: relation('word/document.xml') },
    {
      name: 'word/document.xml',
      content: `<?xml version="1.0"?>${prolog}<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>`,
    },
    ...more,
  ])
}

export function paragraph(text: string): string {
  return `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
}

export function xlsxOf(sheet: string, strings = ''): Buffer {
  const rels = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>${strings && '<Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/>'}</Relationships>`
  return zipOf([
    {
      name: '[Content_Types].xml',
      content: types('xl/workbook.xml', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'),
    },
    { name: '_rels/.rels', content: relation('xl/workbook.xml') },
    {
      name: 'xl/workbook.xml',
      content: `<?xml version="1.0"?><workbook xmlns="${sheetSpace}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Prices" sheetId="1" r:id="r1"/></sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: rels },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<?xml version="1.0"?><worksheet xmlns="${sheetSpace}">${sheet}</worksheet>`,
    },
    ...(strings ? [{ name: 'xl/sharedStrings.xml', content: strings }] : []),
  ])
}

/** Slides of paragraphs. */
export function pptxOf(slides: readonly (readonly string[])[]): Buffer {
  const main = 'http://schemas.openxmlformats.org/presentationml/2006/main'
  const drawing = 'http://schemas.openxmlformats.org/drawingml/2006/main'
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const listed = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="r${index}"/>`).join('')
  const targets = slides.map(
    (_, index) => `<Relationship Id="r${index}" Type="${relations}/slide" Target="slides/slide${index}.xml"/>`,
  )
  const shape = (texts: readonly string[]) =>
    `<p:sp><p:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`
  return zipOf([
    {
      name: '[Content_Types].xml',
      content: types(
        'ppt/presentation.xml',
        'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml',
      ),
    },
    { name: '_rels/.rels', content: relation('ppt/presentation.xml') },
    {
      name: 'ppt/presentation.xml',
      content: `<?xml version="1.0"?><p:presentation xmlns:p="${main}" xmlns:r="${relations}"><p:sldIdLst>${listed}</p:sldIdLst></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      content: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.join('')}</Relationships>`,
    },
    ...slides.map((texts, index) => ({
      name: `ppt/slides/slide${index}.xml`,
      content: `<?xml version="1.0"?><p:sld xmlns:p="${main}" xmlns:a="${drawing}"><p:cSld><p:spTree>${shape(texts)}</p:spTree></p:cSld></p:sld>`,
    })),
  ])
}

const inline = (cell: string, text: string) => `<c r="${cell}" t="inlineStr"><is><t>${text}</t></is></c>`
const compound = (...streams: string[]) =>
  Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(511),
    ...streams.map((name) => Buffer.from(name, 'utf16le')),
    Buffer.alloc(2048),
  ])
const odsOf = (content: string) =>
  zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    {
      name: 'content.xml',
      content: `<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Prices">${content}</table:table></office:spreadsheet></office:body></office:document-content>`,
    },
  ])
const flatTree = (pages: number) => {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ')
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array<string>(pages).fill('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>'),
  ])
}
const random = (bytes: number) => {
  const file = Buffer.alloc(bytes)
  let state = 1
  for (let at = 0; at + 4 <= bytes; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    file.writeUInt32LE((state ^ (state >>> 16)) >>> 0, at)
  }
  return file
}
const laughs = (text: string) =>
  `<!DOCTYPE x [<!ENTITY a "${text}">${'bcdefghij'
    .split('')
    .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghij'[index]};`.repeat(10)}">`)
    .join('')}]>`
function encoded(text: string, encoding: 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be'): Buffer {
  const bytes = encoding.startsWith('utf-16') ? 2 : 4
  const letters = [...text].map((letter) => {
    const code = Buffer.alloc(bytes)
    if (encoding.endsWith('le')) code.writeUIntLE(letter.charCodeAt(0), 0, bytes)
    else code.writeUIntBE(letter.charCodeAt(0), 0, bytes)
    return code
  })
  return Buffer.concat(letters)
}
const half = (file: Buffer) => file.subarray(0, file.length / 2)
const anyFault: HostileFile['outcome'] = ['damaged', 'scan', 'no_text', 'too_complex']

export const hostileFiles: HostileFile[] = [
  { what: 'an empty file', fileName: 'empty.pdf', make: () => Buffer.alloc(0), outcome: ['empty'] },
  { what: 'blanks alone', fileName: 'blank.txt', make: () => Buffer.from(' \n\t '), outcome: ['no_text'] },
  { what: 'signs alone', fileName: 'signs.txt', make: () => Buffer.from('… — 🚲\n'), outcome: ['no_text'] },
  {
    what: '50 MB of zero bytes',
    fileName: 'zeros.txt',
    make: () => Buffer.alloc(50 * megabyte),
    outcome: ['unsupported'],
  },
  {
    what: '50 MB of random bytes',
    fileName: 'random.docx',
    make: () => random(50 * megabyte),
    outcome: ['unsupported'],
  },
  {
    what: 'a picture',
    fileName: 'menu.pdf',
    make: () => Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
    outcome: ['image'],
  },
  {
    what: 'a photograph',
    fileName: 'menu.docx',
    make: () => Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0', 'latin1'),
    outcome: ['image'],
  },
  { what: 'an old Word document', fileName: 'old.docx', make: () => compound('WordDocument'), outcome: ['old_word'] },
  { what: 'an old workbook', fileName: 'old.xlsx', make: () => compound('Workbook'), outcome: ['old_excel'] },
  {
    what: 'an old presentation',
    fileName: 'old.pptx',
    make: () => compound('PowerPoint Document'),
    outcome: ['old_powerpoint'],
  },
  {
    what: 'a compound file of another program',
    fileName: 'mail.docx',
    make: () => compound('__substg1.0'),
    outcome: ['unsupported'],
  },
  {
    what: 'a document with a password',
    fileName: 'secret.docx',
    make: () => compound('EncryptionInfo', 'EncryptedPackage'),
    outcome: ['encrypted'],
  },
  {
    what: 'a PDF with a password',
    fileName: 'secret.pdf',
    make: () =>
      pagePdf(
        shown('Hello'),
        '',
        `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> /P -4 >> /ID [<00> <00>]`,
      ),
    outcome: ['encrypted'],
  },
  {
    what: 'an encrypted zip entry',
    fileName: 'secret.docx',
    make: () => zipOf([{ name: 'word/document.xml', content: 'x', flags: 1 }]),
    outcome: ['encrypted'],
  },
  {
    what: 'a zip of documents',
    fileName: 'all.zip',
    make: () => zipOf([{ name: 'a.docx', content: docxOf(paragraph('Hello')) }]),
    outcome: ['archive'],
  },
  {
    what: 'a zip within a zip, twelve deep',
    fileName: 'deep.docx',
    make: () => {
      let zip = zipOf([{ name: 'a.txt', content: 'x' }])
      for (let depth = 0; depth < 12; depth++) zip = zipOf([{ name: 'word.zip', content: zip }])
      return zip
    },
    outcome: ['archive'],
  },
  {
    what: 'a document of Pages',
    fileName: 'letter.pages',
    make: () => zipOf([{ name: 'Index/Document.iwa', content: 'x' }]),
    outcome: ['pages'],
  },
  {
    what: 'a book',
    fileName: 'book.epub',
    make: () => zipOf([{ name: 'mimetype', content: 'application/epub+zip' }]),
    outcome: ['unsupported'],
  },
  {
    isSlow: true,
    what: 'a gigabyte in a zip entry',
    fileName: 'bomb.docx',
    make: () => docxOf('', [{ name: 'word/media/a.bin', content: Buffer.alloc(1024 * megabyte) }]),
    outcome: ['suspicious'],
  },
  {
    what: 'a zip entry that holds 300 times what it says',
    fileName: 'lie.docx',
    make: () =>
      docxOf('', [{ name: 'word/media/a.bin', content: Buffer.alloc(300 * megabyte), claimedSize: megabyte }]),
    outcome: ['damaged'],
  },
  {
    what: 'a zip of 60,000 entries',
    fileName: 'many.docx',
    make: () =>
      docxOf(
        paragraph('Hello'),
        Array.from({ length: 60_000 }, (_, index) => ({ name: `x/${index}`, content: '' })),
      ),
    outcome: ['suspicious'],
  },
  {
    what: 'entities that laugh a billion times',
    fileName: 'laughs.docx',
    make: () => docxOf(paragraph('&j;'), [], laughs('ha')),
    outcome: ['suspicious'],
  },
  {
    what: 'an entity that reads a file',
    fileName: 'passwd.docx',
    make: () => docxOf(paragraph('&x;'), [], '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    outcome: ['suspicious'],
  },
  {
    what: 'a workbook with entities',
    fileName: 'laughs.xlsx',
    make: () => xlsxOf('<sheetData/>', `${laughs('ha')}<sst><si><t>&j;</t></si></sst>`),
    outcome: ['suspicious'],
  },
  {
    what: 'entities behind a megabyte of blanks',
    fileName: 'late.docx',
    make: () => docxOf(paragraph('&j;'), [], ' '.repeat(megabyte) + laughs('ha')),
    outcome: ['suspicious'],
  },
  {
    what: 'an entity that begins in one piece of an unpacked stream and ends in the next',
    fileName: 'seam.docx',
    make: () => docxOf(paragraph('&a;'), [], `${' '.repeat(65_498)}<!DOCTYPE x [<!ENTITY a "ha">]>`),
    outcome: ['suspicious'],
  },
  ...(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'] as const).map(
    (encoding): HostileFile => ({
      what: `entities in ${encoding}, in a part of any name`,
      fileName: 'wide.docx',
      make: () => docxOf(paragraph('Hello'), [{ name: 'word/notes.bin', content: encoded(laughs('ha'), encoding) }]),
      outcome: ['suspicious'],
    }),
  ),
  {
    what: 'a picture that declares entities, as drawing programs write them',
    fileName: 'picture.docx',
    make: () => docxOf(paragraph('Hello'), [{ name: 'word/media/image1.svg', content: laughs('ha') }]),
    outcome: [/^Hello$/],
  },
  {
    what: 'elements in 100,000 levels',
    fileName: 'deep.docx',
    make: () => docxOf('<w:tbl><w:tr><w:tc>'.repeat(100_000)),
    outcome: ['too_complex', 'damaged'],
  },
  {
    what: 'a single cell in the last corner of a sheet',
    fileName: 'corner.xlsx',
    make: () =>
      xlsxOf(
        `<sheetData><row r="1">${inline('A1', 'Price')}</row><row r="1048576">${inline('XFD1048576', 'far')}</row></sheetData>`,
      ),
    outcome: ['too_complex'],
  },
  {
    what: 'a cell in the last row of a sheet',
    fileName: 'bottom.xlsx',
    make: () =>
      xlsxOf(
        `<sheetData><row r="1">${inline('A1', 'Price')}${inline('E1', 'Time')}</row><row r="1048576">${inline('A1048576', 'far')}${inline('E1048576', 'away')}</row></sheetData>`,
      ),
    outcome: [/Price.*far/s, 'too_complex'],
  },
  {
    what: 'a sheet that says it is the largest',
    fileName: 'claim.xlsx',
    make: () =>
      xlsxOf(`<dimension ref="A1:XFD1048576"/><sheetData><row r="1">${inline('A1', 'Price')}</row></sheetData>`),
    outcome: [/Price/],
  },
  {
    what: 'a cell merged over the whole sheet',
    fileName: 'merged.xlsx',
    make: () =>
      xlsxOf(
        `<sheetData><row r="1">${inline('A1', 'Price')}</row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`,
      ),
    outcome: [/Price/],
  },
  {
    what: 'a cell of 30 MB',
    fileName: 'cell.xlsx',
    make: () =>
      xlsxOf(
        '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>',
        `<sst xmlns="${sheetSpace}"><si><t>${'price '.repeat(5 * megabyte)}</t></si></sst>`,
      ),
    outcome: ['too_much_text', 'suspicious'],
  },
  {
    what: 'a cell that is repeated 2 billion times',
    fileName: 'repeat.ods',
    make: () =>
      odsOf(
        '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>',
      ),
    outcome: ['too_complex'],
  },
  {
    what: 'a hidden column of an OpenDocument sheet',
    fileName: 'hidden.ods',
    make: () =>
      odsOf(
        '<table:table-column table:visibility="collapse"/><table:table-row><table:table-cell><text:p>4.00</text:p></table:table-cell></table:table-row>',
      ),
    outcome: ['hidden_parts'],
  },
  {
    what: 'a document with macros',
    fileName: 'macros.docm',
    make: () => docxOf(paragraph('Open on Sundays'), [{ name: 'word/vbaProject.bin', content: 'Shell("rm")' }]),
    outcome: [/^Open on Sundays$/],
  },
  {
    what: 'half a Word document',
    fileName: 'half.docx',
    make: () => half(docxOf(paragraph('Hello '.repeat(1000)))),
    outcome: ['damaged'],
  },
  {
    what: 'a PDF without its end',
    fileName: 'half.pdf',
    make: () => half(pagePdf(shown('Hello '.repeat(1000)))),
    outcome: [...anyFault, /Hello/],
  },
  {
    what: 'a PDF of pictures',
    fileName: 'scan.pdf',
    make: () => pagePdf('q 600 0 0 800 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID 0 EI Q'),
    outcome: ['scan'],
  },
  { what: 'a PDF of 100,000 pages', fileName: 'pages.pdf', make: () => flatTree(100_000), outcome: ['too_many_pages'] },
  {
    what: 'a page tree that holds itself',
    fileName: 'loop.pdf',
    make: () => pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 4000 >>']),
    outcome: anyFault,
  },
  {
    what: 'a PDF that says it has two billion pages',
    fileName: 'count.pdf',
    make: () => pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 2000000000 >>']),
    outcome: ['too_many_pages', ...anyFault],
  },
  {
    isSlow: true,
    what: 'a page that unpacks to a gigabyte',
    fileName: 'flate.pdf',
    make: () => pagePdf(deflateSync(Buffer.alloc(1024 * megabyte, ' ')), '/Filter /FlateDecode'),
    outcome: ['too_complex', 'scan', 'damaged'],
  },
  {
    isSlow: true,
    what: 'a page that shows ten million texts',
    fileName: 'shows.pdf',
    make: () =>
      pagePdf(
        deflateSync(Buffer.from(`BT /F 12 Tf 50 700 Td ${'(price) Tj '.repeat(10_000_000)}ET`)),
        '/Filter /FlateDecode',
      ),
    outcome: ['too_complex', 'too_much_text'],
  },
  {
    isSlow: true,
    what: 'a page of 300,000 lines',
    fileName: 'lines.pdf',
    make: () =>
      pagePdf(
        deflateSync(
          Buffer.from(
            `${shown('Opening hours of the shop')} ${'50 50 m 90 50 l S 50 50 m 50 90 l S '.repeat(150_000)}`,
          ),
        ),
        '/Filter /FlateDecode',
      ),
    outcome: [/Opening hours/, 'too_complex'],
  },
  {
    what: 'arrays in a million levels',
    fileName: 'arrays.pdf',
    make: () =>
      pdfOf([`<< /Type /Catalog /Pages 2 0 R /X ${'['.repeat(1_000_000)} >>`, '<< /Type /Pages /Kids [] /Count 0 >>']),
    outcome: anyFault,
  },
  {
    what: 'cross references that lead back to themselves',
    fileName: 'prev.pdf',
    make: () =>
      Buffer.from(
        pagePdf(shown('Hello from the workshop')).toString('latin1').replace('/Root 1 0 R', '/Prev 9 /Root 1 0 R'),
        'latin1',
      ),
    outcome: [...anyFault, /Hello/],
  },
  {
    what: 'forms that paint one another',
    fileName: 'forms.pdf',
    make: () =>
      pdfOf([
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /A 5 0 R >> >> >>',
        stream('/A Do '.repeat(50)),
        stream(
          '/A Do '.repeat(50),
          '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A 5 0 R >> >>',
        ),
      ]),
    outcome: anyFault,
  },
  {
    what: 'a PDF that runs a script when it is opened',
    fileName: 'script.pdf',
    make: () =>
      pdfOf([
        '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
        stream(shown('Open on Sundays from ten')),
        '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ]),
    outcome: [/^Open on Sundays from ten$/],
  },
  {
    what: 'a page in a million levels',
    fileName: 'deep.html',
    make: () => Buffer.from(`<!doctype html>${'<div>'.repeat(1_000_000)}Hello`),
    outcome: ['too_complex'],
  },
  {
    what: 'a table cell over a billion columns',
    fileName: 'span.html',
    make: () =>
      Buffer.from(
        `<!doctype html><table>${'<tr><td colspan=1000000000 rowspan=1000000000>Price<td>€5</tr>'.repeat(2000)}</table>`,
      ),
    outcome: ['too_complex', 'too_much_text'],
  },
  {
    isSlow: true,
    what: '200,000 open elements of style',
    fileName: 'style.html',
    make: () => Buffer.from(`<!doctype html>${'<p><b><i>price '.repeat(200_000)}`),
    outcome: ['too_complex', 'too_much_text', /price/],
  },
  {
    isSlow: true,
    what: '20 MB of angle brackets',
    fileName: 'angles.html',
    make: () => Buffer.from(`<!doctype html>${'<'.repeat(20 * megabyte)}`),
    outcome: ['too_much_text', 'too_complex'],
  },
  {
    what: 'a page that loads and runs',
    fileName: 'load.html',
    make: () =>
      Buffer.from(
        '<!doctype html><script src="http://127.0.0.1:9/x.js"></script><img src="http://127.0.0.1:9/x.png"><p>Open on Sundays<iframe src="file:///etc/passwd"></iframe>',
      ),
    outcome: [/^Open on Sundays$/],
  },
  {
    what: '45 MB of rows',
    fileName: 'rows.csv',
    make: () => Buffer.from('part;price\n'.repeat(4 * megabyte)),
    outcome: ['too_much_text'],
  },
  {
    what: 'a quote that never ends',
    fileName: 'quote.csv',
    make: () => Buffer.from(`a;b\n"${'price;'.repeat(megabyte / 2)}`),
    outcome: [/price/],
  },
  {
    what: 'a million quotes',
    fileName: 'quotes.csv',
    make: () => Buffer.from('"'.repeat(megabyte)),
    outcome: ['no_text', /"/],
  },
  {
    what: 'a row of a million columns',
    fileName: 'wide.csv',
    make: () => Buffer.from(`${'a;'.repeat(megabyte / 2)}\n${'1;'.repeat(megabyte / 2)}\n`),
    outcome: [/a/],
  },
  {
    what: 'groups in a million levels',
    fileName: 'deep.rtf',
    make: () => Buffer.from(`{\\rtf1 ${'{'.repeat(1_000_000)}Hello`),
    outcome: ['too_complex', 'damaged', 'no_text', /Hello/],
  },
  {
    what: '40 MB of one line',
    fileName: 'line.txt',
    make: () => Buffer.alloc(40 * megabyte, 'a.'),
    outcome: ['too_much_text'],
  },
  {
    what: 'characters that no database takes',
    fileName: 'odd.txt',
    make: () => Buffer.from('\ufeffOpen\0\u0007 on\ud800 Sundays\r\nand\r\rMondays', 'utf16le'),
    outcome: [/^Open on\ufffd Sundays\nand\n\nMondays$/],
  },
]
