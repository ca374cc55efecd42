import { numberAt } from './numbers.ts'
import type { Emit, Speech } from './tokens.ts'

const maxGroups = 6

/** Decimals, versions and prices: "three point five", "one dot two dot three", "vierundzwanzig euro neunzig", "ninety nine cents". */
export function readAmounts(speech: Speech, emit: Emit): void {
  const { tokens, language } = speech
  for (let at = 0, next = 1; at < tokens.length; at = next) {
    const whole = wholeAt(speech, at)
    next = whole?.end ?? at + 1
    if (!whole) continue
    const after = tokens[whole.end]?.meaning
    const last = tokens[whole.end]!
    if (after?.sign === '.' || after?.sign === ',') next = readDecimal(speech, at, whole, emit)
    if (after?.half) for (const mark of language.marks) emit(tokens[at]!, last, `${whole.text}${mark}5`)
    if (after?.cents && whole.text.length <= 2 && !whole.isArticle) {
      for (const mark of language.marks) emit(tokens[at]!, last, `0${mark}${whole.text.padStart(2, '0')}`)
    }
    if (after?.currency) next = readPrice(speech, at, whole, emit)
  }
}

interface Whole {
  end: number
  text: string
  /** "a pound", "ein Euro": a price only with cents behind it. */
  isArticle?: boolean
}

function wholeAt(speech: Speech, at: number): Whole | undefined {
  if (speech.tokens[at]!.isPlain) return undefined
  const { one, article } = speech.tokens[at]!.meaning
  const number = numberAt(speech, at)
  if (number) return number.ordinal ? undefined : number
  return one || article ? { end: at + 1, text: '1', isArticle: true } : undefined
}

function readDecimal(speech: Speech, at: number, whole: Whole, emit: Emit): number {
  const { tokens } = speech
  const { sign } = tokens[whole.end]!.meaning
  let { text, end } = whole
  for (let groups = 0; groups < maxGroups && tokens[end]?.meaning.sign === sign; groups++) {
    const digits = digitsAt(speech, end + 1)
    if (!digits) break
    text = `${text}${sign}${digits.text}`
    end = digits.end
  }
  if (end === whole.end) return end
  emit(tokens[at]!, tokens[end - 1]!, text)
  if (sign === ',') emit(tokens[at]!, tokens[end - 1]!, text.replace(',', '.'))
  return end
}

function digitsAt(speech: Speech, at: number): Whole | undefined {
  let digits: Whole | undefined
  for (let count = 0; count < maxGroups; count++) {
    const next = numberAt(speech, digits?.end ?? at)
    if (!next || next.ordinal) break
    digits = { end: next.end, text: (digits?.text ?? '') + next.text }
  }
  return digits
}

function readPrice(speech: Speech, at: number, { end, text, isArticle }: Whole, emit: Emit): number {
  const { tokens, language } = speech
  const start = tokens[end + 1]?.meaning.and ? end + 2 : end + 1
  const cents = numberAt(speech, start)
  const isNamed = tokens[cents?.end ?? -1]?.meaning.cents
  const hasCents = cents && !cents.ordinal && (cents.text.length === 2 || (isNamed && cents.text.length === 1))
  const last = hasCents ? (isNamed ? cents.end : cents.end - 1) : end
  if (!hasCents && isArticle) return end
  const fraction = hasCents ? cents.text.padStart(2, '0') : '00'
  for (const mark of language.marks) emit(tokens[at]!, tokens[last]!, `${text}${mark}${fraction}`)
  return last + 1
}
