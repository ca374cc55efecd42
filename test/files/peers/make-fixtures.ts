// Writes test/files/fixtures anew: node make-fixtures.ts DIRECTORY, with LibreOffice (soffice), chromium, pandoc and python3 on the path.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as docx from 'docx'
import ExcelJS from 'exceljs'
import { jsPDF } from 'jspdf'
import autoTable from 'jspdf-autotable'
import pptxgen from 'pptxgenjs'
import { shop } from './shop.ts'

const target = process.argv[2]!
const work = mkdtempSync(join(tmpdir(), 'cuecard-fixtures-'))
const at = (name: string) => join(work, name)
const keep = (name: string, as = name) => copyFileSync(at(name), join(target, as))

function convert(name: string, to: string, filter = ''): string {
  execFileSync('soffice', ['--headless', '--convert-to', to + filter, '--outdir', at('out'), at(name)], {
    stdio: 'ignore',
  })
  return join('out', name.replace(/\.\w+$/, `.${to}`))
}

function print(name: string, as: string, ...options: string[]): void {
  execFileSync(
    'chromium',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-pdf-header-footer',
      ...options,
      `--print-to-pdf=${at(as)}`,
      at(name),
    ],
    { stdio: 'ignore' },
  )
}

const euro = '[$€-809]#,##0.00'
const amount = (text: string) => Number(text.replace(/[€,]/g, ''))
const cells = (row: string[], tag: string) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')
const htmlTable = ([head, ...rows]: string[][], extra = '') =>
  `<table><thead><tr>${cells(head!, 'th')}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')}${extra}</tbody></table>`

