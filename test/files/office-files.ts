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

export const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`

export function xlsxOf(sheet: string, strings = ''): Buffer {
  const worksheet = ['worksheet', 'worksheets/sheet1.xml'] as const
  const parts = {
    'xl/workbook.xml': `<workbook xmlns="${sheetSpace}" xmlns:r="${relationType}"><sheets><sheet name="Prices" sheetId="1" r:id="r0"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      worksheet,
      ...(strings ? [['sharedStrings', 'sharedStrings.xml'] as const] : []),
    ]),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${sheetSpace}">${sheet}</worksheet>`,
  }
  return officeFile('spreadsheetml.sheet', parts, strings ? [{ name: 'xl/sharedStrings.xml', content: strings }] : [])
}

/** Slides of paragraphs. */
export function pptxOf(slides: readonly (readonly string[])[]): Buffer {
  const [p, a] = [`xmlns:p="${schemas}/presentationml/2006/main"`, `xmlns:a="${schemas}/drawingml/2006/main"`]
  const listed = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="r${index}"/>`).join('')
  const slide = (texts: readonly string[]) =>
    `<p:sld ${p} ${a}><p:cSld><p:spTree><p:sp><p:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`
  return officeFile('presentationml.presentation', {
    'ppt/presentation.xml': `<p:presentation ${p} xmlns:r="${relationType}"><p:sldIdLst>${listed}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(slides.map((_, index) => ['slide', `slides/slide${index}.xml`])),
    ...Object.fromEntries(slides.map((texts, index) => [`ppt/slides/slide${index}.xml`, slide(texts)])),
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

export const odsOf = (content: string) =>
  zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    {
      name: 'content.xml',
      content: `<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Prices">${content}</table:table></office:spreadsheet></office:body></office:document-content>`,
    },
  ])
