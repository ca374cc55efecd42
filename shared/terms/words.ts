export interface Word {
  text: string
  /** The character that joins it to the word before, as in K-4471, K 4471, 24.90 and e-mail; '' for none. */
  joint: string
  start: number
}

/** @param text in NFKC */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  forEachWord(text, (text, joint, start) => words.push({ text, joint, start }))
  return words
}

/** Reads code units: a regular expression takes several times as long. @param text in NFKC */
export function forEachWord(text: string, visit: (word: string, joint: string, start: number) => void): void {
  let previous = ''
  let previousEnd = -2
  for (let at = 0; at < text.length; ) {
    const start = at
    const kind = kindOf(text.charCodeAt(at++))
    if (kind === outside) continue
    while (at < text.length && kindOf(text.charCodeAt(at)) === kind) at++
    const word = text.slice(start, at)
    const separator = start === previousEnd + 1 ? text[previousEnd]! : ''
    visit(word, joins(previous, separator, word) ? separator : '', start)
    previous = word
    previousEnd = at
  }
}

/** Scripts without spaces between words, and Hangul, whose words end in particles. */
export const unspaced =
  /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u

const unknown = 0
const outside = 1
const spacedWord = 2
const unspacedWord = 3
const kinds = new Uint8Array(0x10000)

function kindOf(unit: number): number {
  if (kinds[unit] === unknown) kinds[unit] = newKindOf(unit)
  return kinds[unit]!
}

function newKindOf(unit: number): number {
  const character = String.fromCharCode(unit)
  if (unspaced.test(character)) return unspacedWord
  const isSurrogate = unit >= 0xd800 && unit < 0xe000
  return isSurrogate || /[\p{L}\p{M}\p{N}]/u.test(character) ? spacedWord : outside
}

const digit = /\p{N}/u
const digits = /^\p{N}+$/u
const prefix = /^\p{L}{1,3}$/u

function joins(before: string, separator: string, after: string): boolean {
  switch (separator) {
    case ' ':
      return mayBeDigit(after.charCodeAt(0)) && digits.test(after) && (prefix.test(before) || digits.test(before))
    case '-':
    case '‐':
      return true
    case '.':
    case ',':
    case ':':
    case '/':
    case '_':
    case '–':
      return digit.test(before) && digit.test(after)
    default:
      return false
  }
}

function mayBeDigit(unit: number): boolean {
  return unit <= 0x39 || unit > 0x7f
}
