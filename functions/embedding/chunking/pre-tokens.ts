// A longer pre-token is cut into pieces, since merging byte pairs is quadratic in the length.
export const maxPreTokenUnits = 256
const pieceUnits = 64

const letter = 1
const numeral = 2
const space = 3
const newline = 4
const otherClass = 5

const apostrophe = 0x27
const contractions = ['s', 'd', 'm', 't', 'll', 've', 're']

const unitClasses = new Uint8Array(0x10000)

function classify(character: string): number {
  if (character === '\r' || character === '\n') return newline
  if (/\s/u.test(character)) return space
  if (/\p{L}/u.test(character)) return letter
  return /\p{N}/u.test(character) ? numeral : otherClass
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

const maxCachedPairs = 20_000
const pairClasses = new Map<number, number>()

function pairClass(point: number): number {
  let found = pairClasses.get(point)
  if (found === undefined) {
    found = classify(String.fromCodePoint(point))
    if (pairClasses.size >= maxCachedPairs) pairClasses.clear()
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

export function isSpaceAt(text: string, at: number): boolean {
  const found = classAt(text, at)
  return found === space || found === newline
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
 * End of the pre-token that begins at `start`, as cl100k's regular expression splits text[start, end):
 * `'(?:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s`.
 * Hand-written, since the expression backtracks over a run of white space once for each alternative.
 */
export function preTokenEnd(text: string, start: number, end: number): number {
  const found = boundedEnd(text, start, end)
  return found - start < maxPreTokenUnits || found === end ? found : betweenCodePoints(text, start + pieceUnits)
}

export function isPiece(text: string, start: number, found: number, end: number): boolean {
  const length = found - start
  return (length === pieceUnits || length === pieceUnits - 1) && boundedEnd(text, start, end) > found
}

function betweenCodePoints(text: string, at: number): number {
  return text.codePointAt(at - 1)! > 0xffff ? at - 1 : at
}

function boundedEnd(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + maxPreTokenUnits)
  const first = classAt(text, start)
  if (first === letter) return runEnd(text, start, limit, letter)
  if (first === numeral) {
    let at = start
    for (let digits = 0; digits < 3 && at < limit && classAt(text, at) === numeral; digits++) at = after(text, at)
    return Math.min(at, limit)
  }
  if (text.charCodeAt(start) === apostrophe) {
    const rest = text.slice(start + 1, Math.min(start + 3, limit)).toLowerCase()
    const suffix = contractions.find((contraction) => rest.startsWith(contraction))
    if (suffix) return start + 1 + suffix.length
  }
  const second = after(text, start)
  const next = second < limit ? classAt(text, second) : 0
  if (first !== newline && next === letter) return runEnd(text, second, limit, letter)
  if (first === otherClass || (next === otherClass && text[start] === ' ')) {
    return runEnd(text, runEnd(text, second, limit, otherClass), limit, newline)
  }
  return spaceEnd(text, start, limit, end)
}

function spaceEnd(text: string, start: number, limit: number, end: number): number {
  let at = start
  let lastNewline = -1
  while (at < limit) {
    const found = classAt(text, at)
    if (found === newline) lastNewline = at
    else if (found !== space) break
    at++
  }
  if (at === end) return end
  if (lastNewline >= 0) return lastNewline + 1
  return at === limit || at === start + 1 ? at : at - 1
}
