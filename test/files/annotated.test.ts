import { describe, expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { pdfOf, stream } from './pdf-of.ts'

const organization = newId() as OrganizationId
const extract = (file: Buffer) => extractText(file, 'a.pdf', organization)
const leftOut = (kind: string, count: number) => ({ code: 'hidden_text_left_out', kind, count })
const at = (x: number, y: number, text: string) => `BT /F 12 Tf ${x} ${y} Td (${text}) Tj ET\n`
const heading = 'BT /F 20 Tf 60 780 Td (Holiday flat Seagull) Tj ET\n'

/** A page with these annotations, numbered from 6. */
const pdf = (
  content: string,
  annotations: readonly string[],
  { catalog = '', others = [] as (string | Buffer)[] } = {},
) => {
  const references = annotations.map((_, index) => `${6 + index} 0 R`).join(' ')
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog || `/AcroForm << /Fields [${references}] >>`} >>`,
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> >> /Contents 5 0 R /Annots [${references}] >>`,
    stream(content),
    ...annotations.map((annotation) => `<< /Type /Annot /P 4 0 R ${annotation} >>`),
    ...others,
  ])
}
const appearance = (text: string) =>
  stream(
    `/Tx BMC BT /Helv 12 Tf 2 4 Td (${text}) Tj ET EMC`,
    '/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /Helv 3 0 R >> >>',
  )
const box = (x: number, y: number, width = 200) => `/Rect [${x} ${y - 8} ${x + width} ${y + 12}] /F 4`

describe('a form', () => {
  test('is read with what is filled in, ticked and chosen, each beside its label', async () => {
    const content =
      heading +
      [
        at(60, 704, 'Reception is closed on:'),
        at(60, 674, 'Deposit:'),
        at(60, 644, 'Pets allowed:'),
        at(60, 614, 'Smoking:'),
        at(60, 584, 'Beds:'),
        at(60, 554, 'Breakfast is served from 8 to 10.'),
      ].join('')
    const tick = '/AP << /N << /Ja 11 0 R /Off 11 0 R >> >>'
    const file = pdf(
      content,
      [
        `/Subtype /Widget /FT /Tx /T (a) /V (Wednesday) ${box(220, 704)} /DA (/Helv 12 Tf 0 g) /AP << /N 12 0 R >>`,
        `/Subtype /Widget /FT /Tx /T (b) /V (95) ${box(220, 674)} /DA (/Helv 12 Tf 0 g)`,
        `/Subtype /Widget /FT /Btn /T (c) /V /Ja /AS /Ja ${box(220, 644, 20)} ${tick}`,
        `/Subtype /Widget /FT /Btn /T (d) /V /Off /AS /Off ${box(220, 614, 20)} ${tick}`,
        `/Subtype /Widget /FT /Ch /T (e) /V (2) /Opt [[(1) (One double bed)] [(2) (Two single beds)]] ${box(220, 584)} /DA (/Helv 12 Tf 0 g)`,
      ],
      { others: [stream('', '/Type /XObject /Subtype /Form /BBox [0 0 20 20]'), appearance('Wednesday and Friday')] },
    )
    expect((await extract(file)).text).toBe(`# Holiday flat Seagull

Reception is closed on: Wednesday and Friday
Deposit: 95
Pets allowed: [x]
Smoking: [ ]
Beds: Two single beds
Breakfast is served from 8 to 10.`)
  })

  test('is read without hidden fields, passwords and buttons', async () => {
    const field = (more: string, flags = 4) =>
      `/Subtype /Widget /Rect [220 690 400 710] /F ${flags} /DA (/Helv 12 Tf 0 g) ${more}`
    const file = pdf(heading + at(60, 700, 'Code:') + at(60, 650, 'Ring twice, then wait for the bell.'), [
      field('/FT /Tx /T (a) /V (secret)', 2),
      field('/FT /Tx /T (b) /V (hidden)', 32),
      field('/FT /Tx /T (c) /V (4711) /Ff 8192'),
      field('/FT /Btn /T (d) /Ff 65536 /MK << /CA (Print this form) >>'),
    ])
    expect((await extract(file)).text).toBe('# Holiday flat Seagull\n\nCode:\n\nRing twice, then wait for the bell.')
  })

  const xfa = '/AcroForm << /XFA 7 0 R /Fields [] >> /NeedsRendering true'
  const template = stream('<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template/></xdp:xdp>')
  const withXfa = (text: string, catalog = xfa) =>
    pdf(at(60, 700, text), ['/Subtype /Link /Rect [0 0 1 1]'], { catalog, others: [template] })

  test.each([
    'Please wait... Your PDF viewer may not be able to display this type of document.',
    'Bitte warten ...',
    'The document you are trying to load requires Adobe Reader 8 or higher.',
  ])('that only Adobe’s programs show is refused: %s', async (notice) => {
    await expect(extract(withXfa(notice))).rejects.toThrow('This is a form that only Adobe’s programs can show')
  })

  test('is read if it has an ordinary page, and so is a file that only asks to be rendered', async () => {
    expect((await extract(withXfa('The tennis court costs 18 euros. Send the PDF back.'))).text).toMatch('18 euros')
    expect((await extract(withXfa('Please wait for the bell.', '/NeedsRendering true'))).text).toMatch('for the bell')
  })
})

