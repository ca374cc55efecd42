import * as v from 'valibot'
import type { Chunk } from '../../../shared/documents/chunk.ts'

export type Passage = Pick<Chunk, 'chunk_index' | 'content' | 'metadata'>

/** A part of a document's text that begins or ends where a passage does. */
export interface Stretch {
  text: string
  /** Indexes of the passages that it belongs to: two where one overlaps the next. */
  passages: number[]
  /** Index of the passage that begins with it. */
  begins?: number
}

/**
 * The text that neighbouring chunks of a document cover, made of the chunks alone: each ends with its own part of the text, and together
 * these are all of it.
 * @returns undefined if the chunks do not say where in a text they are, as those that a client has made need not
 */
export function stretchesOf(chunks: Passage[]): Stretch[] | undefined {
  const parts = chunks.map(partOf)
  if (!parts.every((part) => part !== undefined)) return undefined
  const isGapless = parts.every((part, i) => {
    const before = parts[i - 1]
    return !before || (before.start <= part.start && part.start <= before.end && before.end <= part.end)
  })
  if (!isGapless) return undefined

  const cuts = [...new Set(parts.flatMap(({ start, end }) => [start, end]))].toSorted((a, b) => a - b)
  return cuts.slice(1).map((to, i) => {
    const from = cuts[i]!
    const containing = parts.filter(({ start, end }) => start <= from && to <= end)
    const [{ start, text } = { start: 0, text: '' }] = containing
    const beginning = containing.find((part) => part.start === from)
    return {
      text: text.slice(from - start, to - start),
      passages: containing.map(({ index }) => index),
      ...(beginning && { begins: beginning.index }),
    }
  })
}

/** The lines that a chunk repeats from further up, and its own part of the text. */
export function repeatedAndOwn(chunk: Passage): { repeated: string; own: string } {
  const own = partOf(chunk)?.text ?? chunk.content
  return { repeated: chunk.content.slice(0, chunk.content.length - own.length), own }
}

const offset = v.pipe(v.number(), v.integer(), v.minValue(0))
const offsets = v.object({ start: offset, end: offset })

function partOf({ chunk_index, content, metadata }: Passage) {
  const { success, output } = v.safeParse(offsets, metadata)
  if (!success) return undefined
  const { start, end } = output
  const length = end - start
  return 0 < length && length <= content.length
    ? { index: chunk_index, start, end, text: content.slice(content.length - length) }
    : undefined
}
