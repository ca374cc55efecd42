import type { PDFPageProxy } from 'unpdf/pdfjs'
import type { Block, ListItem } from '../../../../shared/text/blocks.ts'
import type { PaintedWord } from './painted-text.ts'
import { joinLines } from './text-lines.ts'

/** A node of the tags, or a piece of the page's text. */
type Node = { role?: string; type?: string; id?: string; children?: Node[] }

type Piece = { text: string; x0: number; x1: number }

type Pieces = ReadonlyMap<string, Piece>

const minShare = 0.9
const telling = /^(H[1-6]?|Table|L|Title)$/
const containers =
  /^(Document|DocumentFragment|Part|Art|Sect|Div|Aside|BlockQuote|NonStruct|Private|Root|Index|TOC|Form|Figure|Caption)$/

/** `artifacts` are lines of running heads, page numbers and repeated headers of tables. */
export type TaggedPage = { blocks: Block[]; letters: number; artifacts: string[] }

/** Reads a page by its tags. Returns undefined if it has none, or if they leave out text that is shown. */
export async function taggedBlocks(page: PDFPageProxy, words: readonly PaintedWord[]): Promise<TaggedPage | undefined> {
  const tree = (await page.getStructTree()) as Node | null
  if (!tree || !hasRole(tree, telling)) return undefined
  const { pieces, letters, artifacts } = piecesOf(words, new Set(contentIds(tree)))
  const used = contentIds(tree).reduce((sum, id) => sum + countLetters(pieces.get(id)?.text ?? ''), 0)
  return used < minShare * letters
    ? undefined
    : { blocks: blocksOf(tree.children ?? [], pieces), letters: used, artifacts }
}

/** The text by its mark, and by its height the text of artifacts and of annotations that neither tags nor other text give a place. */
function piecesOf(
  words: readonly PaintedWord[],
  tagged: ReadonlySet<string>,
): { pieces: Map<string, Piece>; letters: number; artifacts: string[] } {
  const pieces = new Map<string, Piece>()
  const artifactLines = new Map<number, string>()
  let letters = 0
  for (const { text, before, x0, x1, y, mark: own, annotation, beside, isArtifact } of words) {
    const isLoose = annotation !== undefined && beside === undefined && !tagged.has(annotation)
    if (isArtifact || isLoose) {
      const line = Math.round(y)
      artifactLines.set(line, (artifactLines.get(line) ?? '') + before + text)
      continue
    }
    letters += countLetters(text)
    const mark = beside !== undefined && !tagged.has(own!) ? beside : own
    if (mark === undefined) continue
    const piece = pieces.get(mark) ?? { text: '', x0, x1 }
    piece.text += before + text
    ;[piece.x0, piece.x1] = [Math.min(piece.x0, x0), Math.max(piece.x1, x1)]
    pieces.set(mark, piece)
  }
  return { pieces, letters, artifacts: [...artifactLines.values()].map((line) => line.replace(/\s+/g, ' ').trim()) }
}

function blocksOf(nodes: readonly Node[], pieces: Pieces): Block[] {
  const blocks: Block[] = []
  let inline: Node[] = []
  const flush = () => {
    const text = textOf(inline, pieces)
    if (text) blocks.push({ kind: 'paragraph', text })
    inline = []
  }
  for (const node of nodes) {
    if (isInline(node)) {
      inline.push(node)
      continue
    }
    flush()
    blocks.push(...nodeBlocks(node, pieces))
  }
  flush()
  return blocks
}

function isInline({ role }: Node): boolean {
  return role === undefined || !(containers.test(role) || /^(H[1-6]?|Title|P|L|LI|Table|TOCI|Note|TR)$/.test(role))
}

function nodeBlocks(node: Node, pieces: Pieces): Block[] {
  const children = node.children ?? []
  const heading = /^(?:H([1-6])?|Title)$/.exec(node.role ?? '')
  if (heading) return [{ kind: 'heading', level: Number(heading[1] ?? 1), text: textOf(children, pieces) }]
  if (node.role === 'L') return [{ kind: 'list', items: itemsOf(node, pieces) }]
  if (node.role === 'Table') return tableOf(node, pieces)
  if (node.role === 'P' && children.some((child) => !isInline(child) && !/^(NonStruct|Div)$/.test(child.role ?? '')))
    return blocksOf(children, pieces)
  if (containers.test(node.role ?? '')) return blocksOf(children, pieces)
  return [{ kind: 'paragraph', text: textOf(children, pieces) }]
}

function itemsOf(list: Node, pieces: Pieces): ListItem[] {
  return (list.children ?? []).flatMap((item): ListItem[] => {
    if (item.role === 'L') return [{ marker: '-', blocks: [{ kind: 'list', items: itemsOf(item, pieces) }] }]
    const parts = item.children ?? []
    const labels = parts.filter(({ role }) => role === 'Lbl')
    const bodies = parts.filter(({ role }) => role !== 'Lbl')
    const blocks = bodies.flatMap((part) => blocksOf(part.role === 'LBody' ? (part.children ?? []) : [part], pieces))
    return blocks.length > 0 ? [withMarker(textOf(labels, pieces), blocks)] : []
  })
}

