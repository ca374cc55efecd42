import { marks } from './plain-line.ts'

/** Letters of scripts that have combining marks. */
const marked = /[\u0300-\u1fff\u20d0-\uffff]/
const tooManyMarks = /(\p{M}{30})\p{M}+/gu

/** The digit zero of scripts with digits of their own; one to nine follow it. */
const zeros = '٠۰०০੦૦௦౦೦൦๐໐༠၀០'
const european = new Map([
  ['٫', '.'],
  ['٬', ','],
])
for (const zero of zeros)
  for (let value = 0; value < 10; value++) european.set(String.fromCharCode(zero.charCodeAt(0) + value), String(value))
const notEuropean = new RegExp(`[${[...european.keys()].join('')}]`, 'g')

function withEuropeanDigits(text: string): string {
  return text.replace(notEuropean, (sign) => european.get(sign)!)
}

/**
 * Normalizes a text, and keeps at most 30 marks in a row (Unicode's Stream-Safe Text Format): sorting them is quadratic.
 * In NFKC, which is for comparing, invisible characters go, ٤٤٧١٢ is 44712 and ٣٫٤٠ is 3.40.
 */
export function normalForm(text: string, form: 'NFC' | 'NFKC' = 'NFKC'): string {
  const normal = (marked.test(text) ? text.replace(tooManyMarks, '$1') : text).normalize(form)
  return form === 'NFKC' && marked.test(normal) ? withEuropeanDigits(normal.replace(marks, '')) : normal
}
