/** Letters of scripts that have combining marks. */
const marked = /[\u0300-\u1fff\u20d0-\uffff]/
const tooManyMarks = /(\p{M}{30})\p{M}+/gu

/** In NFKC, with at most 30 marks in a row (Unicode's Stream-Safe Text Format): to sort them takes time by the square of their number. */
export function normalForm(text: string, form: 'NFC' | 'NFKC' = 'NFKC'): string {
  return (marked.test(text) ? text.replace(tooManyMarks, '$1') : text).normalize(form)
}
