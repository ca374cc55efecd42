/** The form into which every format is read. Line breaks count; bold and italics are dropped. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; items: ListItem[] }
  | Table

export function firstHeading(blocks: readonly Block[]): string | undefined {
  return blocks.slice(0, 3).find((block) => block.kind === 'heading')?.text
}

export interface ListItem {
  /** `-` or `3.`, or `- b)` where the document counts otherwise. */
  marker: string
  blocks: Block[]
}

export interface Table {
  kind: 'table'
  /** A merged cell's text stands in each position that it covers. */
  rows: string[][]
  /** The number of leading rows that name the columns, if the document says so. */
  headerRows?: number
}

export function plain(blocks: readonly Block[]): string {
  return blocks.map(plainBlock).filter(Boolean).join('\n')
}

function plainBlock(block: Block): string {
  switch (block.kind) {
    case 'list':
      return block.items.map(({ blocks }) => plain(blocks)).join('\n')
    case 'quote':
      return plain(block.blocks)
    case 'table':
      return block.rows.map((row) => row.filter(Boolean).join(', ')).join('\n')
    default:
      return block.text
  }
}

/** A link's text, and the address or number that it does not show. */
export function withAddress(text: string, address = ''): string {
  const [, scheme, rest = ''] = /^(https?:\/\/|mailto:|tel:)(.+)$/i.exec(address) ?? []
  if (!scheme || text.trim() === '' || text.includes(rest.replace(/\/$/, ''))) return text
  return `${text} (${/^http/i.test(scheme) ? address : rest})`
}
