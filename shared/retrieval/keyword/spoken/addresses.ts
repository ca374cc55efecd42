import { numberAt } from './numbers.ts'
import type { Emit, Speech, Token } from './tokens.ts'

/** Endings that make an address without an "at". */
const knownEndings = new Set('com org net info biz eu io app shop de at ch fr be nl it es uk us ca'.split(' '))
const joiners = '.-_+'
const maxLabels = 8
const maxWords = 3
const maxCharacters = 24

/** E-mail and web addresses: "info at kaffee minus shop dot de". */
export function readAddresses(speech: Speech, emit: Emit): void {
  const { tokens } = speech
  for (let dot = 1; dot < tokens.length - 1; dot++) {
    if (tokens[dot]!.meaning.sign !== '.') continue
    const end = endingAt(tokens, dot + 1)
    const ending = textBetween(speech, dot + 1, end)
    const goesOn = joins(tokens[end], joiners) && endingAt(tokens, end + 1) > end + 1
    if (!/^\p{L}{2,}$/u.test(ending) || goesOn) continue
    const domain = namesBefore(speech, dot)
    if (!domain) continue
    const at = atSignBefore(tokens, domain.start)
    const local = at === undefined ? undefined : namesBefore(speech, at)
    if (local) {
      const text = `${local.text}@${textBetween(speech, at! + 1, domain.start)}${domain.text}.${ending}`
      emit(tokens[local.start]!, tokens[end - 1]!, text)
    } else if (knownEndings.has(ending)) emit(tokens[domain.start]!, tokens[end - 1]!, `${domain.text}.${ending}`)
  }
}

const joins = (token: Token | undefined, signs: string) =>
  token?.meaning.sign !== undefined && signs.includes(token.meaning.sign)
const isLetter = (token: Token | undefined) =>
  token !== undefined && token.text.length === 1 && token.meaning.letters !== undefined
const isDigits = (token: Token | undefined) => (token?.digits ?? token?.meaning.number) !== undefined

/** The last label: a word, or letters one by one ("d e"). */
function endingAt(tokens: Token[], start: number): number {
  let end = start
  while (end - start < 3 && isLetter(tokens[end])) end++
  return Math.max(end, Math.min(start + 1, tokens.length))
}

/** Labels and their joiners, read backwards: `end` is the token behind them. */
function namesBefore(speech: Speech, end: number): { start: number; text: string } | undefined {
  const { tokens } = speech
  let text = ''
  let to = end
  for (let labels = 0; labels < maxLabels; labels++) {
    const start = labelBefore(tokens, to)
    if (start === to) return undefined
    text = textBetween(speech, start, to) + text
    const joiner = tokens[start - 1]
    if (start < 2 || !joins(joiner, joiners) || joins(tokens[start - 2], joiners)) return { start, text }
    text = joiner!.meaning.sign! + text
    to = start - 1
  }
  return undefined
}

function labelBefore(tokens: Token[], end: number): number {
  let start = end
  const isSaidInParts = (token: Token | undefined) => isLetter(token) || isDigits(token)
  while (end - start < maxCharacters && isSaidInParts(tokens[start - 1])) start--
  const isWordMissing =
    start === end || (tokens.slice(start, end).every(isDigits) && tokens[start - 1]?.meaning.sign === undefined)
  if (isWordMissing && start > 0 && !joins(tokens[start - 1], `${joiners}@/,`)) start--
  while (start > 0 && !tokens[start]!.starts) start--
  return start
}

/** The "at" ahead of a domain, whose first label may be several words: "at kaffee haus dot de". */
function atSignBefore(tokens: Token[], start: number): number | undefined {
  for (let at = start - 1; at > 0 && at >= start - maxWords; at--) {
    if (tokens[at]!.meaning.sign === '@') return at
    if (tokens[at]!.meaning.sign !== undefined) return undefined
  }
  return undefined
}

function textBetween(speech: Speech, start: number, end: number): string {
  const { tokens } = speech
  let text = ''
  for (let at = start; at < end; ) {
    const isLetterO = tokens[at]!.meaning.unsure && !isDigits(tokens[at - 1]) && !isDigits(tokens[at + 1])
    const number = isLetterO ? undefined : numberAt(speech, at)
    text += number && number.end <= end ? number.text : tokens[at]!.text.replaceAll(' ', '')
    at = number && number.end <= end ? number.end : at + 1
  }
  return text
}
