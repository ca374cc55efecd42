export interface Amounts {
  kind: 'price' | 'time'
  /** Decimal numbers, or times such as “09:00”. */
  amounts: string[]
  /** Of a price, '' if the text does not say it. */
  currency: string
  /** The number of single prices, or of single times and ranges of two. */
  count: number
  /** The text without them. */
  rest: string
}

const currencies = { USD: '\\$|usd|dollars?', EUR: '€|eur|euros?', GBP: '£|gbp', CHF: 'chf|franken' }
const signs = Object.values(currencies).join('|')
const [currencyWord, ...wordsOfCurrency] = [signs, ...Object.values(currencies)].map(
  (words) => new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu'),
)
const money = new RegExp(
  String.raw`(?:(${signs}) ?)?(?<![\d.,:])(\d{1,9}(?:[.,’']\d{1,3}){0,3})(?:[.,][-–])?(?: ?(${signs}))?(?![\p{L}\d%]|[.,:’']\d)`,
  'giu',
)
const clock = String.raw`(\d{1,2})(?:([:h.])([0-5]\d))?(?: ?(am|pm|a\.m\.|p\.m\.|uhr))?`
const clocks = new RegExp(
  String.raw`(?<![\d.,:])${clock}(?: ?(?:-|–|—|to|bis|and|und|until|till|à) ?${clock})?(?![\p{L}\d]|[.,:]\d| ?(?:h|hrs?|hours?|min(?:utes?|uten)?|std|stunden)\b)`,
  'giu',
)
const priceWord =
  /(?<!\p{L})(?:prices?|pricing|costs?|fees?|rates?|preise?|preisliste|kosten|gebühr(?:en)?|prix|tarife?|tarifs)(?!\p{L})/iu

export const saysPrice = (text: string) => priceWord.test(text) || currencyWord!.test(text)

/** @returns '' if the text names none */
export const currencyOf = (text: string) =>
  Object.keys(currencies)[wordsOfCurrency.findIndex((word) => word.test(text))] ?? ''

/** The prices or the times of day of a text; undefined if it has both or neither. @param bare the currency of numbers without one; undefined if they are no prices */
export function amountsIn(text: string, bare?: string): Amounts | undefined {
  const prices = [...text.matchAll(money)].filter(([, before, , after]) => bare !== undefined || before || after)
  const times = [...text.matchAll(clocks)].flatMap((match) => timesOf(match) ?? [])
  if (prices.length > 0 === times.length > 0) return undefined
  if (times.length > 0) {
    const amounts = times.flatMap((each) => each.amounts)
    return { kind: 'time', amounts, currency: '', count: times.length, rest: without(text, times) }
  }
  const said = prices.map(([, before, , after]) => currencyOf(before ?? after ?? '')).find(Boolean)
  const amounts = prices.map(([, , digits]) => toNumber(digits!))
  return { kind: 'price', amounts, currency: said ?? bare ?? '', count: prices.length, rest: without(text, prices) }
}

function toNumber(digits: string): string {
  return String(Number(digits.replaceAll(/[.,’'](?=\d{3}(?!\d))/g, '').replace(/[,’']/, '.')))
}

/** A time, or a range whose first number may be bare, as in “9–17 Uhr”. */
function timesOf(match: RegExpExecArray) {
  const first = toClock(match.slice(1, 5))
  const last = match[5] === undefined ? first : toClock(match.slice(5))
  if (!last.isTime || first.hours > 24 || last.hours > 24) return undefined
  const end = minutesOf(last)
  const inherited = minutesOf({ ...first, half: first.half || last.half })
  const begin = inherited < end ? inherited : minutesOf(first)
  return { 0: match[0], index: match.index, amounts: (last === first ? [end] : [begin, end]).map(toTime) }
}

function toClock([hours, separator, minutes = '0', suffix = '']: (string | undefined)[]) {
  const isTime = suffix !== '' || /^[:h]$/i.test(separator ?? '')
  return {
    hours: Number(hours),
    minutes: Number(minutes),
    half: /^[ap]/i.exec(suffix)?.[0].toLowerCase() ?? '',
    isTime,
  }
}

function minutesOf({ hours, minutes, half }: ReturnType<typeof toClock>): number {
  const added = half === 'p' && hours < 12 ? 12 : half === 'a' && hours === 12 ? -12 : 0
  return (hours + added) * 60 + minutes
}

function toTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

function without(text: string, found: readonly { 0: string; index: number }[]): string {
  return found.reduceRight(
    (rest, { 0: { length }, index }) => `${rest.slice(0, index)} ${rest.slice(index + length)}`,
    text,
  )
}
