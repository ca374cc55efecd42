import { BoundedMap } from '../bounded-map.ts'
import { fold } from '../terms/word-forms.ts'

type Kind = 'number' | 'time' | 'day' | 'month'

/** A range that a text names: "up to 5 kg", "ages 6–15", "from 17:00" or "Mon–Fri". Ends are inclusive; times are minutes; a range of times, days or months may wrap. */
export interface Range {
  kind: Kind
  low: number
  high: number
  /** Undefined if the text has none. */
  unit: string | undefined
}

const units = new Map<string, readonly [unit: string, factor: number]>()
for (const [unit, words] of Object.entries({
  kg: 'kg=1 kilo=1 kilos=1 kilogram=1 kilograms=1 kilogramm=1 g=.001 gram=.001 grams=.001 gramm=.001 t=1000 tonne=1000 tonnes=1000 tonnen=1000 lb=.4536 lbs=.4536',
  m: 'm=1 metre=1 metres=1 meter=1 meters=1 metern=1 cm=.01 centimetre=.01 centimetres=.01 centimeter=.01 zentimeter=.01 mm=.001 km=1000 kilometre=1000 kilometres=1000 kilometer=1000 kilometers=1000 kilometern=1000 mile=1609 miles=1609 inch=.0254 inches=.0254 "=.0254 ″=.0254 zoll=.0254',
  year: 'year=1 years=1 yr=1 yrs=1 jahr=1 jahre=1 jahren=1 jahriger=1 jahrige=1 jahriges=1 ans=1 month=.08333333 months=.08333333 monat=.08333333 monate=.08333333 monaten=.08333333',
  hour: 'hour=1 hours=1 hr=1 hrs=1 std=1 stunde=1 stunden=1 heures=1 min=.01666667 mins=.01666667 minute=.01666667 minutes=.01666667 minuten=.01666667 day=24 days=24 tag=24 tage=24 tagen=24 jours=24 week=168 weeks=168 woche=168 wochen=168 night=24 nights=24 nacht=24 nachte=24 nachten=24',
  'm²': 'm2=1 m²=1 qm=1 sqm=1 quadratmeter=1 quadratmetern=1',
  l: 'l=1 litre=1 litres=1 liter=1 litern=1 ml=.001',
  USD: '$=1 usd=1 dollar=1 dollars=1',
  EUR: '€=1 eur=1 euro=1 euros=1',
  GBP: '£=1 gbp=1 pound=1 pounds=1',
  CHF: 'chf=1 franken=1',
  '%': '%=1 percent=1 prozent=1',
  people: 'people=1 persons=1 person=1 guests=1 personen=1 leute=1 personnes=1',
}))
  for (const word of words.split(' ')) {
    const [name, factor] = word.split('=')
    units.set(name!, [unit, Number(factor)])
  }

const calendar = new Map<string, Range>()
const add = (kind: Kind, words: string, low: number, high = low) => {
  for (const word of words.split(' ')) calendar.set(word, { kind, low, high, unit: undefined })
}
const days =
  'monday mon montag mo lundi lunes lunedi maandag|tuesday tue tues dienstag di mardi martes martedi dinsdag|wednesday wed mittwoch mi mercredi miercoles mercoledi woensdag|thursday thu thur thurs donnerstag do jeudi jueves giovedi donderdag|friday fri freitag fr vendredi viernes venerdi vrijdag|saturday sat samstag sonnabend sa samedi sabado sabato zaterdag|sunday sun sonntag so dimanche domingo domenica zondag'
const months =
  'january jan januar janner janvier enero gennaio januari|february feb februar fevrier febrero febbraio februari|march mar marz mars marzo maart|april apr avril abril aprile|may mai mayo maggio mei|june jun juni juin junio giugno|july jul juli juillet julio luglio|august aug aout agosto augustus|september sep sept septembre septiembre settembre|october oct oktober okt octobre octubre ottobre|november nov novembre noviembre|december dec dezember dez decembre diciembre dicembre'
