import { maxSpace } from './page-content.ts'
import type { PaintedWord } from './painted-text.ts'

/** What is painted without a wider gap, in multiples of the font size, is one word. */
const maxGap = 0.1
const letters = '[\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}]'
export const isRightToLeft = new RegExp(`(?!\\p{Nd})${letters}`, 'u')
const rightToLeftParts = new RegExp(`((?:(?!\\p{Nd})${letters})+)`, 'u')
/** The numbers that Unicode's algorithm (UAX 9) shows from left to right, beside Hebrew and beside Arabic letters. */
const numbers = [/[#$£€₪%°]?\p{Nd}+(?:[-+,.:/]\p{Nd}+)*[#$£€₪%°]?/gu, /\p{Nd}+(?:[,.:/٫٬]\p{Nd}+)*/gu] as const
const brackets = '()[]{}<>«»‹›'

/**
 * Puts Hebrew and Arabic, which are painted from left to right, into the order in which they are read. A page of mostly such letters is
 * mirrored: its `x0` and `x1` count from its right side, so that its layout is read like that of other pages.
 */
export function inReadingOrder(words: PaintedWord[], width: number): { words: PaintedWord[]; isMirrored: boolean } {
  if (!words.some(({ text }) => isRightToLeft.test(text))) return { words, isMirrored: false }
  const all = words.map(({ text }) => text).join('')
  const isMirrored = 2 * countOf(all, isRightToLeft) > countOf(all, /\p{L}/u)
  const read = linesOf(words.filter(({ isTurned }) => !isTurned)).flatMap((line) => {
    const runs = dividedAt(line, ({ mark }, next, gap) => gap > maxSpace * next.size || mark !== next.mark)
    const ordered = isMirrored ? runs.reverse() : runs
    return ordered
      .flatMap((run) => wordsOf(run, isMirrored))
      .map((word, at) => ({ ...word, before: at === 0 ? ('\n' as const) : (' ' as const) }))
  })
  const placed = isMirrored ? read.map((word) => ({ ...word, x0: width - word.x1, x1: width - word.x0 })) : read
  return { words: [...placed.map(withEnds), ...words.filter(({ isTurned }) => isTurned)], isMirrored }
}

function countOf(text: string, kind: RegExp): number {
  return [...text].filter((character) => kind.test(character)).length
}

function linesOf(words: readonly PaintedWord[]): PaintedWord[][] {
  const sorted = words.toSorted((a, b) => a.y - b.y)
  const lines = dividedAt(sorted, (word, next) => next.y - word.y > 0.2 * next.size)
  return lines.map((line) => line.sort((a, b) => a.x0 - b.x0))
}

function dividedAt(
  words: readonly PaintedWord[],
  divides: (word: PaintedWord, next: PaintedWord, gap: number) => boolean,
): PaintedWord[][] {
  const parts: PaintedWord[][] = []
  for (const word of words) {
    const last = parts.at(-1)?.at(-1)
    if (last && !divides(last, word, word.x0 - last.x1)) parts.at(-1)!.push(word)
    else parts.push([word])
  }
  return parts
}

/** Reads what is on one line without a wide gap, in the order of reading. */
function wordsOf(run: readonly PaintedWord[], isMirrored: boolean): PaintedWord[] {
  const text = run.map((word) => word.text).join(' ')
  const turns = isRightToLeft.test(text)
  const words = dividedAt(run, (_, next, gap) => gap > maxGap * next.size).map((parts) => merged(parts, ''))
  if (!turns && !isMirrored) return words
  // A line in other letters has their order, but may end on the left with the sign that ends a sentence.
  if (!turns && /\p{L}/u.test(text)) {
    const line = merged(words, ' ')
    return [{ ...line, text: line.text.replace(/^([.,:;!?]{1,3})(.*)$/u, '$2$1') }]
  }
  const isArabic = /\p{Script=Arabic}/u.test(text)
  const groups = dividedAt(words, (word, next) => !(isMirrored ? goesRight(word, next) : goesLeft(word, next)))
  const read = groups.map((group) => {
    const word = merged(group, ' ')
    return isMirrored || isRightToLeft.test(word.text) ? { ...word, text: logical(word.text, isArabic) } : word
  })
  return isMirrored ? read.reverse() : read
}

/** True if two words are read from left to right, such as a name in Latin letters and the number that one text object paints with it. */
function goesRight(word: PaintedWord, next: PaintedWord): boolean {
  const isLeftToRight = ({ text }: PaintedWord) => /\p{L}/u.test(text) && !isRightToLeft.test(text)
  const isNumber = /\p{Nd}/u.test(next.text) && !/\p{L}/u.test(next.text)
  return isLeftToRight(word) && (isLeftToRight(next) || (isNumber && word.block === next.block))
}

function goesLeft(word: PaintedWord, next: PaintedWord): boolean {
  return isRightToLeft.test(word.text) && isRightToLeft.test(next.text)
}

function merged(parts: readonly PaintedWord[], separator: string): PaintedWord {
  const [x0, x1] = [Math.min(...parts.map((part) => part.x0)), Math.max(...parts.map((part) => part.x1))]
  return { ...parts.at(-1)!, text: parts.map(({ text }) => text).join(separator), x0, x1 }
}

/** Turns a text as painted into the order of its letters, with letters instead of their forms. */
function logical(painted: string, isArabic: boolean): string {
  const flipped = (text: string) => [...text].reverse().join('')
  const parts = flipped(painted).split(rightToLeftParts)
  return parts
    .map((part) => {
      if (isRightToLeft.test(part)) return part
      const [first, last] = [part.search(/[\p{L}\p{Nd}]/u), part.search(/[\p{L}\p{Nd}][^\p{L}\p{Nd}]*$/u)]
      if (!/\p{L}/u.test(part)) return opened(part.replace(numbers[isArabic ? 1 : 0], flipped))
      return opened(part.slice(0, first)) + flipped(part.slice(first, last + 1)) + opened(part.slice(last + 1))
    })
    .join('')
    .normalize('NFKC')
}

/** Brackets as they are written: from right to left, the opening one is painted like a closing one. */
function opened(text: string): string {
  return text.replace(/[()[\]{}<>«»‹›]/g, (bracket) => brackets[brackets.indexOf(bracket) ^ 1]!)
}

/** Places the letters of a word, whose order has changed, evenly. */
function withEnds(word: PaintedWord): PaintedWord {
  const { text, x0, x1 } = word
  return { ...word, ends: Array.from(text, (_, at) => x0 + ((at + 1) / text.length) * (x1 - x0)) }
}