function withMarker(label: string, blocks: Block[]): ListItem {
  const [first] = blocks
  const own =
    label === '' && first?.kind === 'paragraph'
      ? /^([•‣▪●○◦·∙]|[\ue000-\uf8ff]|\d{1,3}[.)])\s+/u.exec(first.text)
      : undefined
  if (own && first?.kind === 'paragraph') first.text = first.text.slice(own[0].length)
  const shown = label || (own?.[1] ?? '')
  return { marker: /^\d{1,3}\.$/.test(shown) ? shown : /^\(?\w{1,4}[.)]$/.test(shown) ? `- ${shown}` : '-', blocks }
}

function tableOf(table: Node, pieces: Pieces): Block[] {
  // Every page has the tags of the whole table.
  const rows = descendants(table, 'TR')
    .map((row) =>
      (row.children ?? []).filter(({ role }) => role === 'TD' || role === 'TH').map((cell) => cellOf(cell, pieces)),
    )
    .filter((cells) => cells.some(({ text }) => text))
  const captions = (table.children ?? [])
    .filter(({ role }) => role === 'Caption')
    .flatMap((caption) => blocksOf([caption], pieces))
  if (rows.every((cells) => cells.length < 2))
    return [...captions, ...rows.flat().flatMap(({ text }): Block[] => (text ? [{ kind: 'paragraph', text }] : []))]
  return [...captions, { kind: 'table', rows: aligned(rows) }]
}

function cellOf(cell: Node, pieces: Pieces): Piece {
  const own = contentIds(cell).flatMap((id) => pieces.get(id) ?? [])
  return {
    text: textOf(cell.children ?? [], pieces),
    x0: Math.min(...own.map(({ x0 }) => x0)),
    x1: Math.max(...own.map(({ x1 }) => x1)),
  }
}

/** Places cells by their positions on the page, since PDF.js does not say how far one reaches. Gaps repeat the text to the left or above. */
function aligned(rows: readonly Piece[][]): string[][] {
  const width = Math.max(...rows.map((cells) => cells.length))
  const whole = rows.filter((cells) => cells.length === width)
  const columns = Array.from({ length: width }, (_, column) => {
    const placed = whole.map((cells) => cells[column]!).filter(({ x0 }) => Number.isFinite(x0))
    return { x0: Math.min(...placed.map(({ x0 }) => x0)), x1: Math.max(...placed.map(({ x1 }) => x1)) }
  })
  const placed: string[][] = []
  for (const cells of rows) {
    const row: (string | undefined)[] =
      cells.length === width ? cells.map(({ text }) => text) : Array(width).fill(undefined)
    if (cells.length < width) placeCells(row, cells, columns)
    const toTheLeft = (column: number) => row.slice(0, column).findLast((text) => text !== undefined)
    const above = placed.at(-1)
    placed.push(row.map((text, column) => text ?? toTheLeft(column) ?? above?.[column] ?? ''))
  }
  return placed
}

function placeCells(
  row: (string | undefined)[],
  cells: readonly Piece[],
  columns: readonly { x0: number; x1: number }[],
): void {
  let from = 0
  for (const [index, cell] of cells.entries()) {
    const last = columns.length - (cells.length - index)
    let best = from
    for (let column = from; column <= last; column++)
      if (Number.isFinite(cell.x0) && distance(cell, columns[column]!) < distance(cell, columns[best]!)) best = column
    row[best] = cell.text
    from = best + 1
  }
}

function distance(one: { x0: number; x1: number }, other: { x0: number; x1: number }): number {
  return Math.max(0, Math.max(one.x0, other.x0) - Math.min(one.x1, other.x1)) * 1_000 + Math.abs(one.x0 - other.x0)
}

function textOf(nodes: readonly Node[], pieces: Pieces): string {
  const lines = nodes
    .flatMap(contentIds)
    .map((id) => pieces.get(id)?.text ?? '')
    .join('')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
  return joinLines(lines)
}

function contentIds(node: Node): string[] {
  // Content is named by its page and number, an annotation by its id.
  if (node.id !== undefined) return [node.id.replace(/^.*_(?:mc|id_)/, '')]
  return (node.children ?? []).flatMap(contentIds)
}

function descendants(node: Node, role: string): Node[] {
  return (node.children ?? []).flatMap((child) =>
    child.role === role ? [child] : child.role === 'Table' ? [] : descendants(child, role),
  )
}

function hasRole(node: Node, roles: RegExp): boolean {
  return roles.test(node.role ?? '') || (node.children ?? []).some((child) => hasRole(child, roles))
}

function countLetters(text: string): number {
  return text.replace(/\s/g, '').length
}
