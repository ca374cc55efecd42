import type { PDFPageProxy } from 'unpdf/pdfjs'
import { Ink } from './ink.ts'
import { maxSpace, type Word } from './page-content.ts'
import {
  type GraphicsState,
  type Matrix,
  matrixOf,
  type OperatorList,
  type PaintStep,
  paintSteps,
  product,
} from './paint-steps.ts'
import { isRightToLeft } from './right-to-left.ts'

/** A word, or a part of one that is painted in another way, such as in another font. Its characters are in the order of painting. */
export interface PaintedWord extends Word {
  /** What separates it from the text that is painted before it. */
  before: '' | ' ' | '\n'
  /** The ends of its UTF-16 units, across the page. */
  ends: number[]
  /** The number of its marked content, which the tags name; of an annotation, its id. */
  mark: string | undefined
  /** The mark of the text that an annotation's word stands beside. */
  beside?: string | undefined
  isArtifact: boolean
  isTurned: boolean
  /** True if it is moved to its place without a space, such as from cell to cell. */
  isPlaced: boolean
  /** The number of the text object that paints it. */
  block: number
  /** What hides it: the id of a layer that is off, or `ink` if it has none or the colour of its ground. */
  hidden: string | undefined
}

export interface PaintedText {
  words: PaintedWord[]
  /** The ids of the annotations that are drawn, on layers that are on. */
  annotations: Set<string>
  /** The share of the page that pictures cover. */
  pictured: number
}

/** An optional-content group, or a membership of several. */
export type Layer = { id?: string | null; ids?: string[] } | null

type Font = { em: number; isVertical: boolean; isBold: boolean; height: number | undefined }
type Glyph = { unicode?: unknown; width?: unknown; vmetric?: unknown; isSpace?: unknown }
type Mark = { id: string | undefined; isArtifact: boolean; layer: string | undefined }

/** The gaps, in multiples of the font size, that a word goes on across, and the least gap of a space, as in PDF.js. */
const [minGap, maxGap, minSpace] = [-0.2, 0.102, 0.03]

/** Reads the words that a page and its annotations paint, whether they can be seen or not. */
export function paintedText(
  page: PDFPageProxy,
  list: OperatorList,
  operators: Record<string, number>,
  isOn: (layer: Layer) => boolean,
): PaintedText {
  const { width, height, transform } = page.getViewport({ scale: 1 })
  const ink = new Ink(operators, { width, height })
  const pen = new Pen(page, operators, ink, isOn)
  for (const step of paintSteps(list, operators, transform as unknown as Matrix)) {
    ink.take(step)
    pen.take(step)
  }
  return { words: pen.written(), annotations: pen.annotations, pictured: ink.pictured }
}

/** Places glyphs as ISO 32000-2, 9.4, says. */
class Pen {
  readonly annotations = new Set<string>()
  readonly #page: PDFPageProxy
  readonly #operators: Record<string, number>
  readonly #ink: Ink
  readonly #isOn: (layer: Layer) => boolean
  readonly #words: PaintedWord[] = []
  readonly #fonts = new Map<string, Font>()
  readonly #marks: Mark[] = []
  #text = matrixOf([])
  #line = matrixOf([])
  #block = 0
  #annotation: string | undefined
  #isMoved = false
  #isPlaced = false
  #isSpaced = false
  #endsInSpace = true
  #glyphs = 0
  #spaces = 0
  #end = { x: 0, y: 0 }

  constructor(page: PDFPageProxy, operators: Record<string, number>, ink: Ink, isOn: (layer: Layer) => boolean) {
    this.#page = page
    this.#operators = operators
    this.#ink = ink
    this.#isOn = isOn
  }

  /** TeX writes no spaces: there, placed text may be the next word. */
  written(): PaintedWord[] {
    const writesSpaces = this.#spaces > 0.01 * this.#glyphs || this.#glyphs < 200
    return writesSpaces ? this.#words : this.#words.map((word) => ({ ...word, isPlaced: false }))
  }

