import * as v from 'valibot'
import type { Chunk } from '../../../shared/documents/contract/chunk.ts'
import type { Range } from '../../../shared/terms/term-places.ts'

export type Passage = Pick<Chunk, 'chunk_index' | 'content' | 'metadata'>

export type JoinedText = { text: string; passages: (Range & { number: number })[] }

/**
 * Joins the text of successive chunks. Each chunk ends with its own part of the text, and the parts together are the whole text. Lines
 * that the first chunk repeats from further up, such as a table's header, come first.
 * @returns undefined if the chunks have no offsets, which clients' own chunks don't need
 */
export function joinPassages(chunks: Passage[]): JoinedText | undefined {
  const [first] = chunks
  const parts = chunks.map(ownPart)
  if (!first || !parts.every((part) => part !== undefined)) return undefined
  let text = first.content
  let end = parts[0]!.end
  const shift = text.length - end
  for (const part of parts.slice(1)) {
    if (part.start > end || part.end < end) return undefined
    text += part.text.slice(end - part.start)
    end = part.end
  }
  const passages = parts.map(({ number, start, end }) => ({ number, start: start + shift, end: end + shift }))
  return { text, passages }
}

const offset = v.pipe(v.number(), v.integer(), v.minValue(0))
const offsets = v.object({ start: offset, end: offset })

function ownPart({ chunk_index, content, metadata }: Passage) {
  const { success, output } = v.safeParse(offsets, metadata)
  if (!success) return undefined
  const { start, end } = output
  const length = end - start
  return 0 < length && length <= content.length
    ? { number: chunk_index + 1, start, end, text: content.slice(content.length - length) }
    : undefined
}
