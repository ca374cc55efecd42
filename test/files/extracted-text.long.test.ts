import { describe, expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import { chunk } from '../../shared/chunking/chunker.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { isThorough } from '../support/tools/effort.ts'
import { expectations, judge } from './expectations.ts'
import { fixture } from './fixture.ts'
import { docxOf, epubOf, paragraph, xlsxOf } from './office-files.ts'

const organization = newId() as OrganizationId
const extract = (file: Buffer, fileName: string) => extractText(file, fileName, organization)
const textOf = async (name: string) => (await extract(fixture(name), name)).text
const read = async (content: string | Buffer, fileName: string) => (await extract(Buffer.from(content), fileName)).text

/** Kinds of expectations that a file or its library does not meet. */
const losses: Record<string, string[]> = {
  // The dots of a list are drawn, not written.
  ...Object.fromEntries(['ruled', 'bare', 'striped'].map((style) => [`price-list.chromium-${style}.pdf`, ['items']])),
  // anydoc detects an RTF heading by its outline level, but LibreOffice writes the name of its style.
  'price-list.rtf': ['headings'],
}

describe('the text has everything that the file shows, and nothing that it hides:', () => {
  // Recognising a page takes seconds; scans.ci.test.ts does it, too.
  const names = Object.keys(expectations).filter((name) => isThorough || !/scan|photo/.test(name))
  test.each(names)('%s', async (name) => {
    const verdicts = Object.entries(judge(await textOf(name), expectations[name]!))
    const kept = verdicts.filter(([aspect]) => !losses[name]?.includes(aspect))
    expect(kept.flatMap(([, { missed }]) => missed)).toEqual([])
  })
})

test.each(
  'pdf pdf, docx docx, doc docx, odt docx, rtf docx, xlsx csv, ods csv, csv csv, pptx txt, odp txt, html txt, epub txt, eml txt, md txt, txt txt'
    .split(', ')
    .map((row) => row.split(' ') as [string, string]),
)('a file of type %s is listed as %s, whatever its name is', async (extension, sourceType) => {
  const name = `price-list.${extension}`
  const { text } = await extract(fixture(name), name)
  for (const other of ['renamed.pdf', 'renamed.xlsx', 'renamed.txt', 'renamed'])
    expect(await extract(fixture(name), other)).toMatchObject({ text, sourceType })
})

test('every chunk of a long table repeats its header row', async () => {
  const inTable = chunk(await textOf('parts.pdf')).filter(({ content }) => content.includes('SP-4'))
  expect(inTable.length).toBeGreaterThan(3)
  for (const { content } of inTable) expect(content).toContain('| Code | Part | Price | Stock |\n| --- |')
})

describe('a sheet', () => {
  const row = ([r, ...texts]: string[]) =>
    `<row r="${r}">${texts.map((text, c) => `<c r="${'ABC'[c]}${r}" t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`
  /** Rows that begin with their numbers. */
  const sheet = async (lines: string) => {
    const rows = lines.split(', ').map((line) => row(line.split('|')))
    return await read(xlsxOf(`<sheetData>${rows.join('')}</sheetData>`), 'a.xlsx')
  }

  test('becomes a table for each of its tables, below the lines above it', async () => {
    expect(await sheet('1|Prices 2026, 3|Part|Price, 4|Bell|€9, 6|Day|Open, 7|Monday|yes')).toBe(
      '## Prices\n\nPrices 2026\n\n| Part | Price |\n| --- | --- |\n| Bell | €9 |\n\n| Day | Open |\n| --- | --- |\n| Monday | yes |',
    )
  })

  test('continues a table below a blank row or a title, under the same header', async () => {
    expect(await sheet('1|Part|Price, 2|Bell|€9, 4|Grip|€5, 6|Saddles, 7|Gel|€40')).toBe(
      '## Prices\n\n| Part | Price |\n| --- | --- |\n| Bell | €9 |\n| Grip | €5 |\n\nSaddles\n\n| Part | Price |\n| --- | --- |\n| Gel | €40 |',
    )
  })
})

describe('a table', () => {
  const html = async (rows: string) => await read(`<!doctype html><table>${rows}</table>`, 'a.html')

  test('repeats a merged cell in each row and column that it covers', async () => {
    const rows =
      '<tr><th>Kind<th>Bike<th>Day<th>Week<tr><td rowspan=2>Pedal<td>City<td>18<td>75<tr><td>Cargo<td colspan=2>45'
    expect(await html(rows)).toMatch(/\| Pedal \| City \| 18 \| 75 \|\n\| Pedal \| Cargo \| 45 \| 45 \|$/)
  })

  test('with two header rows has one that joins both', async () => {
    const rows = '<thead><tr><th rowspan=2>Bike<th colspan=2>Price<tr><th>Day<th>Week</thead><tr><td>City<td>18<td>75'
    expect(await html(rows)).toBe('| Bike | Price: Day | Price: Week |\n| --- | --- | --- |\n| City | 18 | 75 |')
  })

  test('has the name of its first group below the header rows, even if that is marked as one', async () => {
    const groups = ['Pedal', 'Electric'].map((name) => `<tr><th colspan=3>${name}<tr><td>City<td>18<td>75`)
    const header = '<tr><th rowspan=2>Bike<th colspan=2>Price<tr><th>Day<th>Week'
    expect(await html(header + groups.join(''))).toBe(
      '| Bike | Price: Day | Price: Week |\n| --- | --- | --- |\n| Pedal |  |  |\n| City | 18 | 75 |\n| Electric |  |  |\n| City | 18 | 75 |',
    )
  })

  test('without a header row has an empty one', async () => {
    expect(await html('<tr><td>Soup<td>€5.40<tr><td>Cod<td>€17.90')).toBe(
      '|  |  |\n| --- | --- |\n| Soup | €5.40 |\n| Cod | €17.90 |',
    )
  })

  test('keeps bars and line breaks of a cell inside it', async () => {
    expect(await html('<tr><td>a|b<td>one<br>two<tr><td>c<td>d')).toBe('| a\\|b | one; two |\n| --- | --- |\n| c | d |')
  })

  test('used for a page’s layout is read as the page', async () => {
    expect(await html('<tr><td><h2>Hours</h2>Daily<td><h2>Prices</h2>€5')).toBe('## Hours\n\nDaily\n\n## Prices\n\n€5')
  })
})

describe('plain text', () => {
  test('of Windows-1252, UTF-16 and UTF-8 is the same text', async () => {
    const text = 'Größe “M” – 5 € für Ärmel'
    const inWestern = text.replace('“', '\x93').replace('”', '\x94').replace('–', '\x96').replace('€', '\x80')
    const western = Buffer.from(inWestern, 'latin1')
    for (const bytes of [western, Buffer.from(text, 'utf16le'), Buffer.from(`\ufeff${text}`)])
      expect(await read(bytes, 'a.txt')).toBe(text)
  })

  test('with commas is no table', async () => {
    const text = 'Bring a passport, a deposit\nand, please, patience\nor come back, later'
    expect(await read(text, 'a.txt')).toBe(text)
  })

  test('of Markdown stays as it is', async () => {
    const text = '# Hours\n\n- *daily*\n  - but not on [Sundays](https://a.example)\n\n```sh\nls\n```'
    expect(await read(text, 'a.md')).toBe(text)
  })

  test('that looks like Markdown in a document is escaped', async () => {
    expect(await read(docxOf(paragraph('# 1 in town') + paragraph('```')), 'a.docx')).toBe('\\# 1 in town\n\n\\```')
  })
})