  take({ operator, parameters, state }: PaintStep): void {
    const [first, second] = Array.isArray(parameters) ? parameters : []
    const codes = this.#operators
    switch (operator) {
      case codes.beginAnnotation:
        this.#annotation = String(first)
        if (!this.#marks.some(({ layer }) => layer)) this.annotations.add(this.#annotation)
        break
      case codes.endAnnotation:
        this.#annotation = undefined
        break
      case codes.beginMarkedContent:
      case codes.beginMarkedContentProps:
        this.#marks.push(this.#markOf(first, second))
        break
      case codes.endMarkedContent:
        this.#marks.pop()
        break
      case codes.beginText:
        this.#begin(matrixOf([]))
        this.#block++
        break
      case codes.setTextMatrix:
        this.#begin(matrixOf(first))
        break
      case codes.setLeadingMoveText:
        state.leading = -second
        this.#begin(product(this.#line, [1, 0, 0, 1, first, second]))
        break
      case codes.moveText:
        this.#begin(product(this.#line, [1, 0, 0, 1, first, second]))
        break
      case codes.nextLine:
        this.#begin(product(this.#line, [1, 0, 0, 1, 0, -state.leading]))
        break
      case codes.showText:
        if (Array.isArray(first) && !state.isSoftMask) this.#show(first, state)
    }
  }

  #begin(line: Matrix): void {
    this.#text = this.#line = line
    this.#isMoved = true
  }

