/**
 * Where a text stops being JSON, and what should be there, in a sentence that repeats one character of it at most. JSON.parse tells the
 * position of some faults only.
 */
export function explainJsonFault(text: string): string {
  if (text.trim() === '') return 'The body is empty.'
  const fault = firstFault(text)
  if (!fault) return 'The body is not valid JSON.'
  const { at, expected } = fault
  const place = placeIn(text, at)
  return at === text.length
    ? `The body is not valid JSON: it ends at ${place}, where ${expected} is expected.`
    : `The body is not valid JSON: ${place} has ${nameOf(text.codePointAt(at)!)} where ${expected} is expected.`
}

export function placeIn(text: string, at: number): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  const line = text.slice(0, lineStart).split('\n').length
  return `line ${line}, column ${at - lineStart + 1}`
}

interface Fault {
  at: number
  expected: string
}

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'separator or end'

const space = /[\t\n\r ]*/y
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** A quote, a backslash, or a control character, which may not be in a string. */
const endOfCharacters = /["\\]|[^ -\uffff]/g
const escapeSequence = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** Iterative, because a text may be many levels deep. */
function firstFault(text: string): Fault | undefined {
  const closers: ('}' | ']')[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = endOf(space, text, at)
    const character = text[at]
    const closer = closers.at(-1)
    if (character === closer && expected.endsWith('end')) {
      if (closer === undefined) return undefined
      closers.pop()
      expected = 'separator or end'
      at++
    } else if (expected === 'separator or end') {
      if (closer === undefined) return { at, expected: 'the end of the body' }
      if (character !== ',') return { at, expected: `a comma or \`${closer}\`` }
      expected = closer === '}' ? 'name' : 'value'
      at++
    } else if (expected === 'colon') {
      if (character !== ':') return { at, expected: 'a colon' }
      expected = 'value'
      at++
    } else if (character === '"') {
      const end = endOfString(text, at + 1)
      if (typeof end !== 'number') return end
      expected = expected.startsWith('name') ? 'colon' : 'separator or end'
      at = end
    } else if (expected.startsWith('name')) {
      return { at, expected: 'a name in double quotes' }
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']')
      expected = character === '{' ? 'name or end' : 'value or end'
      at++
    } else {
      const end = endOf(literal, text, at)
      if (end === at) return { at, expected: 'a value' }
      expected = 'separator or end'
      at = end
    }
  }
}

function endOfString(text: string, from: number): number | Fault {
  for (let at = from; ; ) {
    endOfCharacters.lastIndex = at
    const found = endOfCharacters.exec(text)
    if (!found) return { at: text.length, expected: 'the closing double quote of a string' }
    if (found[0] === '"') return found.index + 1
    at = endOf(escapeSequence, text, found.index)
    if (at === found.index) return { at, expected: 'a valid escape sequence' }
  }
}

/** `from` where the pattern does not match. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

function nameOf(codePoint: number): string {
  const isPrintable = codePoint > 0x20 && codePoint < 0x7f
  return isPrintable
    ? `\`${String.fromCodePoint(codePoint)}\``
    : `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
}