describe('a saved web page', () => {
  const page = async (body: string) => await read(`<!doctype html><title>Fjord Coffee</title><body>${body}`, 'a.html')

  test('is read without its skip link, cart, consent banner, navigation, asides and footer', async () => {
    const text = await page(`<a href="#content">Skip to content</a><header><a href="/"><h1>Fjord</h1></a><nav>Shop</nav>
      <div class="mini-cart">1 × Grinder €89.00</div></header>
      <div id="cookie-banner"><p>We use cookies.</p><button>Accept</button></div><div class="nav-bar"><a href="/a">Beans</a> <a href="/b">Tea</a></div>
      <main><h2>Coffee</h2><p>Night Train Decaf costs €16.30.</p></main><aside>Follow us</aside><footer>© 2026 <a href="/j">Jobs</a></footer>`)
    expect(text).toBe('## Coffee\n\nNight Train Decaf costs €16.30.')
  })

  test('keeps prices, telephone, hours, address and tax anywhere', async () => {
    const text =
      await page(`<header><p>Free delivery from €40</p><a href="/cart">Cart: €0.00</a></header><main><p>Coffee</p></main>
      <aside class="specials"><p>Today: soup €5.40</p></aside><footer><div><h3>Visit us</h3><address>Quay 3, Kiel</address>
      <p>Tel. 0431 555 123</p><ul><li>Mon to Fri 9:00 to 18:00</li><li>Sunday closed</li></ul><p>Prices include VAT.</p><p>We love coffee</p></div></footer>`)
    expect(text).toBe(
      'Free delivery from €40\n\nCoffee\n\nToday: soup €5.40\n\n### Visit us\n\nQuay 3, Kiel\n\nTel. 0431 555 123\n\n- Mon to Fri 9:00 to 18:00\n- Sunday closed\n\nPrices include VAT.',
    )
  })

  test('without landmarks keeps lists of links with prices, and parts named menu or cookies', async () => {
    const text = await page(`<div class="menu"><a href="/1">Soup €5.40</a><a href="/2">Cod €17.90</a></div>
      <div class="collection-cookies"><p>Oat cookies €2.10</p></div>`)
    expect(text).toContain('Soup €5.40 Cod €17.90')
    expect(text).toContain('Oat cookies €2.10')
  })

  test('shows hidden content only if a reader can open it', async () => {
    const text =
      await page(`<h2><button aria-expanded="false" aria-controls="d">Delivery</button></h2><div id="d" hidden>Two days.</div>
      <ul><li><a href="#care">Care</a></ul><div id="care" style="display:none">Keep it dry.</div><p hidden>Purchase price €4.00</p>
      <ul><li>Open</li><li style="display:none">Staff only</li></ul>`)
    expect(text).toMatch(/## Delivery\n\nTwo days\.\n\n- Care\n\nKeep it dry\.\n\n- Open$/)
  })

  test('shows a page that its script would reveal', async () => {
    const hidden = '<div style="visibility:hidden"><p>Night Train costs €16.30.</p></div>'
    expect(await page(`<p>Loading</p>${hidden}`)).toContain('€16.30')
  })

  test.each([
    ['<a href="/a">Espresso <b>€16.30</b></a><a href="/b">Night Train Decaf</a>', 'Espresso €16.30 Night Train Decaf'],
    ['<span>250</span><span>€16.30</span><span>Decaf</span>', '250 €16.30 Decaf'],
    ['<span>€</span><span>16</span><span>.30</span>', '€16.30'],
    ['€16<sup>30</sup>, 20 m<sup>2</sup>, <b>B</b>rew', '€16 30, 20 m2, Brew'],
    ['<my-name>Decaf</my-name><my-size>250 g</my-size>', 'Decaf 250 g'],
  ])('separates words that a reader sees as separate: %s', async (inline, text) => {
    expect(await page(`<p>${inline}</p>`)).toBe(`# Fjord Coffee\n\n${text}`)
  })

  test('keeps each part of lists that are nested in other elements', async () => {
    const lists = '<dl><div><dt>Monday<dd>9 to 5</div></dl><ul><div>Oat milk €0.50</div></ul>'
    const text = await page(`${lists}<select><option>250 g €16.30<option>1 kg €58.70</select>`)
    expect(text).toBe('# Fjord Coffee\n\n- Monday: 9 to 5\n\n- Oat milk €0.50\n\n- 250 g €16.30\n- 1 kg €58.70')
  })
})

describe('a mail', () => {
  const mail = async (rest: string) =>
    await read(`From: Ann <ann@fjord.example>\nDate: Tue, 3 Mar 2026 00:12:00 +0100\n${rest}`, 'a.txt')

  test('begins with its subject, sender and day', async () => {
    const body = 'Subject: Re: =?utf-8?Q?Gr=C3=B6=C3=9Fen?=\n\nThe large one costs €9.\n\n# 1 in town'
    expect(await mail(body)).toBe(
      '# Größen\n\nFrom: Ann <ann@fjord.example>\nDate: Tue, 3 Mar 2026\n\nThe large one costs €9.\n\n\\# 1 in town',
    )
  })

  test('names its attachments, which are left out, but not its inline pictures', async () => {
    const part = (name: string, disposition: string) =>
      `--b\nContent-Type: image/png; name=${name}\nContent-Disposition: ${disposition}\n\nx\n`
    const body = `Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n${part('menu.png', 'attachment')}${part('logo.png', 'inline')}--b--\n`
    expect(await mail(body)).toMatch(/Hello\n\nAttachments \(not included\): menu\.png$/)
  })
})

test('a book has its chapters in the order of its spine, each once, and no table of contents', async () => {
  const chapter = (text: string) =>
    `<?xml version="1.0"?><html><head><title/></head><body><p>${text}</p><aside>Note ${text}</aside></body></html>`
  const book = epubOf([chapter('Two'), chapter('One')], [], [1, 0, 1])
  expect((await extract(book, 'a.epub')).text).toBe('One\n\nNote One\n\nTwo\n\nNote Two')
})
