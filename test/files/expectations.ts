import { headings, shop } from './shop.ts'

/** Contents that a reader finds in a file of test/files/fixtures, and that a library should find. */
interface Expectations {
  headings: string[]
  /** Cells of one row of a table, in this order. */
  rows: string[][]
  /** Items of lists. */
  items: string[]
  /** Anything else that is said. */
  texts: string[]
  /** Contents that the file hides from its reader. */
  hidden: string[]
}

const table = (rows: string, between = ', ') => rows.split(between).map((row) => row.split('|'))
const none: Expectations = { headings: [], rows: [], items: [], texts: [], hidden: [] }
const tables = [...shop.repairs, ...shop.rental, shop.cargo]
const list: Expectations = {
  headings: [shop.title, ...headings],
  rows: tables,
  items: [...shop.hours, ...shop.steps],
  texts: [shop.note],
  hidden: ['Purchase price', 'tracked'],
}
const days = shop.hours.map((line) => line.split(/: (.*)/s).slice(0, 2))
const workbook: Expectations = {
  ...none,
  headings: ['Repairs', 'Rental', 'Opening hours'],
  rows: [...tables, ...days],
  texts: [shop.title, 'Valid from', '1 March 2026'],
}
const rows =
  'Artikel|Größe|Preis,, Schutzblech|28 Zoll|19,90 €,, Sattelstütze|27,2 mm|34,50 €,, Kette, verzinkt|1/8|12,00 €'
const german: Expectations = { ...none, rows: table(rows, ',, ') }

const priceLists = (expected: Expectations, ends: string) =>
  Object.fromEntries(ends.split(' ').map((end) => [`price-list.${end}`, expected]))

const beside: Expectations = {
  ...none,
  rows: [...shop.coffee, ...shop.cakes],
  texts: ['Coffee', 'Cakes'],
}

const menu: Expectations = {
  ...none,
  headings: ['Menu', 'Kitchen'],
  rows: table('Tomato soup|€5.40, Grilled cod with potatoes|€17.90, Apple pie|€6.80'),
}

/** Expectations by file name. */
export const expectations: Record<string, Expectations> = {
  ...priceLists(
    list,
    'pdf writer-tagged.pdf chromium-tagged.pdf chromium-ruled.pdf chromium-bare.pdf chromium-striped.pdf',
  ),
  ...priceLists(list, 'impress.pdf docx docx-library.docx doc odt rtf html md epub eml'),
  ...priceLists({ ...list, texts: [shop.note, 'Helmets are free of charge.'] }, 'pptx pptxgenjs.pptx odp'),
  ...priceLists(workbook, 'xlsx exceljs.xlsx ods'),
  'price-list.calc.pdf': { ...workbook, headings: [] },
  ...Object.fromEntries(
    ['calc.pdf', 'chromium.pdf', 'chromium-ruled.pdf', 'wkhtmltopdf.pdf', 'xlsx'].map((end) => [
      `beside.${end}`,
      beside,
    ]),
  ),
  'beside.latex.pdf': {
    ...beside,
    rows: beside.rows.map((row) => row.map((cell) => cell.replace('€', 'EUR '))),
    texts: [...beside.texts, shop.milk],
  },
  ...Object.fromEntries(
    ['docx', 'odt', 'writer-tagged.pdf'].map((end) => [
      `heads.${end}`,
      {
        ...none,
        headings: ['Parts'],
        rows: [shop.sizes, ['Part no. 0', '€0.50', '€0.00'], ['Part no. 59', '€59.50', '€531.00']],
        texts: [shop.call, shop.note],
        hidden: ['Page', 'of 2'],
      },
    ]),
  ),
  'boxes.pptx': { ...none, headings: ['Harbour Café', 'Milk'], texts: [shop.note, shop.milk] },
  'price-list.jspdf.pdf': {
    ...none,
    headings: [shop.title, 'Repairs'],
    rows: shop.repairs.map((row) => row.map((cell) => cell.replace('€', 'EUR '))),
    texts: [shop.note],
  },
  'parts.pdf': {
    ...none,
    headings: ['Spare parts'],
    rows: Array.from({ length: 120 }, (_, index) => [
      `SP-${4000 + index}`,
      `Spare part no. ${index}`,
      `€${(((index * 7.35) % 200) + 3).toFixed(2)}`,
    ]),
  },
  'flyer.pdf': {
    ...none,
    headings: ['Café Hafen', 'Breakfast', 'Lunch', 'Parties'],
    texts: [
      'The farmer’s breakfast costs 12.80 euros and comes with eggs, bread and cheese from the village dairy next door.',
      'Ask the staff which fish came in this morning, since it changes every day of the week.',
    ],
  },
  'menu.pdf': menu,
  'menu.photo.jpg': menu,
  // Numbers of a list are read as a column.
  'price-list.scan.pdf': { ...none, headings: [shop.title], rows: tables, items: shop.hours },
  'terms.docx': {
    headings: ['Rental conditions', 'Deposit', 'Return', 'Late return'],
    rows: table('Group|What|Deposit, Bikes|City bike|€50, Bikes|Cargo bike|€150, Trailers|Child trailer|€30'),
    items: ['Call the shop.', 'By telephone 0451 2345.', 'Bring the bike the next morning.'],
    texts: ['Members pay no deposit.', 'https://fjord.example/terms'],
    hidden: [],
  },
  'formats.xlsx': {
    ...none,
    headings: ['Stock', 'Notes'],
    rows: [
      ['Saddle', 'Comfort', '$39.50', '15.5%', '15.03.2026', '9:00 AM', '79,00 €'],
      ['Grip', 'Comfort', '$1,234.50', '10.0%', '24 Dec 2026 14:30', '12:00 PM', '2.469,00 €'],
    ],
    texts: ['Ask Jonas', 'Line one', 'two | with a bar'],
    hidden: ['Purchase price', 'Secret part', 'Supplier Meier'],
  },
  'price-list.txt': {
    ...none,
    texts: [shop.title, shop.note, ...shop.hours, ...shop.steps, 'Puncture repair', '€1,089.90'],
  },
  'price-list.csv': {
    ...none,
    rows: table(
      'Group|Service|Code|Price, Repairs|Full service|FC-110|€1,089.90, Rental|City bike; a day|FC-201|€18.00',
    ),
  },
  'windows-1252.csv': german,
  'utf-16.csv': german,
}

