import { nothing } from './language.ts'
import type { Speech } from './tokens.ts'

/** Tokens up to `end` say a number; `text` has its digits, with leading zeros where they were written. */
interface NumberPhrase {
  end: number
  text: string
  ordinal: boolean
}

interface Part {
  end: number
  value: number
  ordinal: boolean
  written?: boolean
}

/** The longest number that begins at a token: "four thousand four hundred seventy one", "einundzwanzig", "030". */
export function numberAt(speech: Speech, at: number): NumberPhrase | undefined {
  const { tokens } = speech
  const token = tokens[at]
  if (!token || token.isPlain) return undefined
  const { digits } = token
  if (digits !== undefined && (digits.length > 3 || !tokens[at + 1]?.meaning.scale)) {
    return { end: at + 1, text: digits, ordinal: false }
  }
  let total: number | undefined
  let end = at
  let ordinal = false
  for (let limit = Number.POSITIVE_INFINITY; limit > 1; ) {
    const next = total !== undefined && tokens[end]?.meaning.and ? end + 1 : end
    const part = belowThousand(speech, next)
    if (!part || (total !== undefined && (part.written || part.value === 0))) break
    const scale = tokens[part.end]?.meaning.scale ?? 1
    const isScaled = scale >= 1000 && scale < limit && part.value > 0 && !part.ordinal
    if (!isScaled && part.end === next) break
    total = (total ?? 0) + part.value * (isScaled ? scale : 1)
    end = isScaled ? part.end + 1 : part.end
    ordinal = part.ordinal
    limit = isScaled ? scale : 1
  }
  return total === undefined ? undefined : { end, text: String(total), ordinal }
}

/** A part before a scale may be empty: "thousand" is one thousand, and so is "a thousand". */
function belowThousand(speech: Speech, at: number): Part | undefined {
  const { tokens, language } = speech
  const token = tokens[at]
  if (!token) return undefined
  const written = token.digits === undefined || token.digits.length > 3 ? undefined : Number(token.digits)
  const head =
    written === undefined ? belowHundred(speech, at) : { end: at + 1, value: written, ordinal: false, written: true }
  if (head && head.value >= 100 && !head.written) {
    const tail = belowHundred(speech, head.end)
    return tail && tail.value > 0 && tail.value < 100 ? { ...tail, value: head.value + tail.value } : head
  }
  const hundred = head?.end ?? at
  if (tokens[hundred]?.meaning.scale !== 100) {
    return head ?? (token.meaning.scale === 1000 ? { end: at, value: 1, ordinal: false } : undefined)
  }
  if (head && (head.ordinal || head.value === 0 || (head.written && head.value > 9))) return head
  const and = tokens[hundred + 1]?.meaning.and ? 1 : 0
  const next = belowHundred(speech, hundred + 1 + and)
  // "Eight hundred five five five" is 800 555.
  const isDigit = next && !and && next.value < 10 && (tokens[next.end]?.meaning.number ?? 10) < 10
  const tail = isDigit ? undefined : next
  const value = (head?.value ?? 1) * 100
  if (tail && tail.value > 0) return { ...tail, value: value + tail.value }
  const { currency, scale } = tokens[hundred + 1]?.meaning ?? nothing
  const stands = head || language.bareScales || currency || scale || tokens[at - 1]?.meaning.scale
  return stands ? { end: hundred + 1, value, ordinal: false } : undefined
}

function belowHundred({ tokens, language }: Speech, at: number): Part | undefined {
  const { number, ordinal = false, one } = tokens[at]?.meaning ?? nothing
  const isTens = (value: number | undefined) => value !== undefined && value >= 20 && value % 10 === 0
  const unit = one ? 1 : number
  if (language.unitsFirst && unit && unit < 10 && !ordinal && tokens[at + 1]?.meaning.and) {
    const tens = tokens[at + 2]?.meaning
    if (isTens(tens?.number)) return { end: at + 3, value: unit + tens!.number!, ordinal: tens!.ordinal ?? false }
  }
  if (one && tokens[at + 1]?.meaning.scale) return { end: at + 1, value: 1, ordinal: false }
  if (number === undefined) return undefined
  if (isTens(number) && !ordinal && !language.unitsFirst) {
    const and = language.andInTens && tokens[at + 1]?.meaning.and ? 1 : 0
    const next = tokens[at + 1 + and]?.meaning ?? nothing
    const rest = next.number ?? 0
    const fits =
      rest > 0 &&
      rest < (language.wideTens?.includes(number) ? 20 : 10) &&
      (!and || rest % 10 === 1 || language.andInTens === 'always')
    if (fits) return { end: at + 2 + and, value: number + rest, ordinal: next.ordinal ?? false }
  }
  return { end: at + 1, value: number, ordinal }
}
