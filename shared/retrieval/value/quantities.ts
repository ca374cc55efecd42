import { BoundedMap } from '../../bounded-map.ts'
import { fold } from '../../terms/word-forms.ts'

type Kind = 'number' | 'time' | 'day' | 'month'

/** A range that a question or a table names: "up to 5 kg", "ages 6–15", "from 17:00" or "Mon–Fri". Ends are inclusive; a range of days or months may wrap. */
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
  money: '£=1 €=1 $=1 eur=1 euro=1 euros=1 pound=1 pounds=1 dollar=1 dollars=1',
  '%': '%=1 percent=1 prozent=1',
  people: 'people=1 persons=1 person=1 guests=1 personen=1 leute=1 personnes=1',
}))
  for (const word of words.split(' '))
    units.set(word.slice(0, word.lastIndexOf('=')), [unit, Number(word.slice(word.lastIndexOf('=') + 1))])

const days =
  'monday mon montag mo lundi|tuesday tue tues dienstag di mardi|wednesday wed mittwoch mi mercredi|thursday thu thur thurs donnerstag do jeudi|friday fri freitag fr vendredi|saturday sat samstag sonnabend sa samedi|sunday sun sonntag so dimanche'
const months =
  'january jan januar janner janvier|february feb februar fevrier|march mar marz mars|april apr avril|may mai|june jun juni juin|july jul juli juillet|august aug aout|september sep sept septembre|october oct oktober okt octobre|november nov novembre|december dec dezember dez decembre'
const calendar = new Map<string, Range[]>()
for (const [kind, names] of [
  ['day', days],
  ['month', months],
] as const)
  for (const [i, words] of names.split('|').entries())
    for (const word of words.split(' ')) calendar.set(word, [{ kind, low: i, high: i, unit: undefined }])
for (const [words, kind, low, high] of [
  ['weekdays weekday werktags wochentags', 'day', 0, 4],
  ['weekend weekends wochenende', 'day', 5, 6],
  ['daily taglich', 'day', 0, 6],
  ['spring fruhling fruhjahr', 'month', 2, 4],
  ['summer sommer', 'month', 5, 7],
  ['autumn herbst', 'month', 8, 10],
  ['winter', 'month', 11, 1],
] as const)
  for (const word of words.split(' ')) calendar.set(word, [{ kind, low, high, unit: undefined }])

/** Words with other meanings, too, are days and months only in a table. */
const ambiguous = new Set('mo di mi do fr sa so sat sun wed mar mars mai may march dec jan'.split(' '))
const partsOfDay = new Map(
  'breakfast=8 fruhstuck=8 morgens=9 morning=10 vormittag=10 vormittags=10 noon=12 midday=12 lunch=12.5 lunchtime=12.5 mittag=12.5 mittags=12.5 afternoon=15 nachmittag=15 nachmittags=15 evening=19 abend=19 abends=19 tonight=20 night=22'
    .split(' ')
    .map((entry) => entry.split('='))
    .map(([word, time]) => [word!, Number(time)]),
)
const ages = new Map<string, number>()
for (const [words, age] of [
  ['baby babies infant toddler baby saugling kleinkind', 1],
  ['child children kid kids boy girl son daughter kind kinder sohn tochter junge madchen', 9],
  ['teenager teenagers teen youth jugendlicher jugendliche', 15],
  ['adult adults grown erwachsener erwachsene erwachsenen', 40],
  ['senior seniors pensioner pensioners retired rentner rentnerin', 70],
] as const)
  for (const word of words.split(' ')) ages.set(word, age)
const hour = 60

/** The day, month or time of day that a word of a question names. @param before the word before it */
export function namedIn(word: string, before: string | undefined): Range[] {
  const folded = fold(word)
  const name = calendar.has(folded) ? folded : folded.replace(/s$/, '')
  if (
    ambiguous.has(name) &&
    !/^(?:in|im|of|on|am|for|ab|bis|until|till|during|end|ende|mid|mitte|early|late|anfang|en)$/.test(before ?? '')
  )
    return []
  const time = partsOfDay.get(folded)
  if (time !== undefined) return [rangeOf('time', time * hour)]
  const age = ages.get(folded)
  if (age) return [rangeOf('number', age, age, 'year')]
  return calendar.get(name) ?? dayAndTime(folded)
}

