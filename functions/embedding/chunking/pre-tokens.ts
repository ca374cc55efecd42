/**
 * A pre-token that reaches this many UTF-16 units is cut into pieces of PIECE units: merging byte pairs is quadratic in the length.
 */
export const LONGEST_PRE_TOKEN = 256
const PIECE = 64

const LETTER = 1
const NUMBER = 2
const SPACE = 3
const NEWLINE = 4
const OTHER = 5

const APOSTROPHE = 0x27
const contractions = ['s', 'd', 'm', 't', 'll', 've', 're']

const unitClasses = new Uint8Array(0x10000)

function classify(character: string): number {
  if (character === '\r' || character === '\n') return NEWLINE
  if (/\s/u.test(character)) return SPACE
  if (/\p{L}/u.test(character)) return LETTER
  return /\p{N}/u.test(character) ? NUMBER : OTHER
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

const REMEMBERED_PAIRS = 20_000
const pairClasses = new Map<number, number>()

function pairClass(point: number): number {
  let found = pairClasses.get(point)
  if (found === undefined) {
    found = classify(String.fromCodePoint(point))
    if (pairClasses.size >= REMEMBERED_PAIRS) pairClasses.clear()
    pairClasses.set(point, found)
  }
  return found
}

function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  const known = unitClasses[unit]!
  if (known !== 0) return known
  if (isHighSurrogate(unit)) return pairClass(text.codePointAt(at)!)
  const found = classify(text[at]!)
  unitClasses[unit] = found
  return found
}

/** Whether the character at an offset is white space (JavaScript's `\s`). */
export function isSpaceAt(text: string, at: number): boolean {
  const found = classAt(text, at)
  return found === SPACE || found === NEWLINE
}

function after(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at)) && text.codePointAt(at)! > 0xffff ? at + 2 : at + 1
}

function runEnd(text: string, from: number, limit: number, wanted: number): number {
  let at = from
  while (at < limit) {
    const known = unitClasses[text.charCodeAt(at)]!
    if (known === wanted) at++
    else if (known !== 0 || classAt(text, at) !== wanted) break
    else at = after(text, at)
  }
  return Math.min(at, limit)
}

/**
 * End of the pre-token of text[start, end) that begins at `start`, as the regular expression of cl100k splits text:
 * `'(?:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s`.
 * By hand, since the expression backtracks over a run of white space once for each of its alternatives.
 */
export function preTokenEnd(text: string, start: number, end: number): number {
  const found = boundedEnd(text, start, end)
  return found - start < LONGEST_PRE_TOKEN || found === end ? found : betweenCodePoints(text, start + PIECE)
}

/** Whether the pre-token text[start, found) is a piece of one that is too long. */
export function isPiece(text: string, start: number, found: number, end: number): boolean {
  const length = found - start
  return (length === PIECE || length === PIECE - 1) && boundedEnd(text, start, end) > found
}

function betweenCodePoints(text: string, at: number): number {
  return text.codePointAt(at - 1)! > 0xffff ? at - 1 : at
}

function boundedEnd(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + LONGEST_PRE_TOKEN)
  const first = classAt(text, start)
  if (first === LETTER) return runEnd(text, start, limit, LETTER)
  if (first === NUMBER) {
    let at = start
    for (let digits = 0; digits < 3 && at < limit && classAt(text, at) === NUMBER; digits++) at = after(text, at)
    return Math.min(at, limit)
  }
  if (text.charCodeAt(start) === APOSTROPHE) {
    const rest = text.slice(start + 1, Math.min(start + 3, limit)).toLowerCase()
    const suffix = contractions.find((contraction) => rest.startsWith(contraction))
    if (suffix) return start + 1 + suffix.length
  }
  const second = after(text, start)
  const next = second < limit ? classAt(text, second) : 0
  if (first !== NEWLINE && next === LETTER) return runEnd(text, second, limit, LETTER)
  if (first === OTHER || (next === OTHER && text[start] === ' ')) {
    return runEnd(text, runEnd(text, second, limit, OTHER), limit, NEWLINE)
  }
  return spaceEnd(text, start, limit, end)
}

function spaceEnd(text: string, start: number, limit: number, end: number): number {
  let at = start
  let lastNewline = -1
  while (at < limit) {
    const found = classAt(text, at)
    if (found === NEWLINE) lastNewline = at
    else if (found !== SPACE) break
    at++
  }
  if (at === end) return end
  if (lastNewline >= 0) return lastNewline + 1
  return at === limit || at === start + 1 ? at : at - 1
}
