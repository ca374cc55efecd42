import { describe, expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import { chunk } from '../../shared/chunking/chunker.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { fixture } from './fixture.ts'
import { docxOf, paragraph } from './office-files.ts'
import { pagesPdf } from './pdf-of.ts'
import { shop } from './shop.ts'

const organization = newId() as OrganizationId
const extract = (file: Buffer, fileName = 'a.pdf') => extractText(file, fileName, organization)

/** Texts at places in points from the bottom left; bold ones begin with `*`, larger ones with `#`. */
const at = (x: number, y: number, text: string) =>
  `BT ${text.startsWith('*') ? '/B 10' : text.startsWith('#') ? '/B 15' : '/F 10'} Tf ${x} ${y} Td (${text.replace(/^[*#]/, '')}) Tj ET\n`
const rows = (xs: number[], y: number, lines: string, pitch = 16) =>
  lines
    .split('\n')
    .map((line, row) =>
      line
        .split('|')
        .map((text, column) => at(xs[column]!, y - row * pitch, text.trim()))
        .join(''),
    )
    .join('')
const pdf = async (...pages: string[]) => await extract(pagesPdf(pages))
const table = ([head, ...body]: string[][]) =>
  [head!, head!.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')

describe('tables beside each other are read one after the other, each with its header:', () => {
  test.each(['calc.pdf', 'chromium.pdf', 'chromium-ruled.pdf', 'wkhtmltopdf.pdf', 'latex.pdf', 'xlsx'])(
    '%s',
    async (end) => {
      const { text } = await extract(fixture(`beside.${end}`), `a.${end}`)
      const found = text.replaceAll('EUR ', '€').match(/(?:Coffee|Cakes)\n\n(?:\|.*\|\n?)+/g)
      expect(found?.map((part) => part.trim())).toEqual([
        `Coffee\n\n${table(shop.coffee)}`,
        `Cakes\n\n${table(shop.cakes)}`,
      ])
    },
  )

  const coffee = 'Espresso|$2.40\nDouble espresso|$3.10\nCappuccino|$3.60\nFlat white|$3.90'
  const cakes = 'Plum crumble|$4.20\nCarrot cake|$4.60\nCheesecake|$4.90\nBrownie|$3.20\nApple tart|$4.40'

  test('without headings, rows of one side between those of the other', async () => {
    const { text } = await pdf(rows([50, 240], 700, coffee) + rows([320, 500], 703, cakes, 19))
    expect(text).toMatch(/Espresso \| \$2\.40 \|\n[^+]*Flat white \| \$3\.90 \|\n\n[^+]*Apple tart \| \$4\.40 \|$/)
  })

  test('three of them, and what is below', async () => {
    const lists = [50, 230, 410].map((x) => at(x, 720, '#Menu') + rows([x, x + 120], 700, coffee)).join('')
    const below = at(
      50,
      600,
      'Oat milk costs 50 cents more in every drink that we sell, for which we are sorry indeed.',
    )
    const { text } = await pdf(lists + below)
    expect(text.match(/# Menu/g)).toHaveLength(3)
    expect(text.match(/\| Espresso \| \$2\.40 \|\n/g)).toHaveLength(3)
    expect(text).toMatch(/indeed\.$/)
  })

  test('a list beside prose on the same lines', async () => {
    const prose =
      'We opened in 2009 in a boat shed by the\nharbour and have roasted every bean here\nsince then. On each Saturday you may see\nthe roast, from ten, and ask for coffee.'
    const { text } = await pdf(rows([50, 240], 700, coffee) + rows([310], 700, prose))
    expect(text).toMatch(/shed by the harbour and have roasted/)
  })

  test('in one grid with the same names twice', async () => {
    const html =
      '<!doctype html><table><tr><th>Item<th>Price<th>Item<th>Price<tr><td>Tea<td>$2<td>Pie<td>$4<tr><td>Milk<td>$1<td>Bun<td>$3</table>'
    const { text } = await extract(Buffer.from(html), 'a.html')
    expect(text).toBe(
      '| Item | Price |\n| --- | --- |\n| Tea | $2 |\n| Milk | $1 |\n\n| Item | Price |\n| --- | --- |\n| Pie | $4 |\n| Bun | $3 |',
    )
  })

  test('with a note if a page can be read in two ways', async () => {
    const mixed = rows(
      [50, 200, 320, 500],
      700,
      '*Drink|*Small|*Cake|*Slice\nEspresso|$2.40|Pie|$4.20\nTea|$3.10|Bun|$4.60\nMilk|$1.10|Tart|$3.60',
    )
    expect(await pdf(at(50, 700, 'Nothing here can be read in two ways.'), mixed)).toMatchObject({
      notes: [{ code: 'doubtful_layout', page: 2, text: '' }],
    })
  })
})

describe('one table stays one:', () => {
  test.each([
    [
      'with wide gaps',
      'Room|Persons|Weekday|Weekend\nSingle|1|$80.00|$95.00\nDouble|2|$110.00|$130.00\nSuite|2|$210.00|$240.00',
    ],
    [
      'with words after prices',
      'Service|Price|Includes|Time\nPuncture|$14.50|new tube|20 min\nBrakes|$22.00|cables|30 min\nWash|$9.00|wax|15 min',
    ],
    [
      'with notes that repeat',
      'Item|Price|Unit|Deposit\nBell|$9.00|each|$2.00\nGrip|$5.00|each|$1.00\nLamp|$19.00|each|$5.00',
    ],
  ])('%s', async (_, lines) => {
    const { text, notes } = await pdf(rows([50, 190, 330, 480], 700, lines))
    expect(text).toBe(table(lines.split('\n').map((line) => line.split('|'))))
    expect(notes).toEqual([])
  })
})

test.each(['words', 'spaced-words'])(
  'gaps between words are no columns, though the program places each letter: %s',
  async (name) => {
    const { text } = await extract(fixture(`${name}.wkhtmltopdf.pdf`))
    expect(text).toBe(
      `# Rental and parts\n\nA small car is lent free while we work on yours, if you ask for it when you book; it must come back with a full tank, and before six in the evening.\n\n${table(
        [
          ['Part', 'Includes', 'Price'],
          ['Shock absorbers, front pair', 'Fitting and test drive', '€289.00'],
          ['Brake pads, rear', 'Fitting', '€119.00'],
        ],
      )}`,
    )
  },
)

describe('a table does not continue, even without a gap, in', () => {
  const fees = 'Fee|Monthly|Quarterly|Yearly\nBasic|$29.00|$81.00|$300.00\nPlus|$39.00|$111.00|$420.00'
  const extras = 'Extra|Price\nTowel|$2.50\nSauna|$8.00'
  const tableOf = (lines: string) => table(lines.split('\n').map((line) => line.split('|')))

  test('a table of other columns', async () => {
    const { text } = await pdf(rows([50, 250, 330, 420], 700, fees) + rows([50, 250], 652, extras))
    expect(text).toBe(`${tableOf(fees)}\n\n${tableOf(extras)}`)
  })

  test('a table with a header in bold', async () => {
    const plans = 'Plan|Price\nBasic|$29.00\nPlus|$39.00'
    const { text } = await pdf(
      rows([50, 250], 700, plans) + rows([50, 250], 652, extras.replace(/\w+\|\w+/, '*Extra|*Price')),
    )
    expect(text).toBe(`${tableOf(plans)}\n\n${tableOf(extras)}`)
  })

  test.each(['', 'Opening hours'])('hours under “%s”', async (title) => {
    const times = 'Monday to Friday|8:00 - 21:00\nSaturday|10:00 - 18:00'
    const { text } = await pdf(
      rows([50, 250], 700, extras) +
        rows([50, 250], 652, title ? `${title}\n${times}` : times) +
        at(50, 604, 'Ring the bell.'),
    )
    expect(text).toMatch(
      new RegExp(`8\\.00 \\|\\n\\n${title}[^$]*\\| Saturday \\| 10:00 - 18:00 \\|\\n\\nRing the bell\\.$`),
    )
  })

  test('but in a price right after its label', async () => {
    const training = at(50, 652, 'Training (one hour)') + at(137, 652, '$38.00')
    const { text } = await pdf(rows([50, 130], 700, extras) + training + rows([50, 130], 636, 'Locker|$5.00'))
    expect(text).toBe(tableOf(`${extras}\nTraining (one hour)|$38.00\nLocker|$5.00`))
  })
})

test('words of justified lines are no columns, however wide the gaps', async () => {
  const { text } = await extract(fixture('justified.reportlab.pdf'))
  expect(text).toBe(
    'A small car is lent free while we work on yours, if you ask for it when you book; it must come back with thoroughly replenished fuel tanks, and before six in the evening.',
  )
})

test('a label beside the middle of its text makes one row with it, even in the last row', async () => {
  const head = rows([50, 150, 450], 700, '*Course|*What you learn|*Price')
  const course = (y: number, name: string) =>
    at(150, y, `Grinding, brewing and tasting of all that`) +
    rows([50, 450], y - 6, `${name}|$49.00`) +
    at(150, y - 12, 'we have in the house.')
  const { text } = await pdf(head + course(680, 'Filter') + course(650, 'Espresso'))
  const learnt = 'Grinding, brewing and tasting of all that we have in the house.'
  expect(text).toBe(
    table([
      ['Course', 'What you learn', 'Price'],
      ['Filter', learnt, '$49.00'],
      ['Espresso', learnt, '$49.00'],
    ]),
  )
})

test('a title centred above two columns comes before both', async () => {
  const column = (x: number, dishes: string[]) =>
    dishes.map((dish, row) => at(x - 2.3 * dish.length, 700 - 16 * row, dish)).join('')
  const { text } = await pdf(
    at(280, 740, '#Menu') +
      column(150, ['Soup of the day 5.50', 'Bread 2.50']) +
      column(450, ['Cod 17.90', 'Rice 9.50']),
  )
  expect(text).toBe('# Menu\n\nSoup of the day 5.50\nBread 2.50\n\nCod 17.90\nRice 9.50')
})

describe('the first row is the header if it consists', () => {
  test('of quantities above prices', async () => {
    const { text } = await pdf(rows([50, 200, 320], 700, 'Coffee|250 g|1 kg\nDecaf|$16.30|$58.70\nBlend|$12.90|$46.00'))
    expect(text).toMatch(/^\| Coffee \| 250 g \| 1 kg \|\n\| ---/)
  })

  test.each([
    ['in bold', '*Nights|*1|*2', ''],
    ['above a line', 'Nights|1|2', '50 696 m 400 696 l S'],
  ])('of numbers above numbers, %s', async (_, head, line) => {
    const { text } = await pdf(rows([50, 200, 320], 700, `${head}\nSingle|80|150\nDouble|110|210`) + line)
    expect(text).toMatch(/^\| Nights \| 1 \| 2 \|\n\| ---/)
  })

  test('but not of prices above prices, and no chunk repeats an empty header', async () => {
    const dishes = Array.from({ length: 40 }, (_, index) => `Dish of the day no. ${index} with potatoes|$${index}.50`)
    const { text } = await pdf(rows([50, 400], 780, dishes.join('\n')))
    expect(
      chunk(text, { targetTokens: 100, overlapTokens: 0 }).filter(({ content }) => content.includes('|  |')),
    ).toHaveLength(1)
  })

  test('of columns that the second row divides, which is joined to it', async () => {
    const head = 'Prices 2026;;;;\nValid from;1 March;;;\nRoom;Weekday;;Weekend;\n;night;week;night;week'
    const { text } = await extract(Buffer.from(`${head}\nSingle;80;400;95;500\nSuite;110;600;130;700`), 'a.csv')
    expect(text).toMatch(
      /^Prices 2026\n\nValid from 1 March\n\n\| Room \| Weekday: night \| Weekday: week \| Weekend: night \| Weekend: week \|\n/,
    )
  })
})

describe('the headers and footers of pages', () => {
  test('appear once, at the top, without page numbers', async () => {
    const page = (number: number) =>
      at(50, 770, 'Fjord Cycles, call 0451 2345') +
      rows([50], 700, `Text of part ${number} is here.`) +
      at(50, 30, 'Prices include VAT') +
      at(500, 30, `Page ${number} of 2`)
    const { text } = await pdf(page(1), page(2))
    expect(text).toBe(
      'Fjord Cycles, call 0451 2345\nPrices include VAT\n\nText of part 1 is here.\n\nText of part 2 is here.',
    )
  })

  test('of a Word document are those that its pages show', async () => {
    const types = ['default', 'first', 'even']
    const references = types.map((type) => `<w:headerReference w:type="${type}" r:id="${type}"/>`).join('')
    const relations = types.map((type) => `<Relationship Id="${type}" Target="header-${type}.xml"/>`).join('')
    const parts = types.map((type) => ({
      name: `word/header-${type}.xml`,
      content: `<w:hdr>${paragraph(`Head of ${type} pages`)}</w:hdr>`,
    }))
    const docx = (section: string) =>
      docxOf(`${paragraph('Body')}<w:sectPr>${references}${section}</w:sectPr>`, [
        { name: 'word/_rels/document.xml.rels', content: `<Relationships>${relations}</Relationships>` },
        ...parts,
      ])
    expect((await extract(docx(''), 'a.docx')).text).toBe('Head of default pages\n\nBody')
    expect((await extract(docx('<w:titlePg/>'), 'a.docx')).text).toBe(
      'Head of default pages\nHead of first pages\n\nBody',
    )
  })

  test('do not include the rows of a table that continues', async () => {
    const page = (part: string) => rows([50, 300], 760, `Item|Price\nBell ${part}|$9.00\nGrip ${part}|$5.00`)
    const { text } = await pdf(page('one'), page('two'))
    expect(text).toMatch(/^\| Item \| Price \|\n\| --- \| --- \|\n(\| \w+ (one|two) .*\n?){4}$/)
  })
})

test('a slide begins with its title, even if that is a text box behind the others', async () => {
  const { text } = await extract(fixture('boxes.pptx'), 'a.pptx')
  expect(text).toBe(`## Harbour Café\n\n${shop.note}\n\n## Milk\n\n${shop.milk}`)
})
