import type { PaintedText, PaintedWord } from './painted-text.ts'

/** A page with fewer letters, of which pictures cover the larger part, may be a scan. */
const minLetters = 100

/**
 * Leaves out what is on layers that are off, and what is painted without ink or in the colour of its ground. The latter stays if it is all the
 * text, or lies over a scan: then a scanner has written it.
 */
export function seenWords({ words, pictured }: PaintedText): {
  words: PaintedWord[]
  layers: Set<string>
  passages: number
} {
  const onLayers = words.filter(({ hidden }) => hidden === undefined || hidden === 'ink')
  const inked = onLayers.filter(({ hidden, annotation }) => hidden === undefined && annotation === undefined)
  const letters = inked.reduce((sum, { text }) => sum + text.length, 0)
  const isScan = letters === 0 || (letters < minLetters && pictured > 0.5)
  const seen = isScan ? onLayers : onLayers.filter(({ hidden }) => hidden === undefined)
  const layers = words.flatMap(({ hidden }) => (hidden === undefined || hidden === 'ink' ? [] : [hidden]))
  const starts = onLayers.filter((word, at) => word.hidden && !onLayers[at - 1]?.hidden)
  return { words: seen, layers: new Set(layers), passages: isScan ? 0 : starts.length }
}
