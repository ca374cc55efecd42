import type * as anydoc from '@firecrawl/anydoc'
import { type Block, type ListItem, plain, type Table, withAddress } from '../../../../shared/text/blocks.ts'
import { Unreadable } from '../../../../shared/text/unreadable.ts'

export type OfficeFormat = 'docx' | 'doc' | 'odt' | 'rtf' | 'pptx' | 'odp' | 'ods'

const faults = {
  unsupported: 'damaged',
  malformed: 'damaged',
  missingPart: 'damaged',
  encrypted: 'encrypted',
  resourceLimit: 'too_complex',
} as const

/** Reads text documents and presentations; pictures and their descriptions are left out. @throws Unreadable */
export async function officeBlocks(file: Buffer, format: OfficeFormat): Promise<Block[]> {
  const document = await readDocument(file, format)
  const notes = new Map(document.notes.map((note) => [note.id, note]))
  return new DocumentReader(notes).blocks(document.blocks)
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

class DocumentReader {
  readonly #notes: ReadonlyMap<string, anydoc.Note>

  constructor(notes: ReadonlyMap<string, anydoc.Note>) {
    this.#notes = notes
  }

  blocks(blocks: readonly anydoc.Block[]): Block[] {
    return blocks.flatMap((block) => this.#block(block))
  }

  #block(block: anydoc.Block): Block[] {
    const text = this.#text(block.content ?? [])
    switch (block.kind as string) {
      case 'heading':
        return [{ kind: 'heading', level: block.level ?? 1, text }]
      case 'paragraph':
        return [{ kind: 'paragraph', text }]
      case 'codeBlock':
        return [{ kind: 'code', text: block.text ?? '' }]
      case 'blockQuote':
        return [{ kind: 'quote', blocks: this.blocks(block.blocks ?? []).filter((quoted) => !isSlideNumber(quoted)) }]
      case 'list':
        return block.list ? [{ kind: 'list', items: this.#items(block.list) }] : []
      case 'table':
        return block.table ? this.#table(block.table) : []
      default:
        return []
    }
  }

  #items({ marker, start, items }: anydoc.List): ListItem[] {
    return items.map(({ blocks, checked, markerLabel }, index) => {
      const box = checked === undefined ? '' : checked ? ' [x]' : ' [ ]'
      return { marker: markerOf(marker, start + index, markerLabel) + box, blocks: this.blocks(blocks) }
    })
  }

  /** A table of a single column or row is a layout box. */
  #table({ grid, headerRows, kind }: anydoc.Table): Block[] {
    const laysOut = (kind as string) === 'layout' || grid.every((row) => row.length < 2)
    if (laysOut) return grid.flatMap((row) => row.flatMap(({ cell }) => this.blocks(cell?.blocks ?? [])))
    const rows = grid.map((row) => row.map((slot) => this.#slot(grid, slot)))
    return [{ kind: 'table', rows, headerRows } satisfies Table]
  }

  #slot(grid: readonly (readonly anydoc.CellSlot[])[], slot: anydoc.CellSlot): string {
    const origin = slot.cell ? slot : grid[slot.originRow ?? -1]?.[slot.originCol ?? -1]
    return plain(this.blocks(origin?.cell?.blocks ?? []))
  }

  #text(inlines: readonly anydoc.Inline[]): string {
    return inlines.map((inline) => this.#inline(inline)).join('')
  }

  #inline(inline: anydoc.Inline): string {
    switch (inline.kind as string) {
      case 'text':
        return inline.text ?? ''
      case 'lineBreak':
        return '\n'
      case 'link':
        return withAddress(this.#text(inline.content ?? []), inline.target?.value)
      case 'noteRef':
        return this.#note(inline.noteId ?? '')
      default:
        return ''
    }
  }

  #note(id: string): string {
    const note = this.#notes.get(id)
    const text = note ? plain(this.blocks(note.blocks)).replaceAll('\n', ' ').trim() : ''
    return text && ` (${text})`
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
