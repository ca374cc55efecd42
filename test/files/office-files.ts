import { type ZipEntry, zipOf } from './zip-of.ts'

const schemas = 'http://schemas.openxmlformats.org'
const relationType = `${schemas}/officeDocument/2006/relationships`
export const sheetSpace = `${schemas}/spreadsheetml/2006/main`

const relations = (targets: readonly (readonly [type: string, target: string])[]) =>
  `<Relationships xmlns="${schemas}/package/2006/relationships">${targets.map(([type, target], index) => `<Relationship Id="r${index}" Type="${relationType}/${type}" Target="${target}"/>`).join('')}</Relationships>`

/** An office document whose main part is the first. */
function officeFile(type: string, parts: Record<string, string>, more: ZipEntry[] = [], prolog = ''): Buffer {
  const main = Object.keys(parts)[0]!
  const all = {
    '[Content_Types].xml': `<Types xmlns="${schemas}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    '_rels/.rels': relations([['officeDocument', main]]),
    ...parts,
  }
  const declared = (name: string) => `<?xml version="1.0"?>${name === main ? prolog : ''}`
  return zipOf([
    ...Object.entries(all).map(([name, content]) => ({ name, content: declared(name) + content })),
    ...more,
  ])
}

export function docxOf(body: string, more: ZipEntry[] = [], prolog = ''): Buffer {
  const document = `<w:document xmlns:w="${schemas}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`
  return officeFile('wordprocessingml.document', { 'word/document.xml': document }, more, prolog)
}

/** @param marks the run's properties */
export const run = (text: string, marks = '') =>
  `<w:r>${marks && `<w:rPr>${marks}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`
export const paragraph = (text: string) => `<w:p>${run(text)}</w:p>`
/** A table's row of cells of runs. */
export const row = (cells: readonly string[]) =>
  `<w:tr>${cells.map((cell) => `<w:tc><w:p>${cell}</w:p></w:tc>`).join('')}</w:tr>`

/** A document with styles and the header of its pages, if there is any. */
export function styledDocx(body: string, styles: string, header = ''): Buffer {
  const space = `xmlns:w="${schemas}/wordprocessingml/2006/main" xmlns:r="${relationType}"`
  const section = `<w:sectPr><w:headerReference ${space} w:type="default" r:id="r1"/></w:sectPr>`
  const targets = relations([['styles', 'styles.xml'], ...(header ? [['header', 'header1.xml'] as const] : [])])
  return docxOf(header ? body + section : body, [
    { name: 'word/_rels/document.xml.rels', content: targets },
    { name: 'word/styles.xml', content: `<w:styles ${space}>${styles}</w:styles>` },
    { name: 'word/header1.xml', content: `<w:hdr ${space}>${header}</w:hdr>` },
  ])
}

/** @param formats of numbers, for the styles from 1 on; the style after them is struck through */
export function xlsxOf(
  sheet: string,
  strings = '',
  { hiddenSheet = '', is1904 = false, formats = [] as string[] } = {},
): Buffer {
  const targets: [string, string][] = [['worksheet', 'worksheets/sheet1.xml']]
  const more: ZipEntry[] = []
  const add = (type: string, name: string, content: string) => {
    targets.push([type, name])
    more.push({ name: `xl/${name}`, content })
  }
  if (hiddenSheet)
    add('worksheet', 'worksheets/sheet2.xml', `<worksheet xmlns="${sheetSpace}">${hiddenSheet}</worksheet>`)
  if (strings) add('sharedStrings', 'sharedStrings.xml', strings)
  if (formats.length > 0) add('styles', 'styles.xml', numberStyles(formats))
  const listed = hiddenSheet && '<sheet name="Costs" sheetId="2" state="hidden" r:id="r1"/>'
  const parts = {
    'xl/workbook.xml': `<workbook xmlns="${sheetSpace}" xmlns:r="${relationType}">${is1904 ? '<workbookPr date1904="1"/>' : ''}<sheets><sheet name="Prices" sheetId="1" r:id="r0"/>${listed}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(targets),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${sheetSpace}">${sheet}</worksheet>`,
  }
  return officeFile('spreadsheetml.sheet', parts, more)
}

