/** Longer pre-tokens are cut, since merging byte pairs is quadratic. */
export const maxPreTokenUnits = 256
export const pieceUnits = 64

export const letter = 1
const numeral = 2
export const space = 3
export const newline = 4
export const otherClass = 5

const blank = 0x20
const apostrophe = 0x27
const [d, e, l, m, r, s, t, v] = [...'delmrstv'].map((each) => each.charCodeAt(0))

/** The class of each code point; 0 until it is first seen. */
export const classes = new Uint8Array(0x110000)

function classify(character: string): number {
  if (/\p{L}/u.test(character)) return letter
  if (character === '\r' || character === '\n') return newline
  if (/\s/u.test(character)) return space
  return /\p{N}/u.test(character) ? numeral : otherClass
}

export const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00
export const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit < 0xe000

function isPair(units: Uint16Array, at: number): boolean {
  return isHighSurrogate(units[at]!) && at + 1 < units.length && isLowSurrogate(units[at + 1]!)
}

function after(units: Uint16Array, at: number): number {
  return isPair(units, at) ? at + 2 : at + 1
}

export function pointAt(units: Uint16Array, at: number): number {
  return isPair(units, at) ? 0x10000 + ((units[at]! - 0xd800) << 10) + units[at + 1]! - 0xdc00 : units[at]!
}

function classAt(units: Uint16Array, at: number): number {
  const known = classes[units[at]!]!
  return known === 0 ? classOf(pointAt(units, at)) : known
}

function classOf(point: number): number {
  const known = classes[point]!
  if (known !== 0) return known
  const found = classify(String.fromCodePoint(point))
  if (!isHighSurrogate(point)) classes[point] = found
  return found
}

function classOfUnit(unit: number): number {
  const known = classes[unit]!
  return known !== 0 || isHighSurrogate(unit) ? known : classOf(unit)
}

export function isLetter(unit: number): boolean {
  return classOfUnit(unit) === letter
}

export function isSpace(unit: number): boolean {
  const found = classOfUnit(unit)
  return found === space || found === newline
}

export function isSpaceAt(text: string, at: number): boolean {
  return at < text.length && isSpace(text.charCodeAt(at))
}

export function skipSpace(text: string, from: number, end: number): number {
  let at = from
  while (at < end && isSpaceAt(text, at)) at++
  return at
}

function runEnd(units: Uint16Array, from: number, limit: number, wanted: number): number {
  for (let at = from; ; at = after(units, at)) {
    while (at < limit && classes[units[at]!] === wanted) at++
    if (at >= limit) return limit
    if (classes[units[at]!] !== 0 || classAt(units, at) !== wanted) return at
  }
}

/**
 * End of the pre-token at `start`, as cl100k's expression splits units[start, end):
 * `'(?:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s`.
 * Hand-written, since the expression backtracks over runs of white space.
 */
export function preTokenEnd(units: Uint16Array, start: number, end: number): number {
  const found = boundedEnd(units, start, end)
  if (found - start < maxPreTokenUnits || found === end) return found
  return start + pieceUnits - (isPair(units, start + pieceUnits - 1) ? 1 : 0)
}

export function isPiece(units: Uint16Array, start: number, found: number, end: number): boolean {
  const length = found - start
  return (length === pieceUnits || length === pieceUnits - 1) && boundedEnd(units, start, end) > found
}

function boundedEnd(units: Uint16Array, start: number, end: number): number {
  const limit = Math.min(end, start + maxPreTokenUnits)
  const first = classAt(units, start)
  if (first === numeral) return numeralEnd(units, start, limit)
  if (units[start] === apostrophe) {
    const suffix = contractedUnits(units, start + 1, limit)
    if (suffix > 0) return start + 1 + suffix
  }
  const second = first === letter ? start : after(units, start)
  const next = second < limit ? classAt(units, second) : 0
  if (next === letter && first !== newline) return runEnd(units, second, limit, letter)
  if (first === otherClass || (next === otherClass && units[start] === blank))
    return runEnd(units, runEnd(units, second, limit, otherClass), limit, newline)
  return spaceEnd(units, start, limit, end)
}

function numeralEnd(units: Uint16Array, start: number, limit: number): number {
  let at = start
  for (let digits = 0; digits < 3 && at < limit && classAt(units, at) === numeral; digits++) at = after(units, at)
  return Math.min(at, limit)
}

function contractedUnits(units: Uint16Array, at: number, limit: number): number {
  const first = at < limit ? units[at]! | 0x20 : 0
  if (first === s || first === d || first === m || first === t) return 1
  const second = at + 1 < limit ? units[at + 1]! | 0x20 : 0
  return (first === l && second === l) || ((first === v || first === r) && second === e) ? 2 : 0
}

function spaceEnd(units: Uint16Array, start: number, limit: number, end: number): number {
  let at = start
  let lastNewline = -1
  while (at < limit) {
    const found = classAt(units, at)
    if (found === newline) lastNewline = at
    else if (found !== space) break
    at++
  }
  if (at === end) return end
  if (lastNewline >= 0) return lastNewline + 1
  return at === limit || at === start + 1 ? at : at - 1
}
