import type { Steps } from '../concurrency/steps.ts'
import { namesColumns, tableCells } from '../text/table-header.ts'
import { type Context, headerContext, lineContext } from './context-lines.ts'
import {
  beginsItem,
  closesFence,
  delimitsColumns,
  type Fence,
  headingLevel,
  headingText,
  type Line,
  linesOf,
  openedFence,
  underlineLevel,
} from './markdown-lines.ts'
import { isSpaceAt, skipSpace } from './pre-tokens.ts'

/** How firmly a seam separates two parts: the weakest seams are joined first, a section's never. */
export const strength = {
  heading: 0,
  cluster: 1,
  word: 2,
  line: 3,
  leadIn: 4,
  sentence: 5,
  stanza: 6,
  nested: 7,
  item: 8,
  block: 9,
  section: 10,
} as const
export type Strength = (typeof strength)[keyof typeof strength]

export interface Block {
  start: number
  kind: 'heading' | 'prose' | 'rows'
  strength: Strength
  headings: string[]
  context: Context | undefined
}

/** No-break spaces count as blank. */
function isBlank(text: string, { from, end }: Line): boolean {
  return skipSpace(text, from, end) === end
}

interface Header {
  line: Line
  above: Context | undefined
  context: Context
}

/** True if only the first of three or more cells has text. */
function isGroup(text: string, { from, end }: Line): boolean {
  let bars = 0
  let isNamed = false
  for (let at = from; at < end; at++) {
    if (text[at] === '|') bars++
    else if (isSpaceAt(text, at)) continue
    else if (bars === 1) isNamed = true
    else return false
  }
  return isNamed && bars > 2
}

type Shape = 'paragraph' | 'heading' | 'table' | 'item' | 'quote' | 'fence'

const kindOf: Record<Shape, Block['kind']> = {
  paragraph: 'prose',
  heading: 'heading',
  table: 'rows',
  item: 'prose',
  quote: 'prose',
  fence: 'rows',
}

const linesPerStep = 256

/** Splits the text into blocks that cover all of it. Reads CommonMark as far as cuts need it. */
export function* markdownBlocks(text: string): Steps<Block[]> {
  const reader = new BlockReader(text)
  let lines = 0
  for (const line of linesOf(text)) {
    reader.read(line)
    if (++lines % linesPerStep === 0) yield
  }
  return reader.blocks()
}

class BlockReader {
  readonly #text: string
  readonly #blocks: Block[] = []
  #headings: { level: number; text: string }[] = []
  #path: string[] = []
  #shape: Shape | undefined
  #lines = 0
  #afterBlank = false
  #inList = false
  #inner: Context | undefined
  #fence: Fence | undefined
  /** The header of the table that is being read. */
  #header: Header | undefined
  #previous: Line | undefined

  constructor(text: string) {
    this.#text = text
  }