type Aspect = keyof Expectations

/** Counts the expectations of each aspect, and how many the Markdown meets. */
export function judge(
  markdown: string,
  expected: Expectations,
): Record<Aspect, { met: number; of: number; missed: string[] }> {
  const text = plain(markdown)
  const lines = markdown.split('\n').map((line) => line.trim())
  const titles = lines.filter((line) => /^#{1,6} /.test(line)).map(plain)
  const rows = [...lines.filter((line) => line.startsWith('|')).map(cellsOf), ...htmlRows(markdown)]
  const items = lines.filter((line) => /^([-*+]|\d+[.)])\s/.test(line)).map(plain)
  const verdict = <T>(wanted: readonly T[], isMet: (one: T) => boolean) => {
    const missed = wanted.filter((one) => !isMet(one))
    return { met: wanted.length - missed.length, of: wanted.length, missed: missed.map(String) }
  }
  return {
    headings: verdict(expected.headings, (title) => titles.includes(plain(title))),
    rows: verdict(expected.rows, (cells) => rows.some((row) => holdsInOrder(row, cells.map(plain)))),
    items: verdict(expected.items, (item) => items.some((line) => line.endsWith(plain(item)))),
    texts: verdict(expected.texts, (wanted) => text.includes(plain(wanted))),
    hidden: verdict(expected.hidden, (secret) => !text.includes(plain(secret))),
  }
}

/** True if every cell is exact, with only merged or empty cells between them. */
function holdsInOrder(row: readonly string[], cells: readonly string[]): boolean {
  let next = 0
  for (const [index, cell] of row.entries()) {
    if (cell === cells[next]) next++
    else if (next > 0 && next < cells.length && cell !== '' && cell !== row[index - 1]) return false
  }
  return next === cells.length
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, line.endsWith('|') ? -1 : undefined)
    .split(/(?<!\\)\|/)
    .map(plain)
}

function htmlRows(markdown: string): string[][] {
  return [...markdown.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell]) => plain(cell!)),
  )
}

/** Removes emphasis, tags, escapes and anchors, which are matters of taste. */
function plain(text: string): string {
  return text
    .replace(/<[^>]+>|\{#[^}]*\}|^#{1,6} |^> |^([-*+]|\d+[.)])\s+/g, '')
    .replace(/\*\*|__|(?<!\w)[*_]|[*_](?!\w)/g, '')
    .replace(/\\(?=[^\w\s])/g, '')
    .replaceAll('’', "'")
    .replace(/\s+/g, ' ')
    .trim()
}