describe('a strike-out', () => {
  const strike = (x0: number, x1: number, y: number, more = '') =>
    `/Subtype /StrikeOut /Rect [${x0} ${y - 4} ${x1} ${y + 16}] /QuadPoints [${x0} ${y + 16} ${x1} ${y + 16} ${x0} ${y - 4} ${x1} ${y - 4}] /F 4 ${more}`
  const catalog = '/Lang (en)'

  test('of a line leaves its label, if a free text beside it has a new price', async () => {
    const content =
      heading + at(60, 740, 'Back massage, 30 minutes: 25 euros') + at(60, 716, 'Foot massage costs 21 euros')
    const file = pdf(
      content,
      [
        `/Subtype /FreeText /Contents (NEW: 29 euros) /DA (/Helv 12 Tf 1 0 0 rg) ${box(320, 744)} /AP << /N 8 0 R >>`,
        strike(60, 300, 740),
      ],
      { catalog, others: [appearance('NEW: 29 euros')] },
    )
    const { text, notes } = await extract(file)
    expect(text).toBe('# Holiday flat Seagull\n\nBack massage, 30 minutes: NEW: 29 euros\nFoot massage costs 21 euros')
    expect(notes).toEqual([leftOut('struck_passages', 1)])
  })

  test('in a line leaves one space, and two of them are counted', async () => {
    const content = heading + at(60, 740, 'Massage 25 euros 29 euros') + at(60, 700, 'Gone line with 3 words')
    const file = pdf(content, [strike(109, 158, 740), strike(60, 200, 700)], { catalog })
    const { text, notes } = await extract(file)
    expect(text).toBe('Holiday flat Seagull\n\nMassage 29 euros')
    expect(notes).toEqual([leftOut('struck_passages', 2)])
  })

  test('gives way to what a caret of its group says instead, or to its own number', async () => {
    const content =
      heading + at(60, 740, 'Massage 25 euros') + at(60, 720, 'Sauna 14 euros') + at(60, 700, 'Pool 5 euros')
    const file = pdf(
      content,
      [
        `/Subtype /Caret /Contents (29) ${box(125, 740, 5)}`,
        strike(108, 124, 740, '/IRT 6 0 R /RT /Group'),
        strike(96, 110, 720, '/Contents (16)'),
        strike(88, 95, 700, '/Contents (really?)'),
      ],
      { catalog },
    )
    expect((await extract(file)).text).toBe('# Holiday flat Seagull\n\nMassage 29 euros\nSauna 16 euros\nPool euros')
  })
})