for (const [i, words] of days.split('|').entries()) add('day', words, i)
for (const [i, words] of months.split('|').entries()) add('month', words, i)
add('day', 'weekdays weekday werktags wochentags', 0, 4)
add('day', 'weekend weekends wochenende', 5, 6)
add('day', 'daily taglich', 0, 6)
add('month', 'spring fruhling fruhjahr', 2, 4)
add('month', 'summer sommer', 5, 7)
add('month', 'autumn herbst', 8, 10)
add('month', 'winter', 11, 1)

const byLength = (names: Iterable<string>) => [...names].sort((a, b) => b.length - a.length).join('|')
const currencies = ['USD', 'EUR', 'GBP', 'CHF']
const signs = '€|£|\\$|eur|usd|gbp|chf'
const suffixes = byLength([...units.keys(), 'uhr', 'h', 'am', 'pm', 'a.m.', 'p.m.']).replaceAll(/[$.]/g, '\\$&')
const quantity = String.raw`(?:(${signs}) ?)?(\d{1,9}(?:[.,’']\d{3})*(?:[.,:h]\d{1,2})?)(?:[.,][-–])?(?:[ -]?(${suffixes})(?![\p{L}\d]))?`
const joined = String.raw` ?(?:-|–|—|to|bis|and|und|until|à) ?(?:ca\.? ?)?`
const quantities = new RegExp(`(?<![\\d.,:])${quantity}(?:${joined}${quantity})?`, 'gu')
const name = `(?<!\\p{L})(${byLength(calendar.keys())})(?:tags|s)?(?!\\p{L})`
const names = new RegExp(`${name}\\.?(?: ?(?:-|–|—|to|bis|until|à|au|a|al|tot|t/m) ?(?:\\d{1,2}\\. ?)?${name})?`, 'gu')
const upTo = /(?:first|erste|up to|until|till|bis(?: zu)?|max\.?|maximum|at most|höchstens|jusqu'à|≤) ?$/
const below = /(?:under|below|less than|before|unter|weniger als|vor|moins de|<) ?$/
const from = /(?:from|since|at least|min\.?|minimum|ab|von|mindestens|dès|à partir de|≥) ?$/
const above = /(?:over|above|more than|after|über|mehr als|nach|plus de|>) ?$/
const orMore =
  /^(?: ?\+| or more| and (?:over|above|up|older)| or over| plus| oder mehr| und mehr| und älter| and later)/
const orLess = /^(?: or less| and (?:under|below|younger)| or under| oder weniger)/
const nearest = 0.001
const hour = 60
const halfDay = 12 * hour

const known = new BoundedMap<string, Range[]>(20_000)
const maxNameLength = 80

/** The ranges that a name, such as a cell's or a header's, has: those of amounts before those of days and months. A longer text has none. */
export function rangesIn(text: string): Range[] {
  if (text.length > maxNameLength) return []
  return known.getOrInsertComputed(text, () => [
    ...amountsIn(text).map(({ range, ...place }) => opened(text.toLowerCase(), range, place)),
    ...Array.from(fold(text).matchAll(names), ([, low = '', high = '']) => {
      const range = calendar.get(low)!
      const last = calendar.get(high)
      return { ...range, high: last?.kind === range.kind ? last.high : range.high }
    }),
  ])
}

export interface Amount {
  range: Range
  start: number
  end: number
}

/** The numbers, measures, prices and times of a text, each a single one or a range from one to another. */
export function amountsIn(text: string): Amount[] {
  const isHours = /^\d{1,2}\.[0-5]\d ?[–-] ?\d{1,2}\.[0-5]\d$/.test(text)
  const written = text
    .toLowerCase()
    .replaceAll(/(?<![\p{L}\d])(?:noon|midday)(?!\p{L})/gu, (word) => '12:00'.padEnd(word.length))
  return [...(isHours ? written.replaceAll('.', ':') : written).matchAll(quantities)].map((match) => ({
    range: toRange(match),
    start: match.index,
    end: match.index + match[0].length,
  }))
}

export const isMoney = ({ unit }: Range) => unit !== undefined && currencies.includes(unit)

function toRange([, sign = '', digits = '', unit = sign, sign2 = '', digits2, unit2 = sign2]: RegExpExecArray): Range {
  const [kind, factor] = units.get(unit || unit2) ?? [undefined, 1]
  const isClock = /[:h]/.test(digits + (digits2 ?? ''))
  if (!kind && (isClock || /^(?:uhr|h|am|pm|[ap]\.m)/.test(unit2 || unit))) {
    const low = minutesOf(digits, unit)
    const high = digits2 === undefined ? low : minutesOf(digits2, unit2)
    const isLate = digits2 !== undefined && unit2.startsWith('p') && unit === '' && low + halfDay < high
    return rangeOf('time', isLate ? low + halfDay : low, high)
  }
  const amountOf = (digits: string) => (isClock ? minutesOf(digits, '') / hour : numberOf(digits))
  const low = amountOf(digits) * factor
  if (digits2 === undefined) return rangeOf('number', low, low, kind)
  const [last, lastFactor] = units.get(unit2 || unit) ?? [undefined, 1]
  return rangeOf('number', low, amountOf(digits2) * lastFactor, last)
}

const numberOf = (digits: string) => Number(digits.replaceAll(/[.,’'](?=\d{3})/g, '').replace(',', '.'))

function minutesOf(digits: string, half: string): number {
  const [hours = 0, minutes = 0] = digits.split(/[:.h]/).map(Number)
  const shift = half.startsWith('p') && hours < 12 ? 12 : half.startsWith('a') && hours === 12 ? -12 : 0
  return (hours + shift) * hour + minutes
}

/** Opens a single amount that stands after “up to” or before “or more”. */
function opened(text: string, range: Range, { start, end }: Omit<Amount, 'range'>): Range {
  if (range.low !== range.high) return range
  const before = text.slice(Math.max(0, start - 16), start)
  const after = text.slice(end, end + 12)
  if (upTo.test(before) || orLess.test(after)) return { ...range, low: Number.NEGATIVE_INFINITY }
  if (below.test(before)) return { ...range, low: Number.NEGATIVE_INFINITY, high: range.high - nearest }
  if (above.test(before)) return { ...range, low: range.low + nearest, high: Number.POSITIVE_INFINITY }
  if (from.test(before) || orMore.test(after)) return { ...range, high: Number.POSITIVE_INFINITY }
  return range
}

/** Rounds, so that 60 minutes equal an hour. */
export function rangeOf(kind: Kind, low: number, high = low, unit?: string): Range {
  return { kind, low: Math.round(low * 1e4) / 1e4, high: Math.round(high * 1e4) / 1e4, unit }
}

export const unitOf = (word: string) => units.get(fold(word))?.[0]

/** True also for an open end. */
function isIn(value: number, { low, high }: Range): boolean {
  if (!Number.isFinite(value)) return true
  return low <= high ? value >= low && value <= high : value >= low || value <= high
}

/** How well a text's range meets the question's: 0 for not at all, less than 1 for an open or a wide one. A number without a unit meets only the ends of a range. */
export function meets(asked: Range, range: Range): number {
  if (asked.kind !== range.kind) return 0
  const isSingle = range.low === range.high
  if (asked.unit !== range.unit && (range.unit || asked.unit !== 'year')) return 0
  const isEnd = [range.low, range.high].some((end) => Math.abs(end - asked.low) <= nearest)
  if (asked.kind === 'number' && !asked.unit && !isSingle && !isEnd) return 0
  if (!isIn(asked.low, range) || !isIn(asked.high, range)) return 0
  if (isSingle) return 1
  if (Number.isFinite(range.low) && Number.isFinite(range.high)) return 0.95
  const bound = Number.isFinite(range.low) ? range.low : range.high
  const value = Number.isFinite(asked.low) ? asked.low : asked.high
  if (value === bound) return 0.97
  return 0.5 + 0.4 / (1 + Math.abs(bound - value) / (1 + Math.abs(value)))
}
