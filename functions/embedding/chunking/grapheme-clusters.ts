const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** A grapheme cluster is kept whole up to this many UTF-16 units (a family emoji has 25); a longer one is cut between code points. */
const LONGEST_CLUSTER = 128
const WINDOW = 512
const REMEMBERED_POINTS = 20_000

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
/** Below this no character joins another one, but for a line feed behind a carriage return. */
const FIRST_JOINING_UNIT = 0x300

const joinsSpace = new Map<number, boolean>()

/** Whether a cluster begins at `at`, given that white space or a mark of punctuation stands before it. */
export function clusterBegins(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (unit === LINE_FEED) return text.charCodeAt(at - 1) !== CARRIAGE_RETURN
  if (unit < FIRST_JOINING_UNIT || at >= text.length) return true
  const point = text.codePointAt(at)!
  let joins = joinsSpace.get(point)
  if (joins === undefined) {
    joins = [...segmenter.segment(` ${String.fromCodePoint(point)}`)].length === 1
    if (joinsSpace.size >= REMEMBERED_POINTS) joinsSpace.clear()
    joinsSpace.set(point, joins)
  }
  return !joins
}

/** Ends of the grapheme clusters of text[start, end), in order. Segments only where a character may join its neighbour. */
export function* clusterEnds(text: string, start: number, end: number): Generator<number> {
  let at = start
  while (at < end) {
    if (text.charCodeAt(at) < FIRST_JOINING_UNIT && (at + 1 === end || text.charCodeAt(at + 1) < FIRST_JOINING_UNIT)) {
      at += text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED && at + 1 < end ? 2 : 1
      yield at
    } else {
      for (const clusterEnd of windowEnds(text, at, end)) {
        yield clusterEnd
        at = clusterEnd
      }
    }
  }
}

/** Cluster ends of a window, without the last cluster where the window may have cut it. */
function* windowEnds(text: string, start: number, end: number): Generator<number> {
  const windowEnd = Math.min(end, start + WINDOW)
  for (const { index, segment } of segmenter.segment(text.slice(start, windowEnd))) {
    const clusterEnd = start + index + segment.length
    if (segment.length > LONGEST_CLUSTER) {
      yield betweenCodePoints(text, start + index + LONGEST_CLUSTER)
      return
    }
    if (clusterEnd === windowEnd && windowEnd < end) return
    yield clusterEnd
  }
}

function betweenCodePoints(text: string, at: number): number {
  return text.codePointAt(at - 1)! > 0xffff ? at - 1 : at
}
