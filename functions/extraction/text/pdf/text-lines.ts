import { maxSpace, minSpace, type Word } from './page-content.ts'

export type Segment = { text: string; x0: number; x1: number }

export type Line = { segments: Segment[]; words: Word[]; y: number; size: number; bold: boolean; underlined?: boolean }

const markers = /^([•‣▪■●○◦·∙–—*➢✓✔-]|[\ue000-\uf8ff]|\(?(\d{1,3}|[a-zA-Z])[.)])$/u

export function beginsList(text: string): boolean {
  return markers.test(text.split(' ', 1)[0]!)
}

export function linesOf(words: readonly Word[]): Line[] {
  const lines: Word[][] = []
  for (const word of [...words].sort((a, b) => a.y - b.y)) {
    const line = lines.at(-1)
    const first = line?.[0]
    if (line && first && word.y - first.y <= 0.4 * Math.max(first.size, word.size)) line.push(word)
    else lines.push([word])
  }
  return lines.map(lineOf)
}

function lineOf(words: Word[]): Line {
  words.sort((a, b) => a.x0 - b.x0)
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  const size = words.reduce((sum, word) => sum + word.size * word.text.length, 0) / letters
  const bold = words.every((word) => word.bold || !/\p{L}/u.test(word.text))
  return { words, segments: segmentsOf(words), y: Math.max(...words.map(({ y }) => y)), size, bold }
}

function segmentsOf(words: readonly Word[]): Segment[] {
  const segments: Segment[] = []
  let previous: Word | undefined
  for (const word of words) {
    const last = segments.at(-1)
    const gap = word.x0 - (previous?.x1 ?? 0)
    // Programs place text again at a change of fonts.
    const space = previous?.font === word.font ? word.space : Math.max(word.space, maxSpace)
    const limit = space * Math.max(word.size, previous?.size ?? 0)
    const follows = last && (gap <= limit || (markers.test(last.text) && gap <= 5 * word.size))
    if (follows) {
      last.text += (gap > minSpace * word.size ? ' ' : '') + word.text
      last.x1 = Math.max(last.x1, word.x1)
    } else segments.push({ text: word.text, x0: word.x0, x1: word.x1 })
    previous = word
  }
  return segments
}

export function lineText(line: Line): string {
  return line.segments.map(({ text }) => text).join(' ')
}

/** Joins lines of a paragraph or cell, and words divided by a hyphen. */
export function joinLines(texts: readonly string[]): string {
  return texts
    .map((text, at) => {
      const next = texts[at + 1]
      if (next === undefined || text === '') return text
      return /\p{Ll}-$/u.test(text.slice(-2)) && /^\p{Ll}/u.test(next) ? text.slice(0, -1) : `${text} `
    })
    .join('')
}

/** True if the next line's first word would not have fitted. What is filled in ends its line. */
export function isFull(line: Line, next: Line, right: number): boolean {
  if (line.words.some(({ annotation }) => annotation !== undefined)) return false
  const first = next.words[0]!
  return line.segments.at(-1)!.x1 + (first.x1 - first.x0) + 0.5 * line.size > right
}
