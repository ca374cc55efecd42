import { maxContentBytes } from '../../../shared/documents/max-content-bytes.ts'
import type { FileType } from '../../../shared/files/file-types.ts'
import type { Block } from './blocks.ts'
import { cleanText } from './clean-text.ts'
import { decodeText } from './decode-text.ts'
import { contentType, type Format, packageFormat, sourceTypes } from './format.ts'
import { toMarkdown } from './markdown.ts'
import { Unreadable } from './unreadable.ts'
import { checkedPackage } from './zip-package.ts'

export interface Extracted {
  text: string
  sourceType: FileType
}

/**
 * A file's text as Markdown. What can be wrong with a file is not all known: call it in a process that may be killed.
 * @throws Unreadable
 */
export async function readFile(file: Buffer, fileName: string): Promise<Extracted> {
  const { format, content } = await contentOf(file, fileName)
  const text = cleanText(typeof content === 'string' ? content : toMarkdown(content))
  if (!/[\p{L}\p{N}]/u.test(text)) throw new Unreadable(file.every((byte) => byte === 0) ? 'empty' : 'no_text')
  return { text, sourceType: sourceTypes[format] }
}

interface Content {
  format: Format
  content: string | Block[]
}

/** Readers are loaded when the first file of their format comes: PDF.js alone takes a tenth of a second. */
async function contentOf(file: Buffer, fileName: string): Promise<Content> {
  switch (contentType(file)) {
    case 'pdf':
      return { format: 'pdf', content: await (await import('./pdf/read-pdf.ts')).pdfBlocks(file) }
    case 'rtf':
      return { format: 'rtf', content: await (await import('./formats/office.ts')).officeBlocks(file, 'rtf') }
    case 'zip':
      return await packageContent(file)
    case 'characters':
      return await characterContent(file, fileName)
  }
}

async function packageContent(file: Buffer): Promise<Content> {
  const { names, mimetype, isEncrypted, hides } = await checkedPackage(file)
  const format = packageFormat(names, mimetype)
  if (isEncrypted) throw new Unreadable('encrypted')
  // anydoc cannot leave them out, and callers must not hear what the owner shows to nobody.
  if (format === 'ods' && hides) throw new Unreadable('hidden_parts')
  if (format === 'xlsx') return { format, content: await (await import('./formats/workbook.ts')).workbookBlocks(file) }
  return { format, content: await (await import('./formats/office.ts')).officeBlocks(file, format) }
}

async function characterContent(file: Buffer, fileName: string): Promise<Content> {
  const { declaredEncoding, htmlBlocks, isHtml } = await import('./formats/html.ts')
  const text = decodeText(file, declaredEncoding(file))
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
  if (isHtml(text, fileName)) return { format: 'html', content: htmlBlocks(text) }
  // A table has more in Markdown than in commas: there is nothing to gain by reading on.
  if (Buffer.byteLength(text) > maxContentBytes) throw new Unreadable('too_much_text')
  const { delimitedBlocks } = await import('./formats/delimited.ts')
  const rows = delimitedBlocks(text, { strict: !/\.(csv|tsv|tab)$/i.test(fileName) })
  return rows ? { format: 'csv', content: rows } : { format: 'text', content: text }
}