/** German joins them: "samstagabend". */
function dayAndTime(word: string): Range[] {
  const found = /^(\p{L}{2,9}tag)(\p{L}{4,10})$/u.exec(word)
  const day = found && calendar.get(found[1]!)
  const time = found && partsOfDay.get(found[2]!)
  return day && time !== undefined && time !== null ? [...day, rangeOf('time', time * hour)] : []
}

export function rangeOf(kind: Kind, low: number, high = low, unit?: string): Range {
  return { kind, low: rounded(low), high: rounded(high), unit }
}

/** Rounds, so that 60 minutes equal an hour. */
const rounded = (value: number) => Math.round(value * 1e4) / 1e4

export const unitOf = (word: string | undefined) => (word === undefined ? undefined : units.get(fold(word)))

const number = String.raw`([£€$]?) ?(\d{1,9}(?:[.,]\d{3})*(?:[.,:]\d{1,2})?)`
const suffix = String.raw`(?: ?(m[²2](?!\d)|\p{L}{1,12}|[%+"″€£$])(?:\.m\.?)?)?`
const amount = new RegExp(`${number}${suffix}`, 'gu')
const upTo = /(?:first|erste|up to|until|till|bis(?: zu)?|max\.?|maximum|at most|höchstens|jusqu'à|≤) ?$/
const below = /(?:under|below|less than|before|unter|weniger als|vor|moins de|<) ?$/
const from = /(?:from|since|at least|min\.?|minimum|ab|von|mindestens|dès|à partir de|≥) ?$/
const above = /(?:over|above|more than|after|über|mehr als|nach|plus de|>) ?$/
const joins = /^ ?(?:-|–|—|to|bis|and|und|until|à) ?(?:ca\.? ?)?$/
const orMore =
  /^(?: ?\+| or more| and (?:over|above|up|older)| or over| plus| oder mehr| und mehr| und älter| and later)/
const orLess = /^(?: or less| and (?:under|below|younger)| or under| oder weniger)/
export const nearest = 0.001

const known = new BoundedMap<string, Range[]>(20_000)

/** The ranges that a cell of a table names. */
export const rangesIn = (text: string): Range[] => known.getOrInsertComputed(text, readRanges)

const monthNames = months.split('|').map((names) => names.split(' ')[0])
const written: [RegExp, (all: string, ...parts: string[]) => string][] = [
  [/(?<!\p{L})(?:noon|midday|mittags?)(?!\p{L})/gu, () => '12:00'],
  [/(?<!\p{L})(?:midnight|mitternachts?)(?!\p{L})/gu, () => '24:00'],
  [/(\d{1,2}\.) ?(0?[1-9]|1[0-2])\.(?!\d)/g, (_, day, month) => `${day} ${monthNames[Number(month) - 1]}`],
]

function readRanges(text: string): Range[] {
  let lower = text.toLowerCase()
  for (const [short, meant] of written) lower = lower.replaceAll(short, meant)
  return [...(/\d/.test(lower) ? amountsIn(lower) : []), ...namesIn(lower)]
}

interface Amount extends Range {
  start: number
  end: number
}

function amountsIn(text: string): Range[] {
  const ranges: Range[] = []
  let open: Amount | undefined
  const flush = () => open && ranges.push(bounded(text, open))
  for (const match of text.matchAll(amount)) {
    const next = toAmount(match)
    if (open && joins.test(text.slice(open.end, next.start)) && (open.kind === next.kind || open.unit === undefined)) {
      if (next.kind === 'time' && open.kind === 'number')
        open = { ...open, kind: 'time', low: open.low * hour, high: open.high * hour }
      else if (open.unit === undefined) open = { ...open, low: open.low * factorOf(match), high: open.high }
      ranges.push(rangeOf(next.kind, open.low, next.low, next.unit ?? open.unit))
      open = undefined
    } else {
      flush()
      open = next
    }
  }
  flush()
  return ranges
}

const factorOf = (match: RegExpExecArray) => units.get(fold(match[3] ?? ''))?.[1] ?? 1

function toAmount(match: RegExpExecArray): Amount {
  const [whole, sign = '', digits = '', word = ''] = match
  const place = {
    start: match.index,
    end:
      match.index +
      whole.length -
      (units.get(fold(word)) || /^(?:uhr|h|am|pm|a|p)$/.test(word)
        ? 0
        : whole.length - whole.lastIndexOf(digits) - digits.length),
  }
  const [hours, minutes] = digits.split(/[:.]/).map(Number)
  if (digits.includes(':') || /^(?:uhr|h|am|pm|a|p)$/.test(word)) {
    const half = word.startsWith('p') && hours! < 12 ? 12 : word.startsWith('a') && hours === 12 ? -12 : 0
    return { ...rangeOf('time', (hours! + half) * hour + (minutes ?? 0)), ...place }
  }
  const value = Number(digits.replaceAll(/[.,](?=\d{3})/g, '').replace(',', '.'))
  const [unit, factor] = units.get(fold(word)) ?? units.get(sign) ?? [undefined, 1]
  return { ...rangeOf('number', value * factor, value * factor, unit), ...place }
}

function bounded(text: string, { start, end, kind, low, unit }: Amount): Range {
  const before = text.slice(Math.max(0, start - 16), start)
  const after = text.slice(end, end + 12)
  const range = (from: number, to: number) => rangeOf(kind, from, to, unit)
  if (upTo.test(before) || orLess.test(after)) return range(Number.NEGATIVE_INFINITY, low)
  if (below.test(before)) return range(Number.NEGATIVE_INFINITY, low - nearest)
  if (above.test(before)) return range(low + nearest, Number.POSITIVE_INFINITY)
  if (from.test(before) || orMore.test(after)) return range(low, Number.POSITIVE_INFINITY)
  return range(low, low)
}

function namesIn(text: string): Range[] {
  const ranges: Range[] = []
  let end = -1
  for (const { 0: word, index } of text.matchAll(/\p{L}{2,12}/gu)) {
    const [named] = calendar.get(fold(word)) ?? calendar.get(fold(word).replace(/s$/, '')) ?? []
    if (!named) continue
    const last = ranges.at(-1)
    if (
      last?.kind === named.kind &&
      last.low === last.high &&
      joins.test(text.slice(end, index).replaceAll(/^\.|\d{1,2}\.? $/g, '')) &&
      !/und|and/.test(text.slice(end, index))
    )
      last.high = named.low
    else ranges.push({ ...named })
    end = index + word.length
  }
  return ranges
}

/** How well a table's range meets the question's: 0 for not at all, less than 1 for one that is open or wide. */
export function meets(asked: Range, range: Range): number {
  if (asked.kind !== range.kind || (asked.unit && range.unit && asked.unit !== range.unit)) return 0
  const isIn = (value: number) =>
    range.low <= range.high ? value >= range.low && value <= range.high : value >= range.low || value <= range.high
  if (!isIn(asked.low)) return 0
  if (range.low === range.high) return 1
  if (Number.isFinite(range.low) && Number.isFinite(range.high)) return 0.95
  const bound = Number.isFinite(range.low) ? range.low : range.high
  return 0.5 + 0.4 / (1 + Math.abs(bound - asked.low) / (1 + Math.abs(asked.low)))
}

const rangeWords = new Set(
  'up to bis ab from over under more uber unter age ages uhr am pm h before after vor nach von max min mehr hochstens mindestens until till less than older noon'.split(
    ' ',
  ),
)

/** True if the word is part of a range. @param word folded */
export function isOfRange(word: string): boolean {
  return (
    /\d/.test(word) ||
    units.has(word) ||
    rangeWords.has(word) ||
    calendar.has(word) ||
    calendar.has(word.replace(/s$/, ''))
  )
}
