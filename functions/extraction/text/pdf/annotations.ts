import type { PDFPageProxy } from 'unpdf/pdfjs'
import { maxSpace } from './page-content.ts'
import { boxOf, type Matrix } from './paint-steps.ts'
import type { PaintedText, PaintedWord } from './painted-text.ts'
import { withoutStruck } from './strike-outs.ts'

const maxAnnotations = 5_000
/** Two bits of the flags of an annotation. */
const hiddenOrNotViewed = 2 | 32

/** What PDF.js gives of an annotation. */
export interface Annotation {
  id: string
  subtype: string
  rect: number[]
  annotationFlags?: number
  hasAppearance: boolean
  /** The text; for a strike-out in a group, what replaces the struck words. */
  contentsObj?: { str: string }
  replyType?: string
  quadPoints?: ArrayLike<number> | null
  overlaidText?: string
  fieldType?: string | null
  fieldValue?: string | string[] | null
  options?: { exportValue: string; displayValue: string }[]
  checkBox?: boolean
  radioButton?: boolean
  pushButton?: boolean
  exportValue?: string
  buttonValue?: string
  password?: boolean
  comb?: boolean
}

/** Adds what annotations and fields show to the words that are seen, beside what they stand beside, and takes away what is struck out. */
export async function withAnnotations(
  page: PDFPageProxy,
  { words, annotations }: PaintedText,
  seen: readonly PaintedWord[],
): Promise<{ words: PaintedWord[]; struck: number }> {
  const all = ((await page.getAnnotations()) as Annotation[]).slice(0, maxAnnotations)
  const shown = all.filter(
    ({ id, hasAppearance, annotationFlags = 0 }) =>
      annotations.has(id) || (!hasAppearance && (annotationFlags & hiddenOrNotViewed) === 0),
  )
  const matrix = page.getViewport({ scale: 1 }).transform as unknown as Matrix
  const drawn = new Set(words.map(({ annotation }) => annotation))
  const drawnWords = Map.groupBy(seen, ({ annotation }) => annotation)
  const printed = drawnWords.get(undefined) ?? []
  const texts = shown.map((annotation) => {
    const text = textOf(annotation, drawn.has(annotation.id))
    return text === undefined ? (drawnWords.get(annotation.id) ?? []) : placed(text, annotation, matrix)
  })
  const labels = texts.map(([word]) => word && nearest(word, printed))
  const beside = texts.flatMap((text, at) => {
    const label = labels[at]
    return label ? besideLabel(text, label, labels.indexOf(label) === labels.lastIndexOf(label)) : text
  })
  const strikes = shown.filter(({ subtype }) => subtype === 'StrikeOut')
  const { words: left, struck } = withoutStruck(printed, strikes, matrix, beside)
  return { words: [...left, ...beside], struck }
}

/** The text that an annotation shows; undefined if it is the drawn one. */
function textOf(annotation: Annotation, isDrawn: boolean): string | undefined {
  const { subtype, fieldType, fieldValue, checkBox, radioButton, options } = annotation
  if (subtype === 'FreeText' && !isDrawn) return annotation.contentsObj?.str
  if (subtype !== 'Widget') return undefined
  if (annotation.pushButton || annotation.password) return ''
  if (checkBox || radioButton)
    return fieldValue === (checkBox ? annotation.exportValue : annotation.buttonValue) ? '[x]' : '[ ]'
  // A list is drawn with all that could be chosen, a comb with gaps between letters.
  if (isDrawn && fieldType !== 'Ch' && !annotation.comb) return undefined
  const values = [fieldValue ?? []].flat()
  return values
    .map((value) => options?.find((option) => option.exportValue === value)?.displayValue ?? value)
    .join(', ')
}

/** The lines of a text that PDF.js does not draw, in the box of its annotation. */
function placed(text: string, { id, rect }: Annotation, matrix: Matrix): PaintedWord[] {
  const { x0, x1, y0, y1 } = boxOf(rect, matrix)
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim())
  const size = Math.min(10, (y1 - y0) / lines.length)
  return lines.map((line, row) => ({
    text: line.trim(),
    x0,
    x1: Math.min(x1, x0 + 0.5 * size * line.length),
    y: (y0 + y1) / 2 + ((row - (lines.length - 1) / 2) * 1.2 + 0.3) * size,
    size,
    font: id,
    bold: false,
    space: maxSpace,
    before: '\n',
    ends: [],
    mark: id,
    annotation: id,
    isArtifact: false,
    isTurned: false,
    isPlaced: false,
    flows: false,
    block: -1,
    hidden: undefined,
  }))
}

/** The word on a line that is nearest, rather one before than one after. */
function nearest(word: PaintedWord, printed: readonly PaintedWord[]): PaintedWord | undefined {
  const distance = ({ x0, x1 }: PaintedWord) => Math.max(word.x0 - x1, 2 * (x0 - word.x1), 0)
  const near = printed.filter((other) => !other.isTurned && Math.abs(other.y - word.y) < 0.6 * other.size)
  return word.isTurned ? undefined : near.sort((a, b) => distance(a) - distance(b))[0]
}

/** Moves a text to the line of the word that is nearest, and next to a word that no other text follows. */
function besideLabel(text: readonly PaintedWord[], label: PaintedWord, isOnly: boolean): PaintedWord[] {
  const across = isOnly ? Math.min(0, label.x1 + 0.3 * label.size - text[0]!.x0) : 0
  const down = label.y - text[0]!.y
  return text.map((word, at) => ({
    ...word,
    x0: word.x0 + across,
    x1: word.x1 + across,
    y: word.y + down,
    size: label.size,
    mark: word.annotation,
    beside: label.mark,
    before: at === 0 ? ' ' : word.before,
  }))
}
