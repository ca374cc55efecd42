/** What every format is read into. Texts are plain: line breaks count, bold and italics are dropped. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; items: ListItem[] }
  | Table

/** A heading that the document begins with, if need be below a line or two. */
export function firstHeading(blocks: readonly Block[]): string | undefined {
  return blocks.slice(0, 3).find((block) => block.kind === 'heading')?.text
}

export interface ListItem {
  /** As Markdown writes it: `-` or `3.`, or `- b)` where the document counts otherwise */
  marker: string
  blocks: Block[]
}

export interface Table {
  kind: 'table'
  /** A merged cell's text stands in each position that it covers. */
  rows: string[][]
  /** Leading rows that name the columns, where the document says so. */
  headerRows?: number
}
