import { termsOf } from '../../../../shared/terms/terms.ts'
import { wordsOf } from '../../../../shared/terms/words.ts'

/** What a line says an item costs. */
export interface Priced {
  /** The words of the item, in any order, with the header of its table. */
  key: string
  /** The line or sentence, with a table's cells one after the other. */
  text: string
  /** Its prices, each as currency and amount in one form. */
  amounts: string
}

const currency = /[€$£¥円元]|(?:EUR|USD|GBP|CHF|Euros?|Fr\.|kr|zł)(?![\p{L}])/iu.source
const amount = /(?<!\d)\d+(?:[.,'’ ]\d{3}){0,3}(?:[.,]\d{1,2})?(?![.,]*\d)/u.source
const price = new RegExp(
  `(?:(?<![\\p{L}\\d])(${currency}) ?(${amount}))|(?:(?<![\\d.,])(${amount}) ?(${currency}))`,
  'giu',
)
/** Words that say that something costs, or head any column: one text has them and another does not. */
const plain = new Set(
  'cost price priced pay item name product service article kosten kostet preis artikel produkt leistung bezeichnung coute prix produit cuesta precio producto costa prezzo'
    .split(' ')
    .flatMap(termsOf),
)

/** The lines of a passage, and sentences of its paragraphs, that say what something costs. */
export function pricesIn(content: string): Priced[] {
  const lines = content.normalize('NFKC').split('\n')
  let header = ''
  return lines.flatMap((line, i) => {
    if (!line.trimStart().startsWith('|')) {
      header = ''
      return line.split(/(?<=[.!?]["”»)]?)\s+(?!\d)|(?<=[。！？])/).flatMap((sentence) => pricedIn(sentence, ''))
    }
    if (isRule.test(lines[i + 1] ?? '')) header = keyOf(line)
    return pricedIn(line, header)
  })
}

const isRule = /^[\s:|]*-[\s:|-]*$/

function pricedIn(text: string, header: string): Priced[] {
  const found = [...text.matchAll(price)]
  const item = keyOf(text.replaceAll(price, ' '))
  if (found.length === 0 || item === '') return []
  const amounts = found.map(
    ([, before, first, second, after]) => `${sign(before ?? after!)}${toNumber(first ?? second!)}`,
  )
  const shown = text
    .replaceAll(/^[\s|#>*-]+|(?<![\s|*])[\s|*]+$|[*_]{2,}/g, '')
    .replaceAll(/(?:(?<!\s)\s+)?\|\s*/g, ' · ')
  return [{ key: `${item}|${header}`, text: shown, amounts: amounts.join(' ') }]
}

function keyOf(text: string): string {
  const terms = wordsOf(text).flatMap(({ text }) => termsOf(text).slice(0, 2))
  return [...new Set(terms)]
    .filter((term) => !plain.has(term))
    .toSorted()
    .join(' ')
}

function sign(currency: string): string {
  return /^eur/i.test(currency) ? '€' : currency.toLowerCase()
}

function toNumber(amount: string): number {
  const [, whole = '', decimals = '0'] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(amount)!
  return Number(`${whole.replaceAll(/\D/g, '')}.${decimals}`)
}
