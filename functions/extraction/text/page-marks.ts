import type { PageStart } from '../../../shared/database/tables.ts'
import type { Block } from '../../../shared/text/blocks.ts'

/** The first of the private-use characters that mark where pages begin, until the text is whole. */
const firstMark = 0x100000

/** @param index of the page in the list that `placedPages` takes */
export function pageMark(index: number): string {
  return String.fromCodePoint(firstMark + index)
}

export function markBlock(index: number): Block {
  return { kind: 'paragraph', text: pageMark(index) }
}

export function isMark(block: Block): boolean {
  return block.kind === 'paragraph' && block.text.length === 2 && block.text.codePointAt(0)! >= firstMark
}

/** Removes the marks from a text. @param names the number or name of each page @returns the text and the places of the marks */
export function placedPages(marked: string, names: readonly (number | string)[]) {
  const pageStarts: PageStart[] = []
  const parts: string[] = []
  let length = 0
  for (const part of marked.split(/(?=[\u{100000}-\u{10fffd}])/u)) {
    const name = names[(part.codePointAt(0) ?? 0) - firstMark]
    const line = parts.at(-1)?.split('\n').at(-1) ?? ''
    const isAtRow = /^[| ]*$/.test(line)
    if (name !== undefined) pageStarts.push([isAtRow ? length - line.length : length, name])
    const kept = name === undefined ? part : part.slice(2).trimStart()
    parts.push(kept)
    length += kept.length
  }
  return { text: parts.join('').trimEnd(), pageStarts }
}
