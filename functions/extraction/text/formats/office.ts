import type * as anydoc from '@firecrawl/anydoc'
import { type Block, type ListItem, plain, type Table, withAddress } from '../../../../shared/text/blocks.ts'
import { Unreadable } from '../../../../shared/text/unreadable.ts'
import { leftOutNotes } from '../left-out.ts'
import { shownPackage } from './shown-package.ts'

type OfficeFormat = 'docx' | 'doc' | 'odt' | 'rtf' | 'pptx' | 'odp' | 'ods'

const faults = {
  unsupported: 'damaged',
  malformed: 'damaged',
  missingPart: 'damaged',
  encrypted: 'encrypted',
  resourceLimit: 'too_complex',
} as const

/** The formats in which hidden text is made italic, and italic text is not. */
const marksHidden = new Set<OfficeFormat>(['docx', 'odt', 'rtf'])
const rtfMarks: Record<string, string> = { '\\v': '\\i', '\\i': '\\v', '\\deleted': '\\striked' }

/** Reads text documents and presentations, without pictures and what is hidden or struck through. @throws Unreadable */
export async function officeBlocks(original: Buffer, format: OfficeFormat) {
  const { file, leftOut } =
    format === 'rtf' ? { file: rtfWithSwappedMarks(original), leftOut: {} } : await shownPackage(original, format)
  const document = await readDocument(file, format)
  const notes = new Map(document.notes.map((note) => [note.id, note]))
  const hidden = new Set<readonly anydoc.Inline[]>()
  const struck = new Set<readonly anydoc.Inline[]>()
  const blocks = blocksOf(document.blocks)
  const counts = { ...leftOut, hidden_passages: hidden.size, struck_passages: struck.size }
  return { blocks, notes: leftOutNotes(counts), file }

  function blocksOf(blocks: readonly anydoc.Block[]): Block[] {
    return blocks.flatMap((block) => blockOf(block))
  }

  function blockOf(block: anydoc.Block): Block[] {
    const text = textOf(block.content ?? [])
    switch (block.kind as string) {
      case 'heading':
        return [{ kind: 'heading', level: block.level ?? 1, text }]
      case 'paragraph':
        return [{ kind: 'paragraph', text }]
      case 'codeBlock':
        return [{ kind: 'code', text: block.text ?? '' }]
      case 'blockQuote':
        return [{ kind: 'quote', blocks: blocksOf(block.blocks ?? []).filter((quoted) => !isSlideNumber(quoted)) }]
      case 'list':
        return block.list ? [{ kind: 'list', items: itemsOf(block.list) }] : []
      case 'table':
        return block.table ? tableOf(block.table) : []
      default:
        return []
    }
  }

  function itemsOf({ marker, start, items }: anydoc.List): ListItem[] {
    return items.map(({ blocks, checked, markerLabel }, index) => {
      const box = checked === undefined ? '' : checked ? ' [x]' : ' [ ]'
      return { marker: markerOf(marker, start + index, markerLabel) + box, blocks: blocksOf(blocks) }
    })
  }

  /** A table of a single column or row is a layout box. */
  function tableOf({ grid, headerRows, kind }: anydoc.Table): Block[] {
    const laysOut = (kind as string) === 'layout' || grid.every((row) => row.length < 2)
    if (laysOut) return grid.flatMap((row) => row.flatMap(({ cell }) => blocksOf(cell?.blocks ?? [])))
    const rows = grid.map((row) => row.map((slot) => slotOf(grid, slot)))
    return [{ kind: 'table', rows, headerRows } satisfies Table]
  }

  function slotOf(grid: readonly (readonly anydoc.CellSlot[])[], slot: anydoc.CellSlot): string {
    const origin = slot.cell ? slot : grid[slot.originRow ?? -1]?.[slot.originCol ?? -1]
    return plain(blocksOf(origin?.cell?.blocks ?? []))
  }

  function textOf(inlines: readonly anydoc.Inline[]): string {
    const shown = inlines.filter(({ text, style }) => {
      const reason = style?.italic && marksHidden.has(format) ? hidden : style?.strike ? struck : undefined
      if (text?.trim()) reason?.add(inlines)
      return !reason
    })
    const text = shown.map((inline) => inlineOf(inline)).join('')
    return shown.length < inlines.length ? text.replace(/ {2,}/g, ' ') : text
  }

  function inlineOf(inline: anydoc.Inline): string {
    switch (inline.kind as string) {
      case 'text':
        return inline.text ?? ''
      case 'lineBreak':
        return '\n'
      case 'link':
        return withAddress(textOf(inline.content ?? []), inline.target?.value)
      case 'noteRef':
        return noteOf(inline.noteId ?? '')
      default:
        return ''
    }
  }

  function noteOf(id: string): string {
    const note = notes.get(id)
    const text = note ? plain(blocksOf(note.blocks)).replaceAll('\n', ' ').trim() : ''
    return text && ` (${text})`
  }
}

/** The words keep their lengths, since pictures may follow as counted bytes. */
function rtfWithSwappedMarks(file: Buffer): Buffer {
  const words = /\\(?:[a-z]+|[^a-z])/gi
  return Buffer.from(
    file.toString('latin1').replace(words, (word) => rtfMarks[word] ?? word),
    'latin1',
  )
}

async function readDocument(file: Buffer, format: OfficeFormat): Promise<anydoc.Document> {
  const { toDocument } = await import('@firecrawl/anydoc')
  try {
    return await toDocument(file, format as anydoc.Format)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (Object.hasOwn(faults, code)) throw new Unreadable(faults[code as keyof typeof faults], error)
    throw error
  }
}

/** OpenDocument keeps slide numbers among the speaker notes. */
function isSlideNumber(block: Block): boolean {
  return block.kind === 'paragraph' && /^(<number>|\d{1,4})$/.test(block.text.trim())
}

function markerOf(kind: string, number: number, label: string | undefined): string {
  if (label !== undefined) return `- ${label}`
  if (kind === 'decimal') return `${number}.`
  if (!/(Alpha|Roman)$/.test(kind)) return '-'
  const letter = String.fromCharCode(97 + ((number - 1) % 26))
  const marker = kind.endsWith('Alpha') ? `${letter})` : `${roman(number)}.`
  return `- ${kind.startsWith('upper') ? marker.toUpperCase() : marker}`
}

const romanPatterns = ['', '0', '00', '000', '01', '1', '10', '100', '1000', '02']

function roman(number: number): string {
  const digits = [...String(Math.min(number, 3_999))]
  const lettersAt = (place: number) => 'ivxlcdm'.slice(2 * place)
  return digits
    .map((digit, at) =>
      romanPatterns[Number(digit)]!.replace(/\d/g, (i) => lettersAt(digits.length - 1 - at)[Number(i)]!),
    )
    .join('')
}
