import type { Block, ListItem, Table } from './blocks.ts'
import { columnGroups, columnIndexes, headerRowsOf, lineOf, titleRowsOf } from './table-header.ts'

/** Blocks as Markdown. Text is escaped only where it would be taken for structure, since it is searched and spoken. */
export function toMarkdown(blocks: readonly Block[]): string {
  return blocks.map(blockToMarkdown).filter(Boolean).join('\n\n')
}

function blockToMarkdown(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return (
        block.text.trim() &&
        `${'#'.repeat(Math.min(6, Math.max(1, block.level)))} ${block.text.replace(/\s+/g, ' ').trim()}`
      )
    case 'paragraph':
      return escapeLines(block.text)
    case 'code':
      return fenced(block.text)
    case 'quote':
      return quoted(toMarkdown(block.blocks))
    case 'list':
      return block.items.map(itemToMarkdown).filter(Boolean).join('\n')
    case 'table':
      return tableToMarkdown(block)
  }
}

function quoted(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '> ')
}

function itemToMarkdown({ marker, blocks }: ListItem): string {
  const text = blocks.map(blockToMarkdown).filter(Boolean).join('\n')
  return text && `${marker} ${text.replaceAll('\n', '\n   ')}`
}

function tableToMarkdown({ rows, headerRows = 0 }: Table): string {
  const filled = rows.map((row) => row.map(cellText))
  const groups = columnGroups(filled).map((columns) => filled.map((row) => columns.map((column) => row[column] ?? '')))
  return groups.map((group) => gridToMarkdown(group, headerRows)).join('\n\n')
}

function gridToMarkdown(filled: string[][], headerRows: number): string {
  const columns = columnIndexes(filled).filter((column) => filled.some((row) => row[column]))
  const kept = filled.map((row) => columns.map((column) => row[column] ?? '')).filter((row) => row.some(Boolean))
  const titles = columns.length < 2 ? kept.length : titleRowsOf(kept)
  const above = kept.slice(0, titles).map((row) => escapeLines(lineOf(row)))
  const body = kept.slice(titles)
  if (body.length === 0) return above.join('\n\n')
  let heads = headerRows > titles ? Math.min(headerRows - titles, body.length) : headerRowsOf(body)
  // The first group's name is marked as a header, too.
  while (heads > 1 && isOneText(body[heads - 1]!)) heads--
  const header = columns.map((_, column) => joinedHeads(filledHeads(body.slice(0, heads)).map((row) => row[column]!)))
  const below = body
    .slice(heads)
    .map((row) => (isOneText(row) ? row.map((text, column) => (column > 0 ? '' : text)) : row))
  const lines = [header, columns.map(() => '---'), ...below].map((row) => `| ${row.join(' | ')} |`)
  return [...above, lines.join('\n')].join('\n\n')
}

function isOneText(row: readonly string[]): boolean {
  return row.length > 2 && /\p{L}/u.test(row[0]!) && row.every((text) => text === row[0])
}

/** A name above several columns stands in the first of them: it is repeated above the names below it. */
function filledHeads(heads: readonly string[][]): string[][] {
  const isNamed: boolean[] = []
  return heads.map((row, at) => {
    const below = heads[at + 1] ?? []
    let name = ''
    const filled = row.map((text, column) => {
      if (text && below[column]) name = text
      return text || !below[column] || isNamed[column] ? text : name
    })
    for (const [column, text] of row.entries()) isNamed[column] ||= text !== ''
    return filled
  })
}

/** `Price` above `Half day` and `Day` becomes `Price: Half day` and `Price: Day`. */
function joinedHeads(texts: string[]): string {
  return texts.filter((text, row) => text !== '' && text !== texts[row - 1]).join(': ')
}

function cellText(text: string): string {
  const lines = text.split('\n').flatMap((line) => line.trim() || [])
  const ended = lines.map((line, at) =>
    at === lines.length - 1 || /[,;:.!?–-]/.test(line.slice(-1)) ? line : `${line};`,
  )
  return ended.join(' ').replaceAll('|', '\\|')
}

function escapeLines(text: string): string {
  return text.trim().replace(/^[ \t]*(?=#{1,6}[ \t]|`{3}|~{3}|\|)/gm, '\\')
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return text.trim() && `${fence}\n${text.replace(/^\n+/, '').trimEnd()}\n${fence}`
}
