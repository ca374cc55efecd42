import type { Annotation } from './annotations.ts'
import { type Box, boxOf, type Matrix } from './paint-steps.ts'
import type { PaintedWord } from './painted-text.ts'

/** Takes away the words that are struck out, and puts in what replaces them. */
export function withoutStruck(
  printed: readonly PaintedWord[],
  strikeOuts: readonly Annotation[],
  matrix: Matrix,
  beside: readonly PaintedWord[],
): { words: PaintedWord[]; struck: number } {
  let [words, struck] = [[...printed], 0]
  for (const strikeOut of strikeOuts) {
    const boxes = boxesOf(strikeOut, matrix)
    const hit = words.filter((word) => boxes.some((box) => isIn(word, box)))
    const [first] = hit
    if (!first) continue
    struck++
    const text = replacementOf(strikeOut)
    const gone = new Set(text ? hit : hit.slice(labelOf(hit, words, beside)))
    words = words.flatMap((word) => (!gone.has(word) ? [word] : word === first && text ? [{ ...word, text }] : []))
  }
  return { words, struck }
}

function boxesOf({ quadPoints, rect }: Annotation, matrix: Matrix): Box[] {
  const points = Array.from(quadPoints ?? [])
  const corners = Array.from({ length: Math.floor(points.length / 8) }, (_, quad) => {
    const [xs, ys] = [0, 1].map((axis) => [0, 2, 4, 6].map((at) => points[8 * quad + at + axis]!))
    return [Math.min(...xs!), Math.min(...ys!), Math.max(...xs!), Math.max(...ys!)]
  })
  return (corners.length > 0 ? corners : [rect]).map((rectangle) => boxOf(rectangle, matrix))
}

function isIn({ x0, x1, y, size, isTurned }: PaintedWord, box: Box): boolean {
  const [across, down] = [(x0 + x1) / 2, y - 0.3 * size]
  return !isTurned && across > box.x0 && across < box.x1 && down > box.y0 && down < box.y1
}

/** The text of the caret in the same group, or a note that gives one number for another. */
function replacementOf({ replyType, contentsObj, overlaidText = '' }: Annotation): string {
  const text = contentsObj?.str.replace(/\s+/g, ' ').trim() ?? ''
  const isNumber = /\d/.test(text) && /\d/.test(overlaidText) && !overlaidText.includes(text)
  return replyType === 'Group' || isNumber ? text : ''
}

/** How many struck words, at the start of a line, name what a text beside it gives another number of. */
function labelOf(
  struck: readonly PaintedWord[],
  words: readonly PaintedWord[],
  beside: readonly PaintedWord[],
): number {
  const [first] = struck
  const isOnLine = ({ y, size }: PaintedWord) => Math.abs(y - first!.y) < 0.4 * size
  if (words.find(isOnLine) !== first || !struck.every(isOnLine) || !beside.some(isOnLine)) return 0
  const colon = struck.findLastIndex(({ text }) => text.endsWith(':'))
  const number = struck.findLastIndex(({ text }) => /\d/.test(text))
  // A currency may stand before its number.
  const isCurrency = /^(?:\p{Sc}|\p{Lu}{3})$/u.test(struck[number - 1]?.text ?? '')
  return colon >= 0 ? colon + 1 : Math.max(0, isCurrency ? number - 1 : number)
}