function numberStyles(formats: readonly string[]): string {
  const ids = formats.map((_, at) => 164 + at)
  const codes = formats.map((code, at) => `<numFmt numFmtId="${ids[at]}" formatCode="${code}"/>`).join('')
  const styles = [0, ...ids].map((id) => `<xf numFmtId="${id}" applyNumberFormat="1"/>`).join('')
  return `<styleSheet xmlns="${sheetSpace}"><numFmts>${codes}</numFmts><fonts><font/><font><strike/></font></fonts><cellXfs>${styles}<xf numFmtId="0" fontId="1" applyFont="1"/></cellXfs></styleSheet>`
}

/** Slides of paragraphs, or of shapes. @param hidden the indexes of hidden slides, each of which has the speaker's notes */
export function pptxOf(
  slides: readonly (readonly string[] | string)[],
  hidden: readonly number[] = [],
  notes = '',
): Buffer {
  const [p, a] = [`xmlns:p="${schemas}/presentationml/2006/main"`, `xmlns:a="${schemas}/drawingml/2006/main"`]
  const listed = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="r${index}"/>`).join('')
  const slide = (texts: readonly string[] | string, isHidden: boolean) =>
    `<p:sld ${p} ${a}${isHidden ? ' show="0"' : ''}><p:cSld><p:spTree>${typeof texts === 'string' ? texts : `<p:sp><p:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`}</p:spTree></p:cSld></p:sld>`
  return officeFile('presentationml.presentation', {
    'ppt/presentation.xml': `<p:presentation ${p} xmlns:r="${relationType}"><p:sldIdLst>${listed}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(slides.map((_, index) => ['slide', `slides/slide${index}.xml`])),
    ...Object.fromEntries(
      slides.map((texts, index) => [`ppt/slides/slide${index}.xml`, slide(texts, hidden.includes(index))]),
    ),
    ...Object.fromEntries(
      hidden.flatMap((index) => [
        [`ppt/slides/_rels/slide${index}.xml.rels`, relations([['notesSlide', `../notesSlides/notes${index}.xml`]])],
        [
          `ppt/notesSlides/notes${index}.xml`,
          `<p:notes ${p} ${a}><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${notes}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>`,
        ],
      ]),
    ),
  })
}

/** @param order the chapters' numbers; all of them without it */
export const epubOf = (chapters: readonly string[], more: ZipEntry[] = [], order = [...chapters.keys()]) =>
  zipOf([
    { name: 'mimetype', content: 'application/epub+zip' },
    { name: 'META-INF/container.xml', content: '<rootfile full-path="book/a.opf"/>' },
    {
      name: 'book/a.opf',
      content: `<manifest>${chapters.map((_, id) => `<item id="c${id}" href="c${id}.xhtml" media-type="application/xhtml+xml"/>`).join('')}</manifest><spine>${order.map((id) => `<itemref idref="c${id}"/>`).join('')}</spine>`,
    },
    ...chapters.map((content, id) => ({ name: `book/c${id}.xhtml`, content })),
    ...more,
  ])
export const mailOf = (rest: string) => Buffer.from(`From: a@b.example\nMIME-Version: 1.0\n${rest}`)

const openSpaces = ['office', 'table', 'text', 'style', 'drawing', 'presentation']
  .map((name) => `xmlns:${name === 'drawing' ? 'draw' : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ')

function openDocument(type: string, body: string, styles = ''): Buffer {
  return zipOf([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${type}` },
    {
      name: 'content.xml',
      content: `<?xml version="1.0"?><office:document-content ${openSpaces} xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${type}>${body}</office:${type}></office:body></office:document-content>`,
    },
  ])
}

export const odsOf = (content: string) =>
  openDocument('spreadsheet', `<table:table table:name="Prices">${content}</table:table>`)
export const odtOf = (styles: string, body: string) => openDocument('text', body, styles)

/** Slides of one text each. @param hidden the indexes of hidden slides */
export function odpOf(slides: readonly string[], hidden: readonly number[]): Buffer {
  const style = (name: string, visibility: string) =>
    `<style:style style:name="${name}" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="${visibility}"/></style:style>`
  const pages = slides.map(
    (text, index) =>
      `<draw:page draw:name="p${index}" draw:style-name="${hidden.includes(index) ? 'dp2' : 'dp1'}"><draw:frame svg:y="1cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`,
  )
  return openDocument('presentation', pages.join(''), style('dp1', 'visible') + style('dp2', 'hidden'))
}
