import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { type Block, type ListItem, plain, type Table, withAddress } from '../blocks.ts'
import { Unreadable } from '../unreadable.ts'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

const maxDepth = 400
const maxSpan = 1_000
const maxCells = 2_000_000
const skipped =
  /^(head|script|style|noscript|template|svg|math|iframe|object|embed|canvas|audio|video|nav|button|select|input|textarea|datalist|dialog)$/
const blockNames =
  /^(address|article|aside|blockquote|body|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h1|h2|h3|h4|h5|h6|header|hgroup|hr|html|legend|li|main|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)$/

export function readHtml(html: string): { blocks: Block[]; title: string | undefined } {
  const document = parse(html)
  const blocks = blocksOf(document.childNodes as Node[], 0)
  const title = titleOf(document.childNodes as Node[])
  const isMissing = title && !blocks.some(({ kind }) => kind === 'heading')
  return { blocks: isMissing ? [{ kind: 'heading', level: 1, text: title }, ...blocks] : blocks, title }
}

/** A part of a mail or book, all of which is meant to be read. */
export function htmlBlocks(html: string): Block[] {
  return blocksOf(parse(html).childNodes as Node[], 0)
}

export function declaredEncoding(bytes: Buffer): string | undefined {
  return /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(bytes.toString('latin1', 0, 1024))?.[1]
}

/** Looks at the start: a doctype, a root element, or any tag if the name says HTML. */
export function isHtml(text: string, fileName: string): boolean {
  const start = text.slice(0, 2048).replace(/^(\s|<\?xml[^>]*>|<!--.*?-->)+/s, '')
  return /^<(!doctype\s+html|html|head|body)\b/i.test(start) || (/\.x?html?$/i.test(fileName) && /^<[a-z]/i.test(start))
}

function blocksOf(nodes: readonly Node[], depth: number): Block[] {
  if (depth > maxDepth) throw new Unreadable('too_complex')
  const blocks: Block[] = []
  let inline: Node[] = []
  const flush = () => {
    const text = inlineText(inline, depth)
      .replace(/[ \t]*\n[ \t]*/g, '\n')
      .trim()
    if (text) blocks.push({ kind: 'paragraph', text })
    inline = []
  }
  for (const node of nodes) {
    if (!isElement(node) || !holdsBlocks(node, depth)) {
      inline.push(node)
      continue
    }
    flush()
    if (!isHidden(node)) blocks.push(...elementBlocks(node, depth + 1))
  }
  flush()
  return blocks
}

function elementBlocks(element: Element, depth: number): Block[] {
  const { tagName, childNodes } = element
  const heading = /^h([1-6])$/.exec(tagName)
  if (heading) return [{ kind: 'heading', level: Number(heading[1]), text: inlineText(childNodes, depth) }]
  switch (tagName) {
    case 'pre':
      return [{ kind: 'code', text: rawText(childNodes, depth) }]
    case 'blockquote':
      return [{ kind: 'quote', blocks: blocksOf(childNodes, depth) }]
    case 'ul':
    case 'ol':
      return [{ kind: 'list', items: itemsOf(element, depth) }]
    case 'dl':
      return [{ kind: 'list', items: definitionsOf(element, depth) }]
    case 'table':
      return tableBlocks(element, depth)
    default:
      return blocksOf(childNodes, depth)
  }
}

function itemsOf(list: Element, depth: number): ListItem[] {
  const start = Number(attribute(list, 'start') ?? 1) || 1
  return elementsIn(list, 'li').map((item, index) => ({
    marker: list.tagName === 'ol' ? `${start + index}.` : '-',
    blocks: blocksOf(item.childNodes, depth + 1),
  }))
}

/** `Monday: 9:00 to 18:00`, an item for each term. */
function definitionsOf(list: Element, depth: number): ListItem[] {
  const items: ListItem[] = []
  for (const element of elementsIn(list, 'dt', 'dd')) {
    const text = inlineText(element.childNodes, depth).trim()
    const last = items.at(-1)?.blocks[0]
    if (element.tagName === 'dt' || last?.kind !== 'paragraph')
      items.push({ marker: '-', blocks: [{ kind: 'paragraph', text }] })
    else last.text += last.text.includes(': ') ? `; ${text}` : `: ${text}`
  }
  return items
}

