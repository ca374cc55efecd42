import type { PaintedWord } from './painted-text.ts'
import type { Ruling } from './rulings.ts'

/** Points from the top left of the page as shown; `y` is the baseline. */
export interface Word {
  text: string
  x0: number
  x1: number
  y: number
  size: number
  font: string
  bold: boolean
  /** The widest gap before it that is a space, in multiples of the font size. */
  space: number
  /** The id of the annotation that shows it, if one does. */
  annotation?: string | undefined
}

export interface PageContent {
  width: number
  height: number
  words: Word[]
  turned: string[]
  rulings: Ruling[]
}

export const minSpace = 0.13
export const maxSpace = 0.9
const maxUsualSpace = 0.8
const maxJustified = 3
const maxUneven = 0.04

const leaders = /[.·…_]{4,}/g

/** The words of a page as its layout needs them: without leaders, and with what is a space. */
export function pageContent(
  words: readonly PaintedWord[],
  page: Pick<PageContent, 'width' | 'height' | 'rulings'>,
): PageContent {
  const turned: string[] = []
  for (const { text, before } of words.filter(({ isTurned }) => isTurned))
    if (before === '' && turned.length > 0) turned.push(turned.pop() + text)
    else turned.push(text)
  const upright = words.filter(({ isTurned }) => !isTurned).flatMap(withoutLeaders)
  const isDots = (word: Word | undefined) => word !== undefined && /^[.·…]+$/.test(word.text)
  // A single middle dot separates, as between a name and an address; more lead to a price.
  const shown = upright.filter(
    (word, at) => !isDots(word) || (word.text === '·' && !isDots(upright[at - 1]) && !isDots(upright[at + 1])),
  )
  return { ...page, words: spacedWords(shown), turned }
}

/** Sets for each word which gaps before it are spaces, by the usual gaps on the page. */
function spacedWords(words: readonly PaintedWord[]): Word[] {
  const sorted = [...words].sort((a, b) => Math.round(a.y) - Math.round(b.y) || a.x0 - b.x0)
  const gaps = sorted.map((word, index) => {
    const before = sorted[index - 1]
    return before?.font === word.font && Math.abs(before.y - word.y) < 1 ? (word.x0 - before.x1) / word.size : 0
  })
  const spaces = sorted.flatMap((word, index) => {
    const gap = gaps[index]!
    return gap > minSpace && gap < maxUsualSpace ? [{ gap, isPlaced: word.isPlaced }] : []
  })
  const usual = median(spaces.map(({ gap }) => gap))
  // Programs that write no spaces place every word by itself, or every letter.
  const placed = spaces.filter((space) => space.isPlaced && space.gap < 1.5 * usual)
  const placesAll = placed.length > 3 && placed.length > 0.3 * spaces.length
  const space = Math.max(maxSpace, spaces.length > 8 ? 1.75 * usual : 0)
  const even = evenGaps(sorted, gaps)
  // Without what only readers of painted words need, since all pages are kept.
  return words.map((word) => {
    const { text, x0, x1, y, size, font, bold, annotation } = word
    const own = !placesAll && word.isPlaced ? minSpace : space
    return { text, x0, x1, y, size, font, bold, annotation, space: Math.max(own, even.get(word) ?? 0) }
  })
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** The gaps before words of justified lines, which are equal though the words are not; a little enlarged. */
function evenGaps(words: readonly Word[], gaps: readonly number[]): Map<Word, number> {
  const even = new Map<Word, number>()
  for (let from = 1, to = 1; from < words.length; from = Math.max(to, from + 1)) {
    const gap = gaps[from]!
    for (to = from; to < words.length && Math.abs(gaps[to]! - gap) < maxUneven * gap; ) to++
    const widths = words.slice(from - 1, to).map(({ x0, x1 }) => x1 - x0)
    const isJustified = to - from >= 4 && gap < maxJustified && Math.max(...widths) > 2 * Math.min(...widths)
    if (isJustified) for (const word of words.slice(from, to)) even.set(word, 1.1 * gap)
  }
  return even
}

function withoutLeaders(word: PaintedWord): PaintedWord[] {
  const text = word.text.replace(leaders, (dots) => ' '.repeat(dots.length))
  if (text === word.text) return [word]
  return [...text.matchAll(/\S+/gu)].map(({ 0: part, index }) => {
    const [x0, x1] = [word.ends[index - 1] ?? word.x0, word.ends[index + part.length - 1] ?? word.x1]
    return { ...word, text: part, x0, x1 }
  })
}
