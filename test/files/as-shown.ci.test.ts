import { describe, expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { newExtractor, newFile } from '../support/documents/files.ts'
import { useStand } from '../support/stand/stand.ts'
import { docxOf, odpOf, odtOf, pptxOf, row, run, styledDocx, xlsxOf } from './office-files.ts'

const stand = useStand()

/** Uploads a file. @returns the text that callers get and the document's warnings */
async function read(fileName: string, content: string | Buffer) {
  const { tenant, file } = await newFile(stand, { fileName })
  await newExtractor(stand, { extractText }).upload(file, content)
  await stand.deliver()
  const { body: chunks } = await tenant.call('GET', `${file.path}/chunks`)
  const { warnings, status } = (await tenant.call('GET', file.path)).body
  const text: string = chunks.data?.map(({ content }: { content: string }) => content).join('\n\n')
  return { text, status, warnings }
}
const leftOut = (counts: Record<string, number>) =>
  Object.entries(counts).map(([kind, count]) => ({ code: 'hidden_text_left_out', kind, count }))

describe('hidden and struck text is not told to callers, and the document has a warning:', () => {
  test('in a DOCX by run, by styles and by the styles that these are based on', async () => {
    const styles = `<w:style w:type="paragraph" w:styleId="Staff"><w:rPr><w:vanish/></w:rPr></w:style>
      <w:style w:type="paragraph" w:styleId="StaffSmall"><w:basedOn w:val="Staff"/></w:style>
      <w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish w:val="1"/></w:rPr></w:style>
      <w:style w:type="character" w:styleId="Stress"><w:rPr><w:i/></w:rPr></w:style>`
    const inStyle = (style: string, text: string) =>
      `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(text)}</w:p>`
    const body = [
      `<w:p>${run('Ein Floß kostet 30 Euro.')}${run(' Nur intern: bis 20 Euro.', '<w:vanish/>')}</w:p>`,
      `<w:p>${run('Einkauf 900 Euro.', '<w:rStyle w:val="Secret"/>')}${run('Täglich', '<w:rStyle w:val="Stress"/>')}${run(' ab 9 Uhr.', '<w:i/><w:vanish w:val="0"/>')}</w:p>`,
      inStyle('Staff', 'Code FLOSS20.'),
      inStyle('StaffSmall', 'Code FLOSS30.'),
      `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('Montags geschlossen.')}</w:p>`,
    ].join('')
    expect(await read('a.docx', styledDocx(body, styles))).toEqual({
      text: 'Ein Floß kostet 30 Euro.\n\nTäglich ab 9 Uhr.\n\nMontags geschlossen.',
      status: 'completed',
      warnings: leftOut({ hidden_passages: 4 }),
    })
  })

  test('in a DOCX, struck once or twice, also in its header', async () => {
    const price = (old: string, mark: string) => `<w:p>${run('Tour ')}${run(old, mark)}${run(' 39 €')}</w:p>`
    const header = `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('Casa Faro')}${run(' interno', '<w:vanish/>')}${run(' 2025', '<w:dstrike w:val="true"/>')}${run(' 2026')}</w:p>`
    const body =
      price('49 €', '<w:strike/>') + price('59 €', '<w:dstrike/>') + price('usted', '<w:strike w:val="false"/>')
    expect(await read('a.docx', styledDocx(body, '', header))).toMatchObject({
      text: 'Casa Faro 2026\n\nTour 39 €\n\nTour 39 €\n\nTour usted 39 €',
      warnings: leftOut({ struck_passages: 2 }),
    })
  })

  test('in a DOCX in white on a white page, but not on a ground', async () => {
    const white = (text: string, more = '') => run(text, `<w:color w:val="FFFFFF"/>${more}`)
    const body = [
      `<w:p>${run('Room 80 euros.')}${white(' Discount code QUAY.')}</w:p>`,
      `<w:p>${white('Sale until May.', '<w:shd w:val="clear" w:fill="C00000"/>')}</w:p>`,
      `<w:tbl>${row(['Room', 'Price'].map((text) => white(text)))}${row(['Attic', '95'].map((text) => run(text)))}</w:tbl>`,
      `<w:p>${white('Code HARBOUR.')}</w:p>`,
    ].join('')
    expect(await read('a.docx', docxOf(body))).toMatchObject({
      text: 'Room 80 euros.\n\nSale until May.\n\n| Room | Price |\n| --- | --- |\n| Attic | 95 |',
      warnings: leftOut({ hidden_passages: 2 }),
    })
  })

  test('in an RTF', async () => {
    const rtf = String.raw`{\rtf1\ansi Un kayak cuesta 12 euros. {\v Solo personal: 9 euros.} {\i Siempre} \deleted 14 euros\deleted0 {\strike 15 euros} abierto.\par\v Clave REMO\v0\par C:\\v alle \plain 0555\_7712\par}`
    expect(await read('a.rtf', rtf)).toMatchObject({
      text: 'Un kayak cuesta 12 euros. Siempre abierto.\n\nC:\\v alle 0555-7712',
      warnings: leftOut({ hidden_passages: 2, struck_passages: 1 }),
    })
  })

  test('in an ODT', async () => {
    const styles = `<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>
      <style:style style:name="T2" style:family="text"><style:text-properties fo:font-style="italic"/></style:style>`
    const spans =
      '<text:span text:style-name="T1"> Marge 40 %.</text:span><text:span text:style-name="T2"> Ouvert.</text:span>'
    expect(await read('a.odt', odtOf(styles, `<text:p>Vélo 18 euros.${spans}</text:p>`))).toMatchObject({
      text: 'Vélo 18 euros. Ouvert.',
      warnings: leftOut({ hidden_passages: 1 }),
    })
  })

  test('on slides of a PPTX, whose numbers count the hidden ones, too', async () => {
    const notes = 'Preise nicht nennen'
    const slides = [
      ['Preise', 'Tag 11 Euro'],
      ['Preise', 'Tag 8 Euro'],
      ['Preise', 'Tag 7 Euro'],
      ['Sauna', 'Ab 15 Uhr'],
    ]
    const deck = pptxOf(slides, [1, 2], notes)
    expect(await read('a.pptx', deck)).toMatchObject({
      text: 'Preise\n\nTag 11 Euro\n\nSauna\n\nAb 15 Uhr',
      warnings: leftOut({ hidden_slides: 2 }),
    })
    const { pageStarts } = await extractText(deck, 'a.pptx', newId() as OrganizationId)
    expect(pageStarts).toEqual([
      [0, 1],
      [21, 4],
    ])
  })

  test('struck on a slide of a PPTX', async () => {
    const part = (text: string, marks = '') => `<a:r><a:rPr${marks}/><a:t>${text}</a:t></a:r>`
    const price = part('Thé ') + part('6 €', ' strike="dblStrike"') + part('5 €')
    const shape = `<p:sp><p:txBody><a:p>${price}</a:p></p:txBody></p:sp>`
    expect(await read('a.pptx', pptxOf([['Carte'], shape]))).toMatchObject({
      text: 'Carte\n\nThé 5 €',
      warnings: leftOut({ struck_passages: 1 }),
    })
  })

  test('in comments of Markdown, but not in its code', async () => {
    const text = [
      '[comment]: <> (Entwurf von Jo)',
      '# Grill <!-- bis 40 € möglich -->',
      'Ein Grill kostet ~~75 €~~ 60 €. <!--\nNachlass\n\nnur intern\n-->',
      '`<!-- so -->` und `~~a~~` bleibt.',
      '```html\n<!-- so -->\n[//]: # (auch)\n```',
      '[//]: # "Lieferant Anker, 21 €"\n[notiz]: # (alt:\n55 €)',
      'Siehe [Karte].\n\n[Karte]: https://a.example "Karte"',
    ].join('\n\n')
    expect(await read('a.md', text)).toMatchObject({
      text: '# Grill\n\nEin Grill kostet  60 €.\n\n`<!-- so -->` und `~~a~~` bleibt.\n\n```html\n<!-- so -->\n[//]: # (auch)\n```\n\nSiehe [Karte].\n\n[Karte]: https://a.example "Karte"',
      warnings: leftOut({ comments: 5, struck_passages: 1 }),
    })
    expect(await read('a.txt', 'Tags are <!-- a --> here.')).toMatchObject({
      text: 'Tags are <!-- a --> here.',
      warnings: [],
    })
  })

  test('on slides of an ODP', async () => {
    expect(await read('a.odp', odpOf(['Dagkaart 9 euro', 'Dagkaart 5 euro', 'Open om 10 uur'], [1]))).toMatchObject({
      text: 'Dagkaart 9 euro\n\nOpen om 10 uur',
      warnings: leftOut({ hidden_slides: 1 }),
    })
  })
})

describe('a workbook', () => {
  /** Rows from the first on, of cells that begin with their attributes and `>`, or of texts. */
  const sheet = (rows: string[], { marks = [] as string[], columns = '' } = {}) =>
    `${columns}<sheetData>${rows
      .map((cells, r) => {
        const all = cells.split('|').map((cell, c) => {
          const place = `r="${'ABCD'[c]}${r + 1}"`
          return cell.includes('>')
            ? `<c ${place} ${cell}</c>`
            : `<c ${place} t="inlineStr"><is><t>${cell}</t></is></c>`
        })
        return `<row r="${r + 1}" ${marks[r] ?? ''}>${all.join('')}</row>`
      })
      .join('')}</sheetData>`

  test('has a warning of rows that a filter hides, and of hidden columns and sheets', async () => {
    const columns = '<cols><col min="3" max="3" hidden="1"/></cols>'
    const rows = sheet(['Zimmer|Preis|Einkauf', 'Garten|90 €|40 €', 'Turm|120 €|60 €', 'Hof|70 €|30 €'], {
      columns,
      marks: ['', 'hidden="1"', '', 'hidden="1"'],
    })
    const file = xlsxOf(rows, '', { hiddenSheet: sheet(['Lieferant|Preis', 'Anker|31 €']) })
    expect(await read('a.xlsx', file)).toMatchObject({
      text: '## Prices\n\n| Zimmer | Preis |\n| --- | --- |\n| Turm | 120 € |',
      warnings: leftOut({ hidden_sheets: 1, hidden_rows: 2, hidden_columns: 1 }),
    })
  })

  test('has a warning of formulas that no program has calculated', async () => {
    const rows = [
      'Corso|Netto|Lordo',
      'Vela|><v>40</v>|><f>B2*1.22</f>',
      'Surf|><v>50</v>|><f>B3*1.22</f><v>61</v>',
      'Sup|><v>9</v>|t="str"><f>IF(B4>9,1,"")</f><v></v>',
    ]
    expect(await read('a.xlsx', xlsxOf(sheet(rows)))).toMatchObject({
      text: expect.stringContaining('| Vela | 40 |  |\n| Surf | 50 | 61 |'),
      warnings: [{ code: 'formulas_without_values', kind: 'uncalculated_formulas', count: 1 }],
    })
  })

  test('has long numbers in full, and spans of time also if it counts from 1904', async () => {
    const rows = [
      'Code|Duur',
      '><v>5901234123457</v>|s="1"><v>1.3125</v>',
      '><v>-1234567890123456</v>|s="2"><v>0.0625</v>',
      '><v>33.333333333333336</v>|s="3"><v>44377</v>',
    ]
    const dates = (days: string) =>
      `| Code | Duur |\n| --- | --- |\n| 5901234123457 | 31:30 |\n| -1234567890123456 | 90:00 |\n| 33.33333333 | ${days} |`
    for (const [is1904, day] of [
      [true, '2025-07-01'],
      [false, '2021-06-30'],
    ] as const)
      expect(
        (await read('a.xlsx', xlsxOf(sheet(rows), '', { is1904, formats: ['[h]:mm', '[mm]:ss', 'yyyy\\-mm\\-dd'] })))
          .text,
      ).toContain(dates(day))
  })

  test('has no struck cells, nor struck parts of cells', async () => {
    const rich = 't="inlineStr"><is><r><rPr><strike/></rPr><t>49 €</t></r><r><t xml:space="preserve"> 39 €</t></r></is>'
    const old = 's="4"><v>59</v>|s="4"><v>61</v>'
    const rows = ['Tarif|Prix', `Jour|${rich}`, old, 'Nuit|s="4"><v>59</v>']
    expect(await read('a.xlsx', xlsxOf(sheet(rows), '', { formats: ['0', '0', '0'] }))).toMatchObject({
      text: '## Prices\n\n| Tarif | Prix |\n| --- | --- |\n| Jour | 39 € |\n| Nuit |  |',
      warnings: leftOut({ struck_cells: 4 }),
    })
  })
})

describe('what its reader sees is not lost', () => {
  test.each([
    [
      'zero-width spaces',
      'Das Warm\u200bwasser\u200bbecken hat\u2060 34 \ufeffGrad.',
      'Das Warmwasserbecken hat 34 Grad.',
    ],
    [
      'marks of direction',
      '\u202bהכניסה\u200f עולה\u202c \u206640\u2069 ₪, \u061cסגור\u200e.',
      'הכניסה עולה 40 ₪, סגור.',
    ],
    ['joiners and soft hyphens in Latin words', 'Auf\u200clage, co\u00adop, S\u200dunday', 'Auflage, coop, Sunday'],
    [
      'joiners in Persian, Hindi, Sinhala and Malayalam',
      'می\u200cخواهم क्\u200dष ක්\u200dර അവന്\u200d 5',
      'می\u200cخواهم क्\u200dष ක්\u200dර അവന്\u200d 5',
    ],
    [
      'emoji of several signs',
      'Werkstatt 👩🏽\u200d🔧 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈\u200d',
      'Werkstatt 👩🏽\u200d🔧 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈',
    ],
  ])('with %s, of which only those are kept that are needed', async (_, written, text) => {
    expect((await read('a.txt', written)).text).toBe(text)
    expect((await read('a.html', `<!doctype html><meta charset="utf-8"><p>${written}</p>`)).text).toBe(text)
  })

  test('in rows of a DOCX in content controls, however deep, and after hyphens that do not break', async () => {
    const control = (content: string) =>
      `<w:sdt><w:sdtPr><w:alias w:val="a"/></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`
    const cells = (...texts: string[]) => row(texts.map((text) => run(text)))
    const inner = `<w:tr><w:tc><w:tbl>${control(cells('Kurs'))}</w:tbl><w:p/></w:tc>${control(`<w:tc><w:p>${run('14 Uhr')}</w:p></w:tc>`)}</w:tr>`
    const rows =
      cells('Fahrt', 'Preis') + control(control(cells('Fähre', '7,50 €')) + control(cells('Rad', '2 €'))) + inner
    const phone = `<w:p>${run('Tel. 0431')}<w:r><w:noBreakHyphen/></w:r>${run('5512')}${control(run(' ab 8 Uhr'))}</w:p>`
    const custom = `<w:tbl>${cells('Ort', 'Zeit')}<w:customXml w:element="a">${cells('Kai', '9 Uhr')}</w:customXml></w:tbl>`
    expect(await read('a.docx', docxOf(`<w:tbl>${rows}</w:tbl>${phone}${custom}`))).toEqual({
      text: `| Fahrt | Preis |\n| --- | --- |\n| Fähre | 7,50 € |\n| Rad | 2 € |\n| Kurs | 14 Uhr |\n\nTel. 0431-5512 ab 8 Uhr\n\n| Ort | Zeit |\n| --- | --- |\n| Kai | 9 Uhr |`,
      status: 'completed',
      warnings: [],
    })
  })
})