/** A layout table (one column, or a table or heading inside) is read cell by cell. */
function tableBlocks(table: Element, depth: number): Block[] {
  const rows = rowsIn(table)
  const laysOut = rows.every(({ cells }) => cells.length < 2) || rows.some(({ cells }) => cells.some(holdsLayout))
  if (laysOut) return rows.flatMap(({ cells }) => cells.flatMap((cell) => blocksOf(cell.childNodes, depth + 1)))
  const heads = rows.findIndex(({ head }) => !head)
  const read: Table = { kind: 'table', rows: gridOf(rows, depth), headerRows: heads < 0 ? 1 : heads }
  const caption = elementsIn(table, 'caption').map((element) => inlineText(element.childNodes, depth).trim())
  return [...caption.filter(Boolean).map((text): Block => ({ kind: 'paragraph', text })), read]
}

type Row = { cells: Element[]; head: boolean }

function rowsIn(table: Element): Row[] {
  const sections = [table, ...elementsIn(table, 'thead', 'tbody', 'tfoot')]
  return sections.flatMap((section) =>
    elementsIn(section, 'tr').map((row) => {
      const cells = elementsIn(row, 'td', 'th')
      return { cells, head: section.tagName === 'thead' || cells.every(({ tagName }) => tagName === 'th') }
    }),
  )
}

function gridOf(rows: readonly Row[], depth: number): string[][] {
  const grid: string[][] = rows.map(() => [])
  let filled = 0
  for (const [r, { cells }] of rows.entries()) {
    let column = 0
    for (const cell of cells) {
      while (grid[r]![column] !== undefined) column++
      const text = plain(blocksOf(cell.childNodes, depth + 1))
      const [across, down] = [span(cell, 'colspan'), span(cell, 'rowspan')]
      for (const row of grid.slice(r, r + down)) for (let c = column; c < column + across; c++) row[c] ??= text
      filled += across * Math.min(down, rows.length - r)
      if (filled > maxCells) throw new Unreadable('too_complex')
      column += across
    }
  }
  return grid.map((row) => Array.from(row, (text) => text ?? ''))
}

function span(cell: Element, name: string): number {
  return Math.min(maxSpan, Math.max(1, Number.parseInt(attribute(cell, name) ?? '1', 10) || 1))
}

function holdsLayout(cell: Element): boolean {
  return cell.childNodes.some((node) => isElement(node) && (/^(table|h[1-6])$/.test(node.tagName) || holdsLayout(node)))
}

function holdsBlocks(node: Element, depth: number): boolean {
  if (depth > maxDepth) throw new Unreadable('too_complex')
  return (
    blockNames.test(node.tagName) ||
    node.childNodes.some((child) => isElement(child) && !skipped.test(child.tagName) && holdsBlocks(child, depth + 1))
  )
}

function inlineText(nodes: readonly Node[], depth: number): string {
  if (depth > maxDepth) throw new Unreadable('too_complex')
  return nodes
    .map((node) => nodeText(node, depth))
    .join('')
    .replace(/[ \t]+/g, ' ')
}

function nodeText(node: Node, depth: number): string {
  if ('value' in node && node.nodeName === '#text') return node.value.replace(/\s+/g, ' ')
  if (!isElement(node) || isHidden(node)) return ''
  if (node.tagName === 'br') return '\n'
  const text = inlineText(node.childNodes, depth + 1)
  return node.tagName === 'a' ? withAddress(text, attribute(node, 'href')?.trim()) : text
}

function rawText(nodes: readonly Node[], depth: number): string {
  if (depth > maxDepth) throw new Unreadable('too_complex')
  return nodes
    .map((node) => ('value' in node ? node.value : isElement(node) ? rawText(node.childNodes, depth + 1) : ''))
    .join('')
}

function titleOf(nodes: readonly Node[]): string | undefined {
  const html = nodes.find((node): node is Element => isElement(node) && node.tagName === 'html')
  const head = html && elementsIn(html, 'head')[0]
  const title = head && elementsIn(head, 'title')[0]
  return title && (rawText(title.childNodes, 0).replace(/\s+/g, ' ').trim() || undefined)
}

function isHidden(element: Element): boolean {
  return (
    skipped.test(element.tagName) ||
    attribute(element, 'hidden') !== undefined ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribute(element, 'style') ?? '')
  )
}

function elementsIn(parent: Element, ...names: string[]): Element[] {
  return parent.childNodes.filter((node): node is Element => isElement(node) && names.includes(node.tagName))
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((entry) => entry.name === name)?.value
}

function isElement(node: Node): node is Element {
  return 'tagName' in node
}
