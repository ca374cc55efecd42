import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { type Block, type ListItem, plain, type Table, withAddress } from '../blocks.ts'
import { Unreadable } from '../unreadable.ts'
import {
  attribute,
  blockNames,
  type Element,
  elementsIn,
  isElement,
  isHiddenByItself,
  isStruck,
  maxDepth,
  type Node,
} from './elements.ts'
import { keepContent } from './page-content.ts'
import { addStructuredFacts } from './structured-facts.ts'
import { unfold } from './unfolded.ts'

const maxSpan = 1_000
const maxCells = 2_000_000
const skipped =
  /^(head|script|style|noscript|template|svg|math|iframe|object|embed|canvas|audio|video|nav|input|textarea|datalist|rt|rp|rtc|s|del|strike)$/

type HtmlDocument = DefaultTreeAdapterTypes.Document

export function readHtml(html: string): { blocks: Block[]; title: string | undefined } {
  return readDocument(parseHtml(html))
}

/** Parses a page for readers without scripts. */
export function parseHtml(html: string): HtmlDocument {
  return parse(html, { scriptingEnabled: false })
}

/** Reads a document, and removes from it all parts that are not read. */
export function readDocument(document: HtmlDocument): { blocks: Block[]; title: string | undefined } {
  const root = document.childNodes.find((node) => isElement(node as Node)) as Element | undefined
  unfold(document)
  if (root) {
    addStructuredFacts(root)
    keepContent(root)
  }
  const blocks = blocksOf(document.childNodes as Node[], 0)
  const title = titleOf(document.childNodes as Node[])
  const isMissing = title && !blocks.some(({ kind }) => kind === 'heading')
  return { blocks: isMissing ? [{ kind: 'heading', level: 1, text: title }, ...blocks] : blocks, title }
}

/** A part of a mail or book, all of which is meant to be read. */
export function htmlBlocks(html: string): Block[] {
  const document = parseHtml(html)
  unfold(document)
  return blocksOf(document.childNodes as Node[], 0)
}

export function declaredEncoding(bytes: Buffer): string | undefined {
  return /<meta[^<>]+charset\s*=\s*(?:["']\s*)?([\w-]+)/i.exec(bytes.toString('latin1', 0, 1024))?.[1]
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
      .replace(/(?:(?<![ \t])[ \t]+)?\n[ \t]*/g, '\n')
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
    case 'select':
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
  const items = list.childNodes.filter((node): node is Element => isElement(node) && !isHidden(node))
  return items.map((item, index) => ({
    marker: list.tagName === 'ol' ? `${start + index}.` : '-',
    blocks: blocksOf(item.tagName === 'li' ? item.childNodes : [item], depth + 1),
  }))
}

/** `Monday: 9:00 to 18:00`, an item for each term. */
function definitionsOf(list: Element, depth: number): ListItem[] {
  const items: ListItem[] = []
  const groups = list.childNodes.flatMap((node) => (isElement(node) && node.tagName === 'div' ? node.childNodes : node))
  for (const element of groups.filter((node) => isElement(node) && /^d[td]$/.test(node.tagName)) as Element[]) {
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
    (node.tagName === 'select' && !isHidden(node)) ||
    node.childNodes.some((child) => isElement(child) && !skipped.test(child.tagName) && holdsBlocks(child, depth + 1))
  )
}

function inlineText(nodes: readonly Node[], depth: number): string {
  if (depth > maxDepth) throw new Unreadable('too_complex')
  const texts: string[] = []
  let last: Node | undefined
  for (const node of nodes) {
    const text = nodeText(node, depth)
    if (last && isApart(texts.at(-1)!, last, text, node)) texts.push(' ')
    if (text === '') continue
    texts.push(text)
    last = node
  }
  return texts.join('').replace(/[ \t]+/g, ' ')
}

/** True if a reader sees two words or amounts where the source has no space: style sheets set elements apart. */
function isApart(before: string, last: Node, after: string, node: Node): boolean {
  const seam = before.slice(-1) + after.slice(0, 1)
  const elements = [last, node].filter(isElement)
  if (isElement(node) && /^su[bp]$/.test(node.tagName)) return /^\d\d$/.test(seam)
  if (/^[\p{L}\p{N}][€$£]$|^[\d€£]\p{Lu}$/u.test(seam)) return elements.length > 0
  if (elements.length < 2) return false
  const isBoxed = elements.every(({ tagName }) => tagName === 'a' || tagName.includes('-'))
  return (isBoxed ? /^[^\s([/'’"-][\p{L}\p{N}]$/u : /^[\p{Ll}.!?):;,%]\p{Lu}$|^\p{L}\d$|^\d\d$/u).test(seam)
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
  const { tagName } = element
  if (isHiddenByItself(element) || isStruck(element) || skipped.test(tagName)) return true
  // Buttons that open a panel are its title; a choice is read if it names prices.
  if (tagName === 'button') return !['aria-controls', 'aria-expanded'].some((name) => attribute(element, name))
  return tagName === 'select' && !/[€$£¥₹]\s?\d|\d\s?[€£₹]/.test(rawText(element.childNodes, 0))
}
