import type { Chunk } from '../../chunking/chunker.ts'
import type { PageStart } from '../../database/tables.ts'

/** The page on which each chunk's own text begins, after its overlap. */
export function pagesOf(chunks: readonly Chunk[], starts: readonly PageStart[]): (number | string)[] {
  let at = 0
  return chunks.map(({ metadata: { start } }, index) => {
    const own = Math.max(start, chunks[index - 1]?.metadata.end ?? 0)
    while (starts[at + 1] && starts[at + 1]![0] <= own) at++
    return starts[at]![1]
  })
}

const anchorLength = 40
const maxMoved = 2_000

/** The pages' offsets after an edit of the text. A page is found by its first line, or else moves as far as the page before it. */
export function movedStarts(starts: readonly PageStart[], before: string, after: string): PageStart[] {
  let moved = 0
  return starts.map(([at, page]) => {
    const expected = at + moved
    const from = Math.max(0, expected - maxMoved)
    const [anchor = ''] = before.slice(at, at + anchorLength).split('\n', 1)
    const found = after.slice(from, expected + maxMoved + anchorLength)
    const places = [found.indexOf(anchor, expected - from), found.lastIndexOf(anchor, expected - from)]
    const [place] = places
      .filter((place) => place >= 0)
      .map((place) => place + from)
      .sort((a, b) => Math.abs(a - expected) - Math.abs(b - expected))
    moved = (place ?? expected) - at
    return [at + moved, page]
  })
}
