import { deflateSync } from 'node:zlib'
import { hostileFile as file, type HostileFile, type Outcome } from './hostile-file.ts'
import { docxOf, epubOf, mailOf, odsOf, paragraph, sheetSpace, xlsxOf } from './office-files.ts'
import { pagePdf, pdfOf, shown, stream } from './pdf-of.ts'
import { zipOf } from './zip-of.ts'

const megabyte = 2 ** 20
const times = <T>(length: number, make: (i: number) => T) => Array.from({ length }, (_, i) => make(i))
const inline = (cell: string, text: string) => `<c r="${cell}" t="inlineStr"><is><t>${text}</t></is></c>`
const compound = (...streams: string[]) =>
  Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(511),
    ...streams.map((name) => Buffer.from(name, 'utf16le')),
    Buffer.alloc(2048),
  ])
const flatTree = (pages: number) => {
  const kids = times(pages, (i) => `${i + 3} 0 R`).join(' ')
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
const anyFault: Outcome[] = ['damaged', 'no_text', 'too_complex']

export const hostileFiles: HostileFile[] = [
  file('an empty file', 'empty.pdf', 'empty', () => Buffer.alloc(0)),
  file('only blanks', 'blank.txt', 'no_text', () => Buffer.from(' \n\t ')),
  file('only signs', 'signs.txt', 'no_text', () => Buffer.from('… — 🚲\n')),
  file('50 MB of zero bytes', 'zeros.txt', 'unsupported', () => Buffer.alloc(50 * megabyte)),
  file('random bytes', 'random.docx', 'unsupported', () => random(5 * megabyte)),
  file('an old Word document without its parts', 'old.doc', 'damaged', () => compound('WordDocument')),
  file('an old workbook', 'old.xlsx', 'old_excel', () => compound('Workbook')),
  file('an old presentation', 'old.pptx', 'old_powerpoint', () => compound('PowerPoint Document')),
  file('a message of Outlook', 'mail.eml', 'outlook', () => compound('__substg1.0')),
  file('a compound file of another program', 'plan.docx', 'unsupported', () => compound('Props12')),
  file('a document with a password', 'secret.docx', 'encrypted', () => compound('EncryptionInfo', 'EncryptedPackage')),
  file('a PDF with a password', 'secret.pdf', 'encrypted', () =>
    pagePdf(shown('Hello'), {
      trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> /P -4 >> /ID [<00> <00>]`,
    }),
  ),
  file('an encrypted zip entry', 'secret.docx', 'encrypted', () =>
    zipOf([{ name: 'word/document.xml', content: 'x', flags: 1 }]),
  ),
  file('a zip of documents', 'all.zip', 'archive', () =>
    zipOf([{ name: 'a.docx', content: docxOf(paragraph('Hello')) }]),
  ),
  file('a zip within a zip, twelve deep', 'deep.docx', 'archive', () => {
    let zip = zipOf([{ name: 'a.txt', content: 'x' }])
    for (let depth = 0; depth < 12; depth++) zip = zipOf([{ name: 'word.zip', content: zip }])
    return zip
  }),
  file('a document of Pages', 'letter.pages', 'pages', () => zipOf([{ name: 'Index/Document.iwa', content: 'x' }])),
  file('a book without chapters', 'book.epub', 'damaged', () =>
    zipOf([{ name: 'mimetype', content: 'application/epub+zip' }]),
  ),
  file('a book that is locked to a reader', 'locked.epub', 'encrypted', () =>
    epubOf(
      ['Hello'],
      [{ name: 'META-INF/encryption.xml', content: '<enc:EncryptionMethod Algorithm="xmlenc#aes128-cbc"/>' }],
    ),
  ),
  file('a chapter that a book has 100,000 times', 'again.epub', /^Hello$/, () =>
    epubOf(['Hello'], [], Array<number>(100_000).fill(0)),
  ),
  file('a chapter with entities', 'laughs.epub', 'suspicious', () => epubOf([`${laughs('ha')}&j;`])),
  file('a chapter in 100,000 levels', 'deep.epub', 'too_complex', () => epubOf(['<div>'.repeat(100_000)])),
  file('a book of 30 MB of empty elements', 'empty.epub', ['no_text', 'too_complex'], () =>
    epubOf(['<i/><'.repeat(6 * megabyte)]),
  ),
  file('a mail of parts within parts, 10,000 deep', 'deep.eml', 'too_complex', () =>
    mailOf(times(10_000, (i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`).join('')),
  ),
  file('a mail in a mail, a thousand deep', 'forwarded.eml', /Subject: Fwd/, () =>
    mailOf(`${'Content-Type: message/rfc822\n\nSubject: Fwd\n'.repeat(1_000)}\nHello`),
  ),
  file('a mail with 30 MB of headers', 'headers.eml', ['too_complex', 'too_much_text'], () =>
    mailOf('X-Spam: no\n'.repeat(3 * megabyte)),
  ),
  file(
    'a mail with an attachment of 40 MB',
    'large.eml',
    /^# Hello\n\nFrom: a@b.example\n\nAttachments \(not included\): a.bin$/,
    () =>
      mailOf(
        `Subject: Hello\nContent-Type: application/x-tar; name=a.bin\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n${`${'QUFB'.repeat(19)}\n`.repeat(520_000)}`,
      ),
  ),
  file('a zip entry of 300 times its claimed size', 'lie.docx', 'damaged', () =>
    docxOf('', [{ name: 'word/media/a.bin', content: Buffer.alloc(30 * 1_000_000), claimedSize: 100_000 }]),
  ),
  file('a zip of more than 10,000 entries', 'many.docx', 'suspicious', () =>
    docxOf(
      paragraph('Hello'),
      times(10_001, (i) => ({ name: `x/${i}`, content: '' })),
    ),
  ),
  file('entities that laugh a billion times', 'laughs.docx', 'suspicious', () =>
    docxOf(paragraph('&j;'), [], laughs('ha')),
  ),
  file('an entity that reads a file', 'passwd.docx', 'suspicious', () =>
    docxOf(paragraph('&x;'), [], '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
  ),
  file('a workbook with entities', 'laughs.xlsx', 'suspicious', () =>
    xlsxOf('<sheetData/>', `${laughs('ha')}<sst><si><t>&j;</t></si></sst>`),
  ),
  file('entities behind a megabyte of blanks', 'late.docx', 'suspicious', () =>
    docxOf(paragraph('&j;'), [], ' '.repeat(megabyte) + laughs('ha')),
  ),
  file('an entity that begins in one piece of an unpacked stream and ends in the next', 'seam.docx', 'suspicious', () =>
    docxOf(paragraph('&a;'), [], `${' '.repeat(65_498)}<!DOCTYPE x [<!ENTITY a "ha">]>`),
  ),
  ...(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'] as const).map((encoding) =>
    file(`entities in ${encoding}, in a part of any name`, 'wide.docx', 'suspicious', () =>
      docxOf(paragraph('Hello'), [{ name: 'word/notes.bin', content: encoded(laughs('ha'), encoding) }]),
    ),
  ),
  file('a picture that declares entities, as drawing programs write them', 'picture.docx', /^Hello$/, () =>
    docxOf(paragraph('Hello'), [{ name: 'word/media/image1.svg', content: laughs('ha') }]),
  ),
  file('elements in 100,000 levels', 'deep.docx', ['too_complex', 'damaged'], () =>
    docxOf('<w:tbl><w:tr><w:tc>'.repeat(100_000)),
  ),
  file('a single cell in the last corner of a sheet', 'corner.xlsx', 'too_complex', () =>
    xlsxOf(
      `<sheetData><row r="1">${inline('A1', 'Price')}</row><row r="1048576">${inline('XFD1048576', 'far')}</row></sheetData>`,
    ),
  ),
  file('a sheet that claims the largest size', 'claim.xlsx', /Price/, () =>
    xlsxOf(`<dimension ref="A1:XFD1048576"/><sheetData><row r="1">${inline('A1', 'Price')}</row></sheetData>`),
  ),
  file('a cell merged over the whole sheet', 'merged.xlsx', /Price/, () =>
    xlsxOf(
      `<sheetData><row r="1">${inline('A1', 'Price')}</row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`,
    ),
  ),
  file('a cell that is repeated 2 billion times', 'repeat.ods', 'too_complex', () =>
    odsOf(
      '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>',
    ),
  ),
  file('a hidden column of an OpenDocument sheet', 'hidden.ods', 'hidden_parts', () =>
    odsOf(
      '<table:table-column table:visibility="collapse"/><table:table-row><table:table-cell><text:p>4.00</text:p></table:table-cell></table:table-row>',
    ),
  ),
  file('a document with macros', 'macros.docm', /^Open on Sundays$/, () =>
    docxOf(paragraph('Open on Sundays'), [{ name: 'word/vbaProject.bin', content: 'Shell("rm")' }]),
  ),
  file('half a Word document', 'half.docx', 'damaged', () => half(docxOf(paragraph('Hello '.repeat(1000))))),
  file('a PDF without its end', 'half.pdf', [...anyFault, /Hello/], () => half(pagePdf(shown('Hello '.repeat(1000))))),
  file('a PDF of pictures', 'scan.pdf', 'no_text', () =>
    pagePdf('q 600 0 0 800 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID 0 EI Q'),
  ),
  file('a PDF of 6,000 pages', 'pages.pdf', 'too_many_pages', () => flatTree(6_000)),
  file('a page tree that holds itself', 'loop.pdf', anyFault, () =>
    pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 4000 >>']),
  ),
  file('a PDF that claims two billion pages', 'count.pdf', ['too_many_pages', ...anyFault], () =>
    pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 2000000000 >>']),
  ),
  file('arrays in a million levels', 'arrays.pdf', anyFault, () =>
    pdfOf([`<< /Type /Catalog /Pages 2 0 R /X ${'['.repeat(1_000_000)} >>`, '<< /Type /Pages /Kids [] /Count 0 >>']),
  ),
  file('cross references that lead back to themselves', 'prev.pdf', [...anyFault, /Hello/], () =>
    Buffer.from(
      pagePdf(shown('Hello from the workshop')).toString('latin1').replace('/Root 1 0 R', '/Prev 9 /Root 1 0 R'),
      'latin1',
    ),
  ),
  file('forms that paint one another', 'forms.pdf', anyFault, () =>
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
  ),
  file('a PDF that runs a script when it is opened', 'script.pdf', /^Open on Sundays from ten$/, () =>
    pagePdf(shown('Open on Sundays from ten'), { catalog: '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>' }),
  ),
  file('a page in 100,000 levels', 'deep.html', 'too_complex', () =>
    Buffer.from(`<!doctype html>${'<div>'.repeat(100_000)}Hello`),
  ),
  file('2 MB of links in 300 navigations', 'navigation.html', [/link/, 'too_complex'], () =>
    Buffer.from(`<!doctype html>${'<div class="nav">'.repeat(300)}${'<a href="/">link</a> '.repeat(100_000)}<p>text`),
  ),
  file('a table cell over a billion columns', 'span.html', ['too_complex', 'too_much_text'], () =>
    Buffer.from(
      `<!doctype html><table>${'<tr><td colspan=1000000000 rowspan=1000000000>Price<td>€5</tr>'.repeat(2000)}</table>`,
    ),
  ),
  file('a page that loads and runs', 'load.html', /^Open on Sundays$/, () =>
    Buffer.from(
      '<!doctype html><script src="http://127.0.0.1:9/x.js"></script><img src="http://127.0.0.1:9/x.png"><p>Open on Sundays<iframe src="file:///etc/passwd"></iframe>',
    ),
  ),
  file('45 MB of rows', 'rows.csv', 'too_much_text', () => Buffer.from('part;price\n'.repeat(4 * megabyte))),
  file('a quote that never ends', 'quote.csv', /price/, () => Buffer.from(`a;b\n"${'price;'.repeat(megabyte / 2)}`)),
  file('a million quotes', 'quotes.csv', ['no_text', /"/], () => Buffer.from('"'.repeat(megabyte))),
  file('a row of a million columns', 'wide.csv', /a/, () =>
    Buffer.from(`${'a;'.repeat(megabyte / 2)}\n${'1;'.repeat(megabyte / 2)}\n`),
  ),
  file('groups in a million levels', 'deep.rtf', ['too_complex', 'damaged', 'no_text', /Hello/], () =>
    Buffer.from(`{\\rtf1 ${'{'.repeat(1_000_000)}Hello`),
  ),
  file('40 MB of one line', 'line.txt', 'too_much_text', () => Buffer.alloc(40 * megabyte, 'a.')),
  file('characters that no database accepts', 'odd.txt', /^Open on\ufffd Sundays\nand\n\nMondays$/, () =>
    Buffer.from('\ufeffOpen\0\u0007 on\ud800 Sundays\r\nand\r\rMondays', 'utf16le'),
  ),
]

/** These take long to make or to read. */
export const slowHostileFiles: HostileFile[] = [
  file('a mail of a million parts', 'parts.eml', [/Hello/, 'too_complex', 'too_much_text'], () =>
    mailOf(`Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nHello\n'.repeat(megabyte)}--b--\n`),
  ),
  file('a PDF of 100,000 pages', 'pages.pdf', 'too_many_pages', () => flatTree(100_000)),
  file('a cell in the last row of a sheet', 'bottom.xlsx', [/Price.*far/s, 'too_complex'], () =>
    xlsxOf(
      `<sheetData><row r="1">${inline('A1', 'Price')}${inline('E1', 'Time')}</row><row r="1048576">${inline('A1048576', 'far')}${inline('E1048576', 'away')}</row></sheetData>`,
    ),
  ),
  file('a cell of 30 MB', 'cell.xlsx', ['too_much_text', 'suspicious'], () =>
    xlsxOf(
      '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>',
      `<sst xmlns="${sheetSpace}"><si><t>${'price '.repeat(5 * megabyte)}</t></si></sst>`,
    ),
  ),
  file('a gigabyte in a zip entry', 'bomb.docx', 'suspicious', () =>
    docxOf('', [{ name: 'word/media/a.bin', content: Buffer.alloc(1024 * megabyte) }]),
  ),
  file('a page that unpacks to a gigabyte', 'flate.pdf', ['too_complex', 'no_text', 'damaged'], () =>
    pagePdf(deflateSync(Buffer.alloc(1024 * megabyte, ' ')), { dictionary: '/Filter /FlateDecode' }),
  ),
  file('a page that shows ten million texts', 'shows.pdf', ['too_complex', 'too_much_text'], () =>
    pagePdf(deflateSync(Buffer.from(`BT /F 12 Tf 50 700 Td ${'(price) Tj '.repeat(10_000_000)}ET`)), {
      dictionary: '/Filter /FlateDecode',
    }),
  ),
  file('a page of 300,000 lines', 'lines.pdf', [/Opening hours/, 'too_complex'], () =>
    pagePdf(
      deflateSync(
        Buffer.from(`${shown('Opening hours of the shop')} ${'50 50 m 90 50 l S 50 50 m 50 90 l S '.repeat(150_000)}`),
      ),
      { dictionary: '/Filter /FlateDecode' },
    ),
  ),
  file('200,000 open elements of style', 'style.html', ['too_complex', 'too_much_text', /price/], () =>
    Buffer.from(`<!doctype html>${'<p><b><i>price '.repeat(200_000)}`),
  ),
  file('20 MB of angle brackets', 'angles.html', ['too_much_text', 'too_complex'], () =>
    Buffer.from(`<!doctype html>${'<'.repeat(20 * megabyte)}`),
  ),
]
