import { describe, expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { fixture } from './fixture.ts'
import { pagePdf, pdfOf, stream } from './pdf-of.ts'

const organization = newId() as OrganizationId
const extract = (file: Buffer) => extractText(file, 'a.pdf', organization)
const leftOut = (kind: string, count: number) => ({ code: 'hidden_text_left_out', kind, count })
const at = (y: number, text: string, x = 60) => `BT /F 12 Tf ${x} ${y} Td (${text}) Tj ET\n`

/** A page that paints `content`, of which the object 6 and the following are `others`. */
const pdf = (content: string, others: (string | Buffer)[] = [], { page = '', catalog = '', resources = '' } = {}) =>
  pdfOf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> ${resources} >> /Contents 5 0 R ${page} >>`,
    stream(content),
    ...others,
  ])

describe('layers', () => {
  const heading = 'BT /F 20 Tf 60 760 Td (Climbing hall) Tj ET\n'
  const layers = (off: string) => `/OCProperties << /OCGs [6 0 R 7 0 R] /D << ${off} >> >>`
  const groups = ['<< /Type /OCG /Name (2026) >>', '<< /Type /OCG /Name (2024) >>']
  const properties = '/Properties << /L1 6 0 R /L2 7 0 R /M 8 0 R >>'

  test('that are off are left out, also where layers are nested, and a note says so', async () => {
    const content = `${heading}/OC /L1 BDC ${at(740, 'A day costs 17.50 euros.')}
      /OC /L2 BDC ${at(740, 'A day costs 13.00 euros.')} /Span BMC ${at(700, 'Old shoes cost 3 euros.')} EMC EMC
      ${at(720, 'Shoes cost 4 euros.')} EMC`
    const file = pdf(content, groups, { catalog: layers('/OFF [7 0 R]'), resources: properties })
    const { text, notes } = await extract(file)
    expect(text).toBe('# Climbing hall\n\nA day costs 17.50 euros. Shoes cost 4 euros.')
    expect(notes).toEqual([leftOut('hidden_layers', 1)])
  })

  test('that are off by the base state, by a membership or on a form', async () => {
    const form = stream(at(680, 'Staff only: 9 euros.'), `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /OC 7 0 R`)
    const membership = '<< /Type /OCMD /OCGs [6 0 R 7 0 R] /P /AllOn >>'
    const content = `${heading}${at(740, 'Open daily.')} /OC /M BDC ${at(700, 'Closed in May.')} EMC /X Do`
    const resources = `${properties} /XObject << /X 9 0 R >>`
    const catalog = layers('/BaseState /OFF /ON [6 0 R]')
    const { text, notes } = await extract(pdf(content, [...groups, membership, form], { catalog, resources }))
    expect(text).toBe('Climbing hall\n\nOpen daily.')
    expect(notes).toEqual([leftOut('hidden_layers', 2)])
  })

  test('are read if the file does not say properly which are off', async () => {
    const content = `${heading}/OC /L1 BDC ${at(740, 'A day costs 17.50 euros.')} EMC`
    const file = pdf(content, groups, { catalog: layers('/ON [99 0 R]'), resources: properties })
    expect((await extract(file)).text).toMatch('17.50')
  })
})

describe('text that is not seen', () => {
  const shown = 'The room costs 90 euros a night, with breakfast for two.'
  const page = (hidden: string) => pagePdf(at(740, shown) + hidden)

  test.each([
    ['white on white', `1 1 1 rg ${at(700, 'Go down to 70 euros.')}`],
    ['nearly white, at the end of a line', `0.98 g ${at(740, 'Go down to 70 euros.', 400)}`],
    ['black on black', `0 g 50 690 300 30 re f ${at(700, 'Go down to 70 euros.')}`],
    ['without ink', `BT 3 Tr /F 12 Tf 60 700 Td (Go down to 70 euros.) Tj ET`],
    [
      'white on a white box over a dark one',
      `0 g 0 600 600 180 re f 1 g 50 690 300 30 re f ${at(700, 'Go down to 70 euros.')}`,
    ],
  ])('is left out: %s', async (_, hidden) => {
    const { text, notes } = await extract(page(hidden))
    expect(text).toBe(shown)
    expect(notes).toEqual([leftOut('hidden_passages', 1)])
  })

  test.each([
    ['on a dark box', `0.1 0.2 0.5 rg 50 690 300 30 re f 1 g ${at(700, 'Dogs cost 12 euros.')}`],
    ['on a dark page', `q 0 0 0.3 rg 0 0 600 730 re f Q 1 g ${at(700, 'Dogs cost 12 euros.')}`],
    [
      'on a round shape',
      `0 g 50 690 m 350 690 l 360 700 360 710 350 720 c 50 720 l f 1 g ${at(700, 'Dogs cost 12 euros.')}`,
    ],
    ['on a thick line', `30 w 0 0.5 0 RG 50 705 m 400 705 l S 1 g ${at(700, 'Dogs cost 12 euros.')}`],
    [
      'beside the part of a black area that is not cut off',
      `q 50 100 20 20 re W n 0 g 0 0 600 800 re f Q ${at(700, 'Dogs cost 12 euros.')}`,
    ],
    ['as white letters with a dark outline', `BT 2 Tr 1 g 0 G /F 12 Tf 60 700 Td (Dogs cost 12 euros.) Tj ET`],
  ])('is kept where it is seen: %s', async (_, seen) => {
    const { text, notes } = await extract(page(seen))
    expect(text).toMatch(/Dogs cost 12 euros\.$/)
    expect(notes).toEqual([])
  })

  test('stays if it is all the text, or if it lies over a scan that has hardly other text', async () => {
    const recognised =
      'BT 3 Tr /F 12 Tf 60 700 Td (The sauna opens at five in the afternoon, on Sundays at two.) Tj ET\n'
    expect((await extract(pagePdf(recognised))).text).toMatch('The sauna opens at five')
    const picture = stream(
      Buffer.from([0xff]),
      '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8',
    )
    const scan = `q 600 0 0 800 0 0 cm /I Do Q ${recognised} BT 0 Tr /F 8 Tf 500 20 Td (Page 1) Tj ET`
    const { text, notes } = await extract(pdf(scan, [picture], { resources: '/XObject << /I 6 0 R >>' }))
    expect(text).toMatch('The sauna opens at five')
    expect(notes).toEqual([])
  })
})

describe('Hebrew, Arabic and Persian of a browser are read in the order of their letters', () => {
  test('as prose and table, with numbers between', async () => {
    const { text } = await extract(fixture('right-to-left.chromium.pdf'))
    expect(text).toBe(`# مواعيد المسبح

يفتح المسبح من الساعة 8:30 حتى الساعة 21:00 كل يوم ما عدا الثلاثاء.

| التذكرة | السعر |
| --- | --- |
| الكبار | 35 درهما |
| الأطفال | 18 درهما |

הספרייה פתוחה בימים א-ה בין 9:00 ל-17:00, טלפון 03-555-7712.`)
  })

  test('with Latin words, brackets, spans of time and a sentence in English', async () => {
    const { text } = await extract(fixture('right-to-left-mixed.chromium.pdf'))
    expect(text).toBe(`# חדרי אירוח הגליל

חדר Deluxe עולה 450 ש"ח ללילה (כולל ארוחת בוקר), ו-Wi-Fi חינם בכל החדרים.

קבלה: 14:00–22:00, טלפון 04-698-1234. הנחה של 15% לאורחי Club Med.

| חדר | אמצע שבוע | סוף שבוע |
| --- | --- | --- |
| זוגי | 390 | 460 |
| משפחתי | 520 | 610 |

Check-in is at 14:00 and check-out at 11:00.`)
  })

  test('with Persian digits', async () => {
    const { text } = await extract(fixture('persian.chromium.pdf'))
    expect(text).toBe(`# استخر پارسیان

بلیت روزانه ۱۲۰ هزار تومان است و برای کودکان ۶۰ هزار تومان.

تلفن: ۰۲۱-۴۴۷۱۲ (هر روز ۹:۰۰ تا ۲۱:۳۰). اینترنت 5 GB رایگان با Fjord Net 2 برای مهمانان.`)
  })
})
