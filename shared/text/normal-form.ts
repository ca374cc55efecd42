/** Letters of scripts that have combining marks. */
const marked = /[\u0300-\u1fff\u20d0-\uffff]/
const tooManyMarks = /(\p{M}{30})\p{M}+/gu

/** Normalizes a text, and keeps at most 30 marks in a row (Unicode's Stream-Safe Text Format): sorting them is quadratic. */
export function normalForm(text: string, form: 'NFC' | 'NFKC' = 'NFKC'): string {
  return (marked.test(text) ? text.replace(tooManyMarks, '$1') : text).normalize(form)
}
