import { BoundedMap } from '../bounded-map.ts'

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Longer clusters are cut between code points; a family emoji has 25 units. */
const maxClusterUnits = 128
const windowUnits = 512

export const carriageReturn = 0x0d
export const lineFeed = 0x0a
/** No character below this joins the one before, except a line feed after a carriage return. */
const firstJoiningUnit = 0x300

const joinsSpace = new BoundedMap<number, boolean>(20_000)

export function clusterBegins(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (unit === lineFeed) return text.charCodeAt(at - 1) !== carriageReturn
  if (unit < firstJoiningUnit || at >= text.length) return true
  return !joinsSpace.getOrInsertComputed(text.codePointAt(at)!, joins)
}

function joins(point: number): boolean {
  return [...segmenter.segment(` ${String.fromCodePoint(point)}`)].length === 1
}

export function* clusterEnds(text: string, start: number, end: number): Generator<number> {
  let at = start
  while (at < end) {
    if (text.charCodeAt(at) < firstJoiningUnit && (at + 1 === end || text.charCodeAt(at + 1) < firstJoiningUnit)) {
      at += text.charCodeAt(at) === carriageReturn && text.charCodeAt(at + 1) === lineFeed && at + 1 < end ? 2 : 1
      yield at
    } else {
      for (const clusterEnd of windowEnds(text, at, end)) {
        yield clusterEnd
        at = clusterEnd
      }
    }
  }
}

function* windowEnds(text: string, start: number, end: number): Generator<number> {
  const windowEnd = Math.min(end, start + windowUnits)
  for (const { index, segment } of segmenter.segment(text.slice(start, windowEnd))) {
    const clusterEnd = start + index + segment.length
    if (segment.length > maxClusterUnits) {
      yield betweenCodePoints(text, start + index + maxClusterUnits)
      return
    }
    if (clusterEnd === windowEnd && windowEnd < end) return
    yield clusterEnd
  }
}

function betweenCodePoints(text: string, at: number): number {
  return text.codePointAt(at - 1)! > 0xffff ? at - 1 : at
}