function page(style: string): string {
  const [bike, both, week] = shop.cargo
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fjord Cycles</title><style>${style}</style><script>document.title = 'tracked'</script></head><body>
<nav><a href="/">Home</a> <a href="/shop">Shop now</a></nav>
<h1>${shop.title}</h1><p>${shop.note}</p>
<h2>Repairs</h2>${htmlTable(shop.repairs)}
<h2>Rental</h2>${htmlTable(shop.rental, `<tr><td>${bike}</td><td colspan="2">${both}</td><td>${week}</td></tr>`)}
<h2>Opening hours</h2><ul>${shop.hours.map((line) => `<li>${line}</li>`).join('')}</ul>
<h2>How to rent</h2><ol>${shop.steps.map((line) => `<li>${line}</li>`).join('')}</ol>
<p style="display:none">Purchase price: €4.00</p></body></html>`
}

const pageStyle = 'nav{display:none}'
const styles = {
  ruled: `${pageStyle}table{border-collapse:collapse;width:100%}td,th{border:1px solid #888;padding:4px 8px;text-align:left}`,
  bare: `${pageStyle}table{border-collapse:collapse;width:80%}td,th{padding:3px 10px;text-align:left}`,
  striped: `${pageStyle}table{border-collapse:collapse;width:100%;font:13px sans-serif}td,th{padding:6px 10px;text-align:left}tr:nth-child(even){background:#eee}td:nth-child(3),th:nth-child(3){text-align:right}`,
}

function wordTable([head, ...rows]: string[][], merged?: string[]): docx.Table {
  const cell = (text: string, columnSpan = 1, bold = false) =>
    new docx.TableCell({ columnSpan, children: [new docx.Paragraph({ children: [new docx.TextRun({ text, bold })] })] })
  const last = merged && [cell(merged[0]!), cell(merged[1]!, 2), cell(merged[2]!)]
  return new docx.Table({
    width: { size: 100, type: docx.WidthType.PERCENTAGE },
    rows: [
      new docx.TableRow({ tableHeader: true, children: head!.map((text) => cell(text, 1, true)) }),
      ...rows.map((row) => new docx.TableRow({ children: row.map((text) => cell(text)) })),
      ...(last ? [new docx.TableRow({ children: last })] : []),
    ],
  })
}

async function word(name: string, children: docx.FileChild[], more: object = {}): Promise<void> {
  const decimal = { level: 0, format: docx.LevelFormat.DECIMAL, text: '%1.', alignment: docx.AlignmentType.LEFT }
  const letter = { level: 1, format: docx.LevelFormat.LOWER_LETTER, text: '%2)', alignment: docx.AlignmentType.LEFT }
  const styles = {
    default: Object.fromEntries([1, 2].map((level) => [`heading${level}`, { paragraph: { outlineLevel: level - 1 } }])),
  }
  const numbering = { config: [{ reference: 'steps', levels: [decimal, letter] }] }
  const document = new docx.Document({ title: shop.title, numbering, styles, sections: [{ children }], ...more })
  writeFileSync(at(name), await docx.Packer.toBuffer(document))
}

const heading = (text: string, level: (typeof docx.HeadingLevel)[keyof typeof docx.HeadingLevel]) =>
  new docx.Paragraph({ text, heading: level })
const numbered = (text: string, level = 0) => new docx.Paragraph({ text, numbering: { reference: 'steps', level } })

async function priceListInWord(): Promise<void> {
  await word('price-list.docx', [
    heading(shop.title, docx.HeadingLevel.HEADING_1),
    new docx.Paragraph(shop.note),
    heading('Repairs', docx.HeadingLevel.HEADING_2),
    wordTable(shop.repairs),
    heading('Rental', docx.HeadingLevel.HEADING_2),
    wordTable(shop.rental, shop.cargo),
    heading('Opening hours', docx.HeadingLevel.HEADING_2),
    ...shop.hours.map((text) => new docx.Paragraph({ text, bullet: { level: 0 } })),
    heading('How to rent', docx.HeadingLevel.HEADING_2),
    ...shop.steps.map((text) => numbered(text)),
  ])
  keep('price-list.docx', 'price-list.docx-library.docx')
  keep(convert('price-list.docx', 'odt'), 'price-list.odt')
  keep(convert('price-list.docx', 'rtf'), 'price-list.rtf')
  renameSync(at('out/price-list.odt'), at('price-list.odt'))
  keep(convert('price-list.odt', 'docx', ':MS Word 2007 XML'), 'price-list.docx')
  keep(convert('price-list.odt', 'doc'), 'price-list.doc')
  keep(convert('price-list.odt', 'pdf'), 'price-list.pdf')
  keep(
    convert('price-list.odt', 'pdf', ':writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"true"}}'),
    'price-list.writer-tagged.pdf',
  )
}

async function terms(): Promise<void> {
  const merged = (text: string, rowSpan: number) =>
    new docx.TableCell({ rowSpan, children: [new docx.Paragraph(text)] })
  const cell = (text: string) => new docx.TableCell({ children: [new docx.Paragraph(text)] })
  const rows = [
    [merged('Bikes', 2), cell('City bike'), cell('€50')],
    [cell('Cargo bike'), cell('€150')],
    [cell('Trailers'), cell('Child trailer'), cell('€30')],
  ]
  const deposits = new docx.Table({
    width: { size: 100, type: docx.WidthType.PERCENTAGE },
    rows: [
      new docx.TableRow({ children: ['Group', 'What', 'Deposit'].map(cell) }),
      ...rows.map((children) => new docx.TableRow({ children })),
    ],
  })
  await word(
    'terms.docx',
    [
      heading('Rental conditions', docx.HeadingLevel.TITLE),
      heading('Deposit', docx.HeadingLevel.HEADING_1),
      new docx.Paragraph({
        children: [
          new docx.TextRun('A deposit is due at pick-up'),
          new docx.FootnoteReferenceRun(1),
          new docx.TextRun('.'),
        ],
      }),
      deposits,
      heading('Return', docx.HeadingLevel.HEADING_1),
      heading('Late return', docx.HeadingLevel.HEADING_2),
      numbered('Call the shop.'),
      numbered('By telephone 0451 2345.', 1),
      numbered('Or by mail.', 1),
      numbered('Bring the bike the next morning.'),
      new docx.Paragraph({
        children: [
          new docx.TextRun('Read more on '),
          new docx.ExternalHyperlink({ link: 'https://fjord.example/terms', children: [new docx.TextRun('our page')] }),
        ],
      }),
    ],
    { footnotes: { 1: { children: [new docx.Paragraph('Members pay no deposit.')] } } },
  )
  keep('terms.docx')
}

async function workbooks(): Promise<void> {
  const book = new ExcelJS.Workbook()
  const repairs = book.addWorksheet('Repairs')
  repairs.addRow([shop.title])
  repairs.mergeCells('A1:D1')
  repairs.addRow(['Valid from', new Date(Date.UTC(2026, 2, 1))]).getCell(2).numFmt = 'd mmmm yyyy'
  repairs.addRow([])
  repairs.addRow(shop.repairs[0]!).font = { bold: true }
  for (const [service, code, price, time] of shop.repairs.slice(1))
    repairs.addRow([service, code, amount(price!), time])
  repairs.getColumn(3).numFmt = euro
  const rental = book.addWorksheet('Rental')
  rental.addRow(shop.rental[0]!)
  for (const [bike, ...prices] of shop.rental.slice(1)) rental.addRow([bike, ...prices.map(amount)])
  rental.addRow([shop.cargo[0], amount(shop.cargo[1]!), undefined, amount(shop.cargo[2]!)])
  rental.mergeCells('B4:C4')
  for (const column of [2, 3, 4]) rental.getColumn(column).numFmt = euro
  const hours = book.addWorksheet('Opening hours')
  hours.addRow(['Day', 'Open'])
  for (const line of shop.hours) hours.addRow(line.split(/: (.*)/s).slice(0, 2))
  for (const sheet of [repairs, rental, hours]) for (const column of [1, 2, 3, 4]) sheet.getColumn(column).width = 18
  await book.xlsx.writeFile(at('price-list.xlsx'))
  keep('price-list.xlsx', 'price-list.exceljs.xlsx')
  keep(convert('price-list.xlsx', 'ods'), 'price-list.ods')
  keep(convert('price-list.xlsx', 'pdf'), 'price-list.calc.pdf')
  renameSync(at('out/price-list.ods'), at('price-list.ods'))
  keep(convert('price-list.ods', 'xlsx', ':Calc MS Excel 2007 XML'), 'price-list.xlsx')
}

async function formats(): Promise<void> {
  const book = new ExcelJS.Workbook()
  const sheet = book.addWorksheet('Stock')
  sheet.addRow(['Part', 'Category', 'Price', 'Discount', 'Arrives', 'Opens', 'In all', 'Purchase price'])
  const rows: [string, string | undefined, number, number, Date, number][] = [
    ['Saddle', 'Comfort', 39.5, 0.155, new Date(Date.UTC(2026, 2, 15)), 0.375],
    ['Grip', undefined, 1234.5, 0.1, new Date(Date.UTC(2026, 11, 24, 14, 30)), 0.5],
  ]
  for (const [index, [part, category, price, discount, date, time]] of rows.entries())
    sheet.addRow([part, category, price, discount, date, time, { formula: `C${index + 2}*2`, result: price * 2 }, 4])
  sheet.mergeCells('B2:B3')
  for (const [column, numFmt] of [
    [3, '"$"#,##0.00'],
    [4, '0.0%'],
    [5, 'dd.mm.yyyy'],
    [6, 'h:mm AM/PM'],
    [7, '#,##0.00 [$€-407]'],
    [8, '0.00'],
  ] as const)
    for (const row of [2, 3]) sheet.getCell(row, column).numFmt = numFmt
  sheet.getCell('E3').numFmt = 'd mmm yyyy hh:mm'
  sheet.getColumn(8).hidden = true
  sheet.addRow(['Secret part', 'Hidden', 1, 0, new Date(0), 0, 1, 1]).hidden = true
  book.addWorksheet('Suppliers', { state: 'hidden' }).addRow(['Supplier Meier'])
  const notes = book.addWorksheet('Notes')
  notes.addRow([{ richText: [{ text: 'Ask ' }, { font: { bold: true }, text: 'Jonas' }] }])
  notes.addRow(['Line one\nline two | with a bar'])
  await book.xlsx.writeFile(at('formats.xlsx'))
  keep('formats.xlsx')
}

async function slides(): Promise<void> {
  const deck = new pptxgen()
  const placeholder = (name: 'title' | 'body', y: number, h: number) => ({
    placeholder: { options: { name, type: name, x: 0.5, y, w: 9, h }, text: '' },
  })
  deck.defineSlideMaster({ title: 'Shop', objects: [placeholder('title', 0.2, 1), placeholder('body', 1.4, 3.5)] })
  const slide = (title: string) => {
    const added = deck.addSlide({ masterName: 'Shop' })
    added.addText(title, { placeholder: 'title' })
    return added
  }
  const bullets = (lines: string[], options: object) =>
    lines.map((text) => ({ text, options: { breakLine: true, ...options } }))
  slide(shop.title).addText(shop.note, { placeholder: 'body' })
  const border = { type: 'solid', pt: 1, color: '888888' } as const
  const table = (rows: string[][]) => rows.map((row) => row.map((text) => ({ text })))
  slide('Repairs').addTable(table(shop.repairs), { x: 0.5, y: 1.5, w: 9, border })
  const [bike, both, week] = shop.cargo
  slide('Rental').addTable(
    [...table(shop.rental), [{ text: bike! }, { text: both!, options: { colspan: 2 } }, { text: week! }]],
    { x: 0.5, y: 1.5, w: 9, border },
  )
  slide('Opening hours').addText(bullets(shop.hours, { bullet: true }), { placeholder: 'body' })
  const last = slide('How to rent')
  last.addText(bullets(shop.steps, { bullet: { type: 'number' } }), { placeholder: 'body' })
  last.addNotes('Helmets are free of charge.')
  await deck.writeFile({ fileName: at('price-list.pptx') })
  keep('price-list.pptx', 'price-list.pptxgenjs.pptx')
  keep(convert('price-list.pptx', 'odp'), 'price-list.odp')
  keep(convert('price-list.pptx', 'pdf'), 'price-list.impress.pdf')
  renameSync(at('out/price-list.odp'), at('price-list.odp'))
  keep(convert('price-list.odp', 'pptx', ':Impress MS PowerPoint 2007 XML'), 'price-list.pptx')
}

function texts(): void {
  const markdown = (rows: string[][]) =>
    [rows[0]!, rows[0]!.map(() => '---'), ...rows.slice(1)].map((row) => `| ${row.join(' | ')} |`).join('\n')
  const [bike, both, week] = shop.cargo
  const rental = [...shop.rental, [bike!, both!, both!, week!]]
  const lists = `## Opening hours\n\n${shop.hours.map((line) => `- ${line}`).join('\n')}\n\n## How to rent\n\n${shop.steps.map((line, index) => `${index + 1}. ${line}`).join('\n')}\n`
  writeFileSync(
    join(target, 'price-list.md'),
    `# ${shop.title}\n\n${shop.note}\n\n## Repairs\n\n${markdown(shop.repairs)}\n\n## Rental\n\n${markdown(rental)}\n\n${lists}`,
  )
  const plain = (rows: string[][]) =>
    rows
      .slice(1)
      .map((row) => rows[0]!.map((name, column) => (column === 0 ? row[0] : `${name} ${row[column]}`)).join(', '))
      .join('\n')
  const text = `${shop.title}\n\n${shop.note}\n\nRepairs\n${plain(shop.repairs)}\n\nRental\n${plain(rental)}\n\nOpening hours\n${shop.hours.join('\n')}\n\nHow to rent\n${shop.steps.join('\n')}\n`
  writeFileSync(join(target, 'price-list.txt'), text)
  const rows = [
    ['Group', ...shop.repairs[0]!.slice(0, 3)],
    ...shop.repairs.slice(1).map((row) => ['Repairs', ...row.slice(0, 3)]),
    ['Rental', 'City bike; a day', 'FC-201', '€18.00'],
  ]
  const csv = rows.map((row) => row.map((cell) => (/[;,"]/.test(cell) ? `"${cell}"` : cell)).join(',')).join('\r\n')
  writeFileSync(join(target, 'price-list.csv'), `${csv}\r\n`)
  const german =
    'Artikel;Größe;Preis\r\nSchutzblech;28 Zoll;19,90 €\r\nSattelstütze;27,2 mm;34,50 €\r\nKette, verzinkt;1/8;12,00 €\r\n'
  writeFileSync(join(target, 'windows-1252.csv'), Buffer.from(german.replaceAll('€', '\x80'), 'latin1'))
  writeFileSync(join(target, 'utf-16.csv'), Buffer.from(`\ufeff${german.replaceAll(';', '\t')}`, 'utf16le'))
  writeFileSync(join(target, 'price-list.html'), page(pageStyle))
}

function prints(): void {
  const make = (name: string, html: string, ...options: string[]) => {
    writeFileSync(at(`${name}.html`), html)
    print(`${name}.html`, `${name}.pdf`, ...options)
    keep(`${name}.pdf`)
  }
  make('price-list.chromium-tagged', page(styles.ruled))
  make('price-list.chromium-ruled', page(styles.ruled), '--disable-pdf-tagging')
  make('price-list.chromium-bare', page(styles.bare), '--disable-pdf-tagging')
  make('price-list.chromium-striped', page(styles.striped), '--disable-pdf-tagging')
  const parts = Array.from({ length: 120 }, (_, index) => [
    `SP-${4000 + index}`,
    `Spare part no. ${index}`,
    `€${(((index * 7.35) % 200) + 3).toFixed(2)}`,
    `${index % 9}`,
  ])
  make(
    'parts',
    `<style>${styles.ruled}</style><h1>Spare parts</h1>${htmlTable([['Code', 'Part', 'Price', 'Stock'], ...parts])}`,
    '--disable-pdf-tagging',
  )
  const prose = readFileSync(join(import.meta.dirname, 'flyer.html'), 'utf8')
  make('flyer', prose, '--disable-pdf-tagging')
  const dishes = [
    ['Tomato soup', '€5.40'],
    ['Grilled cod with potatoes', '€17.90'],
    ['Apple pie', '€6.80'],
  ]
  const lines = dishes.map(
    ([dish, price]) =>
      `<div style="display:flex"><span>${dish}</span><span style="flex:1;overflow:hidden;white-space:nowrap">${'.'.repeat(200)}</span><span>${price}</span></div>`,
  )
  make('menu', `<h1>Menu</h1><h2>Kitchen</h2>${lines.join('')}`, '--disable-pdf-tagging')
}

function invoice(): void {
  const pdf = new jsPDF()
  pdf
    .setFontSize(18)
    .text(shop.title, 14, 20)
    .setFontSize(11)
    .text(shop.note, 14, 28)
    .setFontSize(14)
    .text('Repairs', 14, 40)
  const [head, ...body] = shop.repairs.map((row) => row.map((cell) => cell.replace('€', 'EUR ')))
  autoTable(pdf, { startY: 44, head: [head!], body })
  writeFileSync(join(target, 'price-list.jspdf.pdf'), Buffer.from(pdf.output('arraybuffer')))
}

/** Both as a program that is neither ours nor LibreOffice writes them. */
function bookAndMail(): void {
  execFileSync('pandoc', [
    join(target, 'price-list.md'),
    '--metadata',
    `title=${shop.title}`,
    '-o',
    at('price-list.epub'),
  ])
  keep('price-list.epub')
  const program = `import sys
from email.message import EmailMessage
mail = EmailMessage()
mail['From'] = 'Ann Holm <ann@fjord.example>'
mail['To'] = 'agent@fjord.example'
mail['Subject'] = 'Fwd: ' + sys.argv[1]
mail['Date'] = 'Tue, 03 Mar 2026 00:12:00 +0100'
mail['Message-ID'] = '<1@fjord.example>'
mail.set_content('Your program shows no HTML.')
mail.add_alternative(sys.argv[2], subtype='html')
mail.add_attachment(b'%PDF-', maintype='application', subtype='pdf', filename='Größen.pdf')
sys.stdout.buffer.write(bytes(mail))`
  writeFileSync(join(target, 'price-list.eml'), execFileSync('python3', ['-c', program, shop.title, page('')]))
}

/** Two tables beside each other, on a page and in a sheet. */
async function sideBySide(): Promise<void> {
  const [coffee, cakes] = [shop.coffee, shop.cakes]
  const tables = `<div class="c"><h2>Coffee</h2>${htmlTable(coffee)}</div><div class="c"><h2>Cakes</h2>${htmlTable(cakes)}</div>`
  const sheet = (style: string) =>
    `<!doctype html><meta charset="utf-8"><style>body{font:14px sans-serif}td,th{padding:3px 8px;text-align:left}${style}</style><h1>Harbour Café</h1><p>Everything is baked in the house every morning, and we grind the beans for each cup that you order.</p><div class="row">${tables}</div><p style="clear:both">${shop.milk}</p>`
  const make = (name: string, style: string) => {
    writeFileSync(at(`${name}.html`), sheet(style))
    print(`${name}.html`, `${name}.pdf`, '--disable-pdf-tagging')
    keep(`${name}.pdf`)
  }
  make('beside.chromium', '.row{display:flex;gap:40px}')
  make(
    'beside.chromium-ruled',
    '.row{display:flex;gap:40px}table{border-collapse:collapse}td,th{border:1px solid #888}',
  )
  writeFileSync(at('wk.html'), sheet('.c{float:left;width:48%}tr:nth-child(even){background:#eee}table{width:90%}'))
  execFileSync('wkhtmltopdf', ['-q', at('wk.html'), join(target, 'beside.wkhtmltopdf.pdf')], { stdio: 'ignore' })
  const tabular = ([head, ...rows]: string[][]) => {
    const lines = rows.map((row) => `${row.join(' & ').replaceAll('€', 'EUR~')}\\\\`)
    return `\\begin{tabular}{l${'r'.repeat(head!.length - 1)}}\\hline ${head!.join(' & ')}\\\\ \\hline ${lines.join(' ')}\\hline\\end{tabular}`
  }
  const box = (name: string, rows: string[][]) =>
    `\\begin{minipage}[t]{.45\\textwidth}\\subsection*{${name}}${tabular(rows)}\\end{minipage}`
  writeFileSync(
    at('beside.latex.tex'),
    `\\documentclass{article}\\usepackage[margin=2cm]{geometry}\\begin{document}\\section*{Harbour Cafe}Everything is baked in the house every morning, and we grind the beans for each cup that you order.\\par\\bigskip\\noindent${box('Coffee', coffee)}\\hfill${box('Cakes', cakes)}\\par\\bigskip ${shop.milk}\\end{document}`,
  )
  execFileSync('pdflatex', ['-interaction=batchmode', 'beside.latex.tex'], { cwd: work, stdio: 'ignore' })
  keep('beside.latex.pdf')
  const book = new ExcelJS.Workbook()
  const menu = book.addWorksheet('Menu')
  menu.addRow(['Harbour Café'])
  menu.addRow([])
  menu.addRow(['Coffee', '', '', 'Cakes'])
  for (const [row, cake] of cakes.entries()) menu.addRow([...(coffee[row] ?? ['', '']), '', ...cake])
  for (const column of [1, 4]) menu.getColumn(column).width = 18
  await book.xlsx.writeFile(at('beside.xlsx'))
  keep('beside.xlsx')
  keep(convert('beside.xlsx', 'pdf'), 'beside.calc.pdf')
}

/** A table on two pages, between headers and footers. */
async function heads(): Promise<void> {
  const { CURRENT, TOTAL_PAGES } = docx.PageNumber
  const footer = new docx.TextRun({ children: [`${shop.note} – Page `, CURRENT, ' of ', TOTAL_PAGES] })
  const rows = Array.from({ length: 60 }, (_, index) => [`Part no. ${index}`, `€${index}.50`, `€${9 * index}.00`])
  await word('heads.docx', [], {
    sections: [
      {
        headers: { default: new docx.Header({ children: [new docx.Paragraph(shop.call)] }) },
        footers: { default: new docx.Footer({ children: [new docx.Paragraph({ children: [footer] })] }) },
        children: [heading('Parts', docx.HeadingLevel.HEADING_1), wordTable([shop.sizes, ...rows])],
      },
    ],
  })
  keep('heads.docx')
  keep(convert('heads.docx', 'odt'), 'heads.odt')
  const tagged = ':writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"true"}}'
  keep(convert('heads.docx', 'pdf', tagged), 'heads.writer-tagged.pdf')
}

/** Slides whose titles are text boxes, the second after the text below it. */
async function boxes(): Promise<void> {
  const deck = new pptxgen()
  const first = deck.addSlide()
  first.addText('Harbour Café', { x: 0.5, y: 0.3, w: 9, h: 1, fontSize: 36 })
  first.addText(shop.note, { x: 0.5, y: 1.5, w: 9, h: 0.6, fontSize: 16 })
  const second = deck.addSlide()
  second.addText(shop.milk, { x: 0.5, y: 1.5, w: 9, h: 3, fontSize: 18 })
  second.addText('Milk', { x: 0.5, y: 0.3, w: 9, h: 1, fontSize: 32 })
  await deck.writeFile({ fileName: at('boxes.pptx') })
  keep('boxes.pptx')
}

await priceListInWord()
await terms()
await workbooks()
await formats()
await slides()
texts()
bookAndMail()
prints()
invoice()
await sideBySide()
await heads()
await boxes()