  #markOf(tag: unknown, what: unknown): Mark {
    const name = typeof tag === 'string' ? tag : (tag as { name?: string } | null)?.name
    const layer = name === 'OC' ? (what as Layer) : null
    const isOff = layer !== null && !this.#isOn(layer)
    return {
      id: typeof what === 'number' ? String(what) : undefined,
      isArtifact: name === 'Artifact',
      layer: isOff ? String(layer.id ?? layer.ids) : undefined,
    }
  }

  #show(shown: readonly unknown[], state: GraphicsState): void {
    const glyphs = shown.filter((glyph): glyph is Glyph => typeof glyph === 'object' && glyph !== null)
    const { charSpacing, wordSpacing, rise, stretch, matrix } = state
    const [name, size] = state.Font
    const font = this.#fontOf(name)
    const height = font.height !== undefined && size <= 1 ? size * font.height : size
    const move = (by: number) => {
      this.#text = product(this.#text, [
        1,
        0,
        0,
        1,
        font.isVertical ? 0 : (by * stretch) / 100,
        font.isVertical ? by : 0,
      ])
    }
    const place = () => product(product(matrix, this.#text), [(size * stretch) / 100, 0, 0, height, 0, rise])
    if (glyphs.length > 0) {
      this.#isPlaced = this.#isMoved && !this.#endsInSpace && !isSpace(glyphs[0])
      this.#endsInSpace = isSpace(glyphs.at(-1))
      this.#isMoved = false
      this.#glyphs += glyphs.length
      this.#spaces += glyphs.filter(isSpace).length
    }
    for (const glyph of shown) {
      if (typeof glyph === 'number') move((-glyph * size) / 1000)
      if (typeof glyph !== 'object' || glyph === null) continue
      const { unicode, width, vmetric, isSpace: isWordSpace } = glyph as Glyph
      const text = typeof unicode === 'string' ? unicode : ''
      if (/^\p{Cf}$/u.test(text)) continue
      const [down] = Array.isArray(vmetric) ? vmetric : [-Number(width)]
      const from = place()
      move((font.isVertical ? Number(down) : Number(width)) * font.em * size || 0)
      if (isSpace(glyph as Glyph)) this.#isSpaced = true
      else this.#write(text, from, place(), font, state)
      const spacing = charSpacing + (isWordSpace === true ? wordSpacing : 0)
      move(font.isVertical ? -spacing : spacing)
    }
  }

  #write(character: string, from: Matrix, to: Matrix, { isVertical, isBold }: Font, state: GraphicsState): void {
    const [a, b, c, d, x, y] = from
    const [, , , , toX, toY] = to
    const { page } = this.#ink
    if (Math.max(x, toX) < 0 || Math.min(x, toX) > page.x1 || y < 0 || y > page.y1) return
    const text = written(character)
    const last = this.#words.at(-1)
    const [em, size] = [Math.hypot(a, b) || 1, Math.hypot(c, d) || 1]
    const [right, down] = isVertical ? [-c / size, -d / size] : [a / em, b / em]
    const [across, along] = [x - this.#end.x, y - this.#end.y]
    const gap = (across * right + along * down) / em
    const shift = Math.abs(across * down - along * right) / size
    const isNewLine = last !== undefined && shift > (gap < minGap ? 0.5 : 1)
    const isSpaced = gap > maxGap || (this.#isSpaced && gap > minSpace)
    const layer = this.#marks.find((mark) => mark.layer)?.layer
    const word: PaintedWord = {
      text,
      x0: Math.min(x, toX),
      x1: Math.max(x, toX, isVertical ? x + size : 0),
      y,
      size,
      font: state.Font[0],
      bold: isBold,
      space: maxSpace,
      isPlaced: this.#isPlaced,
      block: this.#block,
      before: isNewLine ? '\n' : isSpaced ? ' ' : '',
      ends: Array(text.length).fill(toX),
      mark: this.#marks.findLast(({ id }) => id !== undefined)?.id,
      annotation: this.#annotation,
      isArtifact: this.#marks.some(({ isArtifact }) => isArtifact),
      isTurned: Math.abs(b) > 0.1 * Math.abs(a) || a < 0,
      hidden: layer ?? (this.#ink.shows(state, (x + toX) / 2, y - 0.3 * size) ? undefined : 'ink'),
    }
    const isClose = word.before === '' && gap >= minGap && shift <= 0.25 && isAlike(last, word)
    if (last && (isClose || /^\p{Mn}/u.test(text))) {
      last.text += text
      last.x1 = Math.max(last.x1, word.x1)
      last.ends.push(...word.ends)
    } else this.#words.push(word)
    if (x !== toX || y !== toY) this.#end = { x: toX, y: toY }
    this.#isPlaced = this.#isSpaced = false
  }

  #fontOf(id: string): Font {
    const known = this.#fonts.get(id)
    if (known) return known
    const found: unknown = this.#page.commonObjs.has(id) ? this.#page.commonObjs.get(id) : undefined
    const { name, bold, black, vertical, isType3Font, fontMatrix, bbox } = (found ?? {}) as Record<string, unknown>
    const [em, , , down] = fontMatrix ? matrixOf(fontMatrix) : [0.001, 0, 0, 0.001]
    const [, bottom, , top] = Array.isArray(bbox) ? bbox : []
    const font = {
      em,
      isVertical: vertical === true,
      isBold: bold === true || black === true || /bold|black|heavy|semibold|[a-z]bx\d/i.test(String(name)),
      height: isType3Font === true && top > bottom ? (top - bottom) * down : undefined,
    }
    this.#fonts.set(id, font)
    return font
  }
}

function isSpace(glyph: Glyph | undefined): boolean {
  return typeof glyph?.unicode !== 'string' || glyph.unicode.trim() === ''
}

/** The characters of a glyph as painted: a ligature that is read from right to left has its last letter first. */
function written(character: string): string {
  const text = character.replace(/[\u00b5\u037e\u0eb3\u2126\ufb00-\ufb06]/g, (letter) => letter.normalize('NFKC'))
  return isRightToLeft.test(text) ? [...text].reverse().join('') : text
}

function isAlike(one: PaintedWord | undefined, other: PaintedWord): boolean {
  const keys = ['font', 'size', 'mark', 'annotation', 'hidden', 'isArtifact', 'isTurned'] as const
  // A price that is placed behind its label is a word.
  const isPrice = other.isPlaced && /[\p{L})]$/u.test(one?.text ?? '') && /^[€$£\d]/.test(other.text)
  return keys.every((key) => one?.[key] === other[key]) && !isPrice
}
