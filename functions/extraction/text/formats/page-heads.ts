import type { Block } from '../../../../shared/text/blocks.ts'
import { withoutPageNumber } from '../page-number.ts'
import { characters, entriesNamed, targetsIn } from '../zip-package.ts'

const maxLetters = 256 * 1024
/** Stands in for a page's number until that is removed. */
const number = 987_654_321
/** Elements that show a page's number or the number of pages: a pattern of their tag and the text behind it, and a text in their end. */
const numberFields: [RegExp, string][] = [
  [/^w:fldSimple [^>]*?w:instr="\s*\w*PAGES?\b/, '/w:fldSimple'],
  [/^w:instrText[^>]*>\s*\w*PAGES?\b/, 'fldCharType="end"'],
  [/^text:page-number\b/, '/text:page-number'],
  [/^text:page-count\b/, '/text:page-count'],
]
const hidden = /^(?:mc:Fallback|w:pPr|w:instrText|w:delText|office:annotation)\b/
/** Marks of runs that are hidden or struck through. */
const leftOut = /^w:(?:vanish|d?strike)\b(?![^>]*"(?:0|false|off)")/

/** Reads the headers and footers that a DOCX or ODT shows, once and without page numbers. anydoc leaves them out. */
export async function pageHeads(file: Buffer, format: string): Promise<Block[]> {
  const parts = format === 'docx' ? await wordHeads(file) : format === 'odt' ? await writerHeads(file) : []
  const lines = parts.flatMap(linesOf).map((line) => withoutPageNumber(line, number, number))
  const text = [...new Set(lines)].filter((line) => /[\p{L}\d]/u.test(line)).join('\n')
  return text ? [{ kind: 'paragraph', text }] : []
}

/** Skips headers of the first page and of even pages that are turned off, which the file keeps. */
async function wordHeads(file: Buffer): Promise<string[]> {
  const parts = await entriesNamed(
    file,
    /^word\/((header|footer|document|settings)[^/]*\.xml|_rels\/document\d*\.xml\.rels)$/,
  )
  const text = (name: RegExp) => [...parts].find(([part]) => name.test(part))?.[1].toString() ?? ''
  const [document, settings] = [text(/document\d*\.xml$/), text(/settings\.xml$/)]
  const heads = targetsIn(text(/\.rels$/), 'word')
  const shown = {
    default: true,
    first: /<w:titlePg\s*\/?>/.test(document),
    even: settings.includes('<w:evenAndOddHeaders'),
  }
  const references = [...document.matchAll(/<w:(?:header|footer)Reference [^<>]*>/g)].map(([reference]) => reference)
  return references
    .filter((reference) => shown[(/w:type="(first|even)"/.exec(reference)?.[1] ?? 'default') as keyof typeof shown])
    .map((reference) => parts.get(`word/${heads.get(/r:id="([^"]*)"/.exec(reference)?.[1])}`)?.toString() ?? '')
}

async function writerHeads(file: Buffer): Promise<string[]> {
  const styles = (await entriesNamed(file, /^styles\.xml$/)).get('styles.xml')?.toString() ?? ''
  const heads = styles.split(/<(?=style:(?:header|footer)[ >])/).slice(1)
  return heads
    .map((head) => head.split(/<\/style:(?:header|footer)>/, 1)[0]!)
    .filter((head) => !/^[^>]*style:display="false"/.test(head))
    .map((head) => `<${head}`)
}

function linesOf(xml: string): string[] {
  const [first = '', ...pieces] = xml.slice(0, maxLetters).split('<')
  let [text, end] = [first, '']
  for (const piece of pieces) {
    if (end && !piece.includes(end)) continue
    const field = end ? undefined : numberFields.find(([begin]) => begin.test(piece))
    const name = end || field ? undefined : hidden.exec(piece)?.[0]
    const isEmpty = /^[^>]*\/>/.test(piece)
    end = leftOut.test(piece) ? '/w:r>' : isEmpty ? '' : (field?.[1] ?? (name ? `/${name}>` : ''))
    if (field) text += number
    if (piece.startsWith('w:noBreakHyphen')) text += '-'
    if (/^(?:w|text):(?:tab|br|cr|s|line-break)\b/.test(piece)) text += ' '
    if (/^\/(?:w|text):[ph]>/.test(piece)) text += '\n'
    if (!end) text += piece.slice(piece.indexOf('>') + 1)
  }
  return characters(text)
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
}
