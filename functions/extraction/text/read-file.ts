import type { ExtractionNote, PageStart } from '../../../shared/database/tables.ts'
import { maxContentBytes } from '../../../shared/documents/contract/max-content-bytes.ts'
import { type FileType, fileTypeOf } from '../../../shared/files/file-types.ts'
import { type Block, firstHeading } from '../../../shared/text/blocks.ts'
import { cleanText } from '../../../shared/text/clean-text.ts'
import { decodeText } from '../../../shared/text/decode-text.ts'
import { toMarkdown } from '../../../shared/text/markdown.ts'
import { saneTitle } from '../../../shared/text/title.ts'
import { Unreadable } from '../../../shared/text/unreadable.ts'
import { contentType, packageFormat } from './format.ts'
import { leftOutNotes } from './left-out.ts'
import { isMark, markBlock, placedPages } from './page-marks.ts'
import type { Progress } from './pdf/page-notes.ts'
import { checkedPackage } from './zip-package.ts'

export type Extracted = {
  text: string
  notes?: ExtractionNote[] | undefined
  pageStarts?: PageStart[]
  sourceType: FileType
  title?: string | undefined
}

/** Reads a file as Markdown. A file can do harm, so run this in a process that may be killed. @throws Unreadable */
export async function readFile(file: Buffer, fileName: string, progress: Progress = () => {}): Promise<Extracted> {
  const { sourceType, content, notes, pages = [], titles = [] } = await contentOf(file, fileName, progress)
  const marked = cleanText(typeof content === 'string' ? content : toMarkdown(content))
  const { text, pageStarts } = placedPages(marked, pages)
  if (!/[\p{L}\p{N}]/u.test(text)) throw new Unreadable(file.every((byte) => byte === 0) ? 'empty' : 'no_text')
  return { text, notes, pageStarts, sourceType, title: saneTitle(titles) }
}

type Content = {
  sourceType: FileType
  content: string | Block[]
  notes?: ExtractionNote[]
  /** The number or name of each page, sheet or slide that the content marks. */
  pages?: (number | string)[]
  titles?: (string | undefined)[]
}

/** Readers are imported when needed: PDF.js takes a tenth of a second. */
async function contentOf(file: Buffer, fileName: string, progress: Progress): Promise<Content> {
  const type = contentType(file)
  switch (type) {
    case 'pdf': {
      const { blocks, notes, pages, titles } = await (await import('./pdf/read-pdf.ts')).readPdf(file, progress)
      const heading = firstHeading(blocks.filter((block) => !isMark(block)))
      return { sourceType: 'pdf', content: blocks, notes, pages, titles: [...titles, heading] }
    }
    case 'picture': {
      const { blocks, notes } = await (await import('./pdf/read-picture.ts')).readPicture(file, progress)
      return { sourceType: 'pdf', content: blocks, notes, titles: [firstHeading(blocks)] }
    }
    case 'rtf':
    case 'doc': {
      const { blocks, notes } = await (await import('./formats/office.ts')).officeBlocks(file, type)
      return { sourceType: 'docx', content: blocks, notes, titles: [firstHeading(blocks)] }
    }
    case 'eml': {
      const { blocks, title } = await (await import('./formats/mail.ts')).readMail(file)
      return { sourceType: 'txt', content: blocks, titles: [title] }
    }
    case 'zip':
      return await packageContent(file)
    case 'characters':
      return await characterContent(file, fileName)
  }
}

async function packageContent(file: Buffer): Promise<Content> {
  const { names, mimetype, isEncrypted, hides, title } = await checkedPackage(file)
  const format = packageFormat(names, mimetype)
  const sourceType = fileTypeOf(`.${format}`)!
  if (isEncrypted) throw new Unreadable('encrypted')
  // anydoc cannot leave hidden parts out.
  if (format === 'ods' && hides) throw new Unreadable('hidden_parts')
  if (format === 'xlsx')
    return { sourceType, titles: [title], ...(await (await import('./formats/workbook.ts')).workbookBlocks(file)) }
  if (format === 'epub') {
    const content = await (await import('./formats/book.ts')).bookBlocks(file)
    return { sourceType, content, titles: [title, firstHeading(content)] }
  }
  const { blocks, notes, file: shown } = await (await import('./formats/office.ts')).officeBlocks(file, format)
  // The first heading of a workbook is a sheet's name; the title property of a presentation is mostly its template's.
  if (format === 'pptx') {
    const { withSlideMarks, withSlideTitles } = await import('./formats/slide-titles.ts')
    const titled = await withSlideTitles(blocks, shown)
    return { sourceType, notes, titles: [firstHeading(titled), title], ...(await withSlideMarks(titled, shown)) }
  }
  if (format === 'ods') return { sourceType, titles: [title], ...withSheetMarks(blocks) }
  const heading = firstHeading(blocks)
  if (format === 'odp') return { sourceType, content: blocks, notes, titles: [heading, title] }
  const heads = await (await import('./formats/page-heads.ts')).pageHeads(file, format)
  return { sourceType, content: [...heads, ...blocks], notes, titles: [title, heading] }
}

/** Marks the beginnings of sheets, whose names are the headings. */
function withSheetMarks(blocks: readonly Block[]) {
  const sheets = blocks.filter((block) => block.kind === 'heading')
  const content = blocks.flatMap((block) =>
    block.kind === 'heading' ? [markBlock(sheets.indexOf(block)), block] : [block],
  )
  return { content, pages: sheets.map(({ text }) => text) }
}

async function characterContent(file: Buffer, fileName: string): Promise<Content> {
  const { declaredEncoding, isHtml, readHtml } = await import('../../../shared/text/html/html.ts')
  const text = decodeText(file, declaredEncoding(file))
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
  if (isHtml(text, fileName)) {
    const { blocks, title } = readHtml(text)
    return { sourceType: 'txt', content: blocks, titles: [title, firstHeading(blocks)] }
  }
  if (Buffer.byteLength(text) > maxContentBytes) throw new Unreadable('too_much_text')
  const { delimitedBlocks } = await import('./formats/delimited.ts')
  const rows = delimitedBlocks(text, { strict: !/\.(csv|tsv|tab)$/i.test(fileName) })
  if (rows) return { sourceType: 'csv', content: rows }
  if (!/\.(md|markdown)$/i.test(fileName)) return { sourceType: 'txt', content: text }
  const shown = (await import('./formats/markdown-comments.ts')).withoutComments(text)
  const notes = leftOutNotes(shown.leftOut)
  return { sourceType: 'txt', content: shown.text, notes, titles: [markdownHeading(shown.text)] }
}

function markdownHeading(text: string): string | undefined {
  const [, marked, underlined] = /^(?:#{1,6}[ \t]+(\S.*)|(\S.*)\n={3,}[ \t]*)$/m.exec(text.slice(0, 4_096)) ?? []
  return (marked?.replace(/(?<![ \t#])[ \t#]+$/, '') ?? underlined)?.replaceAll(/[*_`]|\[([^[\]]*)\]\([^()]*\)/g, '$1')
}
