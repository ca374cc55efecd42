import { entriesNamed, packageOf } from '../zip-package.ts'

/** Changes the XML of a part, whose bytes are decoded as Latin-1. */
type Rewrite = (xml: string, leftOut: LeftOut) => string
type LeftOut = { hidden_slides: number }

const openDocumentHiding: [string, string] = ['fo:font-style="italic"', 'text:display="none"']
/** Parts of Word that may hold text in white which is visible: on a picture, or on a style's ground. */
const mayHaveGround = /<w:(?:shd|highlight) |<w:pStyle w:val="(?!Normal|Standard|TextBody|BodyText)/

/**
 * Prepares text documents and presentations for anydoc, which reads hidden text and slides, and no rows in content controls.
 * Hidden text becomes italic, and italic text plain, since anydoc resolves the styles of italics.
 */
const rewrites: Record<string, [parts: RegExp, Rewrite]> = {
  docx: [
    /^\/?word\/(?!header|footer)[^/]+\.xml$/,
    (xml) => withFreeRows(withoutInk(swapped(xml, /(?<=<\/?)w:(?:i|vanish)(?=[\s/>])/g, ['w:i', 'w:vanish']))),
  ],
  odt: [
    /^(?:content|styles)\.xml$/,
    (xml) => swapped(xml, new RegExp(openDocumentHiding.join('|'), 'g'), openDocumentHiding),
  ],
  pptx: [/^\/?ppt\/slides\/slide\d+\.xml$/, withoutHiddenSlide],
  odp: [/^content\.xml$/, withoutHiddenPages],
}

/** @returns the package without its hidden slides, and with its hidden text in italics; pictures are dropped */
export async function shownPackage(file: Buffer, format: string) {
  const leftOut = { hidden_slides: 0 }
  const [parts, rewrite] = rewrites[format] ?? []
  if (!parts || !rewrite) return { file, leftOut }
  const entries = await entriesNamed(file, /\.(?:xml|rels)$|^mimetype$/)
  let isChanged = false
  for (const [name, content] of entries) {
    if (!parts.test(name)) continue
    const xml = content.toString('latin1')
    const shown = rewrite(xml, leftOut)
    if (shown !== xml) entries.set(name, Buffer.from(shown, 'latin1'))
    isChanged ||= shown !== xml
  }
  return { file: isChanged ? packageOf(entries) : file, leftOut }
}

function swapped(xml: string, either: RegExp, [one, other]: [string, string]): string {
  return xml.replace(either, (found) => (found === one ? other : one))
}

/** Marks white text as hidden where its ground is surely white: in plain paragraphs outside of tables and boxes. */
function withoutInk(xml: string): string {
  if (/<w:background |behindDoc="1"|<w:pict\b/.test(xml)) return xml
  let depth = 0
  const parts = xml.split(/(?<=<\/w:p>)/).map((part) => {
    for (const [, end] of part.matchAll(/<(\/?)w:(?:tbl|txbxContent)[ >]/g)) depth += end ? -1 : 1
    if (depth > 0 || mayHaveGround.test(part)) return part
    return part.replace(/<w:color w:val="FFFFFF"[^<>]*>/gi, '<w:i/>')
  })
  return parts.join('')
}

/** Takes rows out of content controls, and writes hyphens that do not break as text. */
function withFreeRows(xml: string): string {
  const open: string[] = []
  const free = xml.replace(/<(\/?)w:(tbl|tr|tc|sdt|sdtContent|customXml)(?=[ >])[^<>]*>/g, (tag, end, name) => {
    if (end) return open.pop() === '' ? '' : tag
    const isAroundRows = ['tbl', ''].includes(open.at(-1) ?? 'body') && name !== 'tr'
    open.push(isAroundRows ? '' : name)
    return isAroundRows ? '' : tag
  })
  return free.replace(/<w:noBreakHyphen\s*\/>/g, '<w:t>-</w:t>')
}

/** A slide without a shape tree keeps the numbers of those behind it, and anydoc skips it with its speaker notes. */
function withoutHiddenSlide(xml: string, leftOut: LeftOut): string {
  if (!/<p:sld [^<>]*\bshow="(?:0|false)"/.test(xml)) return xml
  leftOut.hidden_slides++
  return '<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"/>'
}

function withoutHiddenPages(xml: string, leftOut: LeftOut): string {
  const styles = xml.split('<style:style ').filter((style) => style.includes('presentation:visibility="hidden"'))
  const hidden = new Set(styles.map((style) => /style:name="([^"]*)"/.exec(style)?.[1]))
  const [before, ...pages] = xml.split(/(?=<draw:page )/)
  const shown = pages.map((page) => {
    if (!hidden.has(/draw:style-name="([^"]*)"/.exec(page)?.[1])) return page
    leftOut.hidden_slides++
    return page.split('</draw:page>').slice(1).join('')
  })
  return [before, ...shown].join('')
}
