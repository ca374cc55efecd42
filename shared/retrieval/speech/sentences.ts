import { sentenceSeams } from '../../chunking/text-seams.ts'
import { rangesIn } from '../quantities.ts'
import { type TableRow, tableAt } from '../tables.ts'
import { endsShort } from './languages.ts'

const fence = /^\s*(?:`{3,}|~{3,})/
const rule = /^\s*(?:[-*_]\s*){3,}$|^\s*=+\s*$/
const heading = /^#{1,6} | #+$/
const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ x]\]\s+)?(?=\S)/i
const noValue = /^[-–—]?$/
/** A shorter line before a capital or a digit stands by itself, as in an address. */
const wrappedLength = 60

/** The sentences of a paragraph, an item, a heading or a table. */
export interface Paragraph {
  isHeading: boolean
  sentences: string[]
}

/** The sentences of Markdown without its marks: an item, a heading and a row of a table are one each. */
export function sentencesOf(markdown: string): string[] {
  return paragraphsOf(markdown).flatMap(({ sentences }) => sentences)
}

/** The same, by paragraph: a heading names what stands below it. */
export function paragraphsOf(markdown: string): Paragraph[] {
  const lines = markdown.split('\n').filter((line) => !fence.test(line))
  const paragraphs: Paragraph[] = []
  let open = ''
  const close = (isHeading = false) => {
    const sentences: string[] = []
    let from = 0
    for (const to of [...sentenceSeams(open, 0, open.length), open.length]) {
      const sentence = open.slice(from, to).trim()
      if (!sentence || (to < open.length && (endsShort(sentence) || isInDate(sentence, open.slice(to))))) continue
      sentences.push(sentence)
      from = to
    }
    if (sentences.length > 0) paragraphs.push({ isHeading, sentences })
    open = ''
  }
  for (let at = 0; at < lines.length; at++) {
    const table = tableAt(lines, at)
    if (table) {
      close()
      const sentences = table.rows.flatMap((row) => rowSentence(table.columns, row))
      paragraphs.push({ isHeading: false, sentences })
      at = table.end - 1
      continue
    }
    const isRule = rule.test(lines[at]!)
    const line = isRule ? '' : plain(lines[at]!.replace(/^(?:\s*>)+\s?/, ''))
    const isHeading = heading.test(line)
    const isShort = open.length < wrappedLength && /^[\p{Lu}\d]/u.test(line)
    if (line === '' || isHeading || item.test(line) || isShort) close()
    open += `${open && ' '}${line.replace(heading, '').replace(item, '')}`
    if (isHeading) close(true)
  }
  close()
  return paragraphs
}

/** True between “9.” and “August”, and between “Sat.”, “Oct.” and “17”. */
function isInDate(before: string, after: string): boolean {
  const short = /(?<!\p{L})(\p{L}{2,5})\.$/u.exec(before)?.[1]
  if (
    short &&
    isCalendarName(short) &&
    (/^\s*\d{1,2}(?!\d)/.test(after) || isCalendarName(/\p{L}+/u.exec(after)?.[0] ?? ''))
  )
    return true
  return /(?<!\d)[0-3]?\d\.$/.test(before) && /^\s*(?:j[aä]n|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)/i.test(after)
}

/** “Diavola, Small: £9.20, Large: £14.20.” A single column is named if its header has several words. */
function rowSentence(columns: string[][], { path, cells }: TableRow): string[] {
  const filled = cells.flatMap((text, column) => {
    if (column === 0 || noValue.test(text)) return []
    const header = columns[column]!.join(', ')
    return [header && (columns.length > 2 || header.includes(' ')) ? `${header}: ${text}` : text]
  })
  const name = path.map(plain).join(', ')
  if (filled.length === 0) return name ? [name] : []
  const values = filled.map(plain)
  return [`${name}${name && (columns.length > 2 || values[0]!.includes(': ') ? ', ' : ': ')}${values.join(', ')}`]
}

/** Adds a stop, unless the sentence ends with a mark. */
export function ended(sentence: string): string {
  return /[.!?…:;。！？]["'”’»)]*$/.test(sentence) ? sentence : `${sentence}.`
}

/** True for a name of a day or month. */
const isCalendarName = (word: string) => rangesIn(word).some(({ kind }) => kind === 'day' || kind === 'month')

/** Removes marks of emphasis, links, pictures and HTML. */
function plain(line: string): string {
  let text = line
  if (text.includes('<')) text = text.replaceAll(/<!--[^<>]*-->|<\/?[a-z][^<>]*>/gi, ' ')
  if (text.includes('](')) text = text.replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
  if (text.includes('://')) text = text.replaceAll(/\(?https?:\/\/(?:www\.)?([^\s()]*[^\s().,])\)?/g, '$1')
  if (/[*_~`\\]/.test(text))
    text = text
      .replaceAll(/\*\*|__|~~|`|(?<![\p{L}\d])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\d])/gu, '')
      .replaceAll(/\\([\\`*_{}[\]()#+.!|~>-])/g, '$1')
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(\p{L}*) – (?!(?:[£€$] ?)?\d)(\p{L}*)/gu, (dash, before, after) =>
      isCalendarName(before) && isCalendarName(after) ? dash : `${before}, ${after}`,
    )
    .trim()
}