  blocks(): Block[] {
    const [first] = this.#blocks
    if (first) first.start = 0
    else if (this.#text.length > 0)
      this.#blocks.push({ start: 0, kind: 'prose', strength: strength.section, headings: [], context: undefined })
    return this.#blocks
  }

  read(line: Line): void {
    if (this.#fence) {
      if (closesFence(this.#text, line, this.#fence)) this.#fence = undefined
    } else if (isBlank(this.#text, line)) {
      this.#afterBlank = true
    } else {
      this.#readText(line)
      this.#afterBlank = false
      this.#lines++
      this.#previous = line
    }
  }

  #readText(line: Line): void {
    const text = this.#text
    const first = text[line.from]
    const shallow = line.indent < 4 || this.#inList
    const open = this.#afterBlank ? undefined : this.#shape
    if (shallow) this.#fence = openedFence(text, line)
    const level = line.indent < 4 ? headingLevel(text, line) : 0
    const underline = open === 'paragraph' && this.#lines === 1 && line.indent < 4 ? underlineLevel(text, line) : 0
    if (this.#fence) {
      this.#open(line, 'fence')
    } else if (level > 0) {
      this.#openHeading(line, level, level)
    } else if (underline > 0) {
      this.#blocks.pop()
      this.#openHeading(this.#previous!, underline, 0)
    } else if (open === 'paragraph' && delimitsColumns(text, line, this.#previous!)) {
      if (this.#lines > 1) this.#open(this.#previous!, 'table')
      this.#shape = 'table'
      this.#blocks.at(-1)!.kind = kindOf.table
      this.#setHeader(line)
    } else if (first === '|' && shallow) {
      if (open !== 'table') this.#open(line, 'table')
      else if (this.#lines === 1 && delimitsColumns(text, line, this.#previous!)) this.#setHeader(line)
      else if (this.#header) this.#readRow(line, this.#header)
    } else if (shallow && beginsItem(text, line)) {
      this.#open(line, 'item')
    } else if (first === '>' && shallow) {
      if (open !== 'quote') this.#open(line, 'quote')
    } else if (!open || open === 'heading' || open === 'fence') {
      this.#open(line, 'paragraph')
    }
  }

  #openHeading(line: Line, level: number, marks: number): void {
    const above = this.#headings.filter((heading) => heading.level < level)
    this.#headings = [...above, { level, text: headingText(this.#text, line, marks) }]
    // `map` makes an array without room to grow.
    const path = this.#headings.map((heading) => heading.text)
    this.#path = path.includes('') ? path.filter((heading) => heading !== '') : path
    this.#open(line, 'heading')
  }

  #open(line: Line, shape: Shape, seam = this.#strengthBefore(line, shape)): void {
    const context = this.#contextOf(line, shape)
    this.#blocks.push({ start: line.start, kind: kindOf[shape], strength: seam, headings: this.#path, context })
    this.#inList = shape === 'item' || (shape !== 'heading' && this.#inList && line.indent >= 2)
    this.#inner = shape === 'item' ? lineContext(this.#text, line, line.indent, context) : context
    this.#shape = shape
    this.#lines = 0
    this.#header = undefined
  }

  #contextOf(line: Line, shape: Shape): Context | undefined {
    const isItem = shape === 'item'
    if (!isItem && (shape === 'heading' || !this.#inList || line.indent < 2)) return undefined
    let context = this.#inList ? this.#inner : undefined
    while (context && context.indent > line.indent - 2) context = context.above
    if (!isItem || !this.#isLedIn(line)) return context
    return lineContext(this.#text, this.#previous!, this.#inList ? line.indent - 2 : Number.NEGATIVE_INFINITY, context)
  }

  /** True if the paragraph above introduces the list that begins here. */
  #isLedIn({ indent }: Line): boolean {
    if (this.#shape !== 'paragraph' || (this.#inList && this.#previous!.indent > indent)) return false
    return this.#lines === 1 || this.#introduces(this.#previous!.from, this.#previous!.end)
  }

  /** A header row without text is not repeated. */
  #setHeader(delimiter: Line): void {
    const table = this.#blocks.at(-1)!
    if (!/[^\s|]/.test(this.#text.slice(this.#previous!.start, this.#previous!.end))) return
    const above = table.context
    table.context = headerContext(this.#text, this.#previous!, delimiter, above)
    this.#header = { line: this.#previous!, above, context: table.context }
  }

  /** Chunks repeat a second header row with the first, and a row with a single text with the rows below it. */
  #readRow(row: Line, header: Header): void {
    const table = this.#blocks.at(-1)!
    const rowOf = ({ start, end }: Line) => tableCells(this.#text.slice(start, end))
    if (this.#lines === 2 && table.context === header.context && namesColumns(rowOf(header.line), rowOf(row))) {
      header.context = headerContext(this.#text, header.line, row, header.above)
      table.context = header.context
    } else if (isGroup(this.#text, row)) {
      this.#open(row, 'table', strength.nested)
      this.#blocks.at(-1)!.context = lineContext(this.#text, row, row.indent, header.context)
      this.#header = header
    }
  }

  #strengthBefore(line: Line, shape: Shape): Strength {
    const before = this.#blocks.at(-1)
    if (!before) return strength.section
    if (before.kind === 'heading') return strength.heading
    if (shape === 'heading') return strength.section
    if (this.#introduces(before.start, line.start)) return strength.leadIn
    if (!this.#inList) return strength.block
    if (line.indent >= 2) return strength.nested
    return shape === 'item' ? strength.item : strength.block
  }

  /** True if a line such as `Opening hours:` introduces the list or table below it. */
  #introduces(start: number, end: number): boolean {
    let last = end - 1
    while (last > start && ' \t\r\n'.includes(this.#text[last]!)) last--
    return this.#text[last] === ':'
  }
}
