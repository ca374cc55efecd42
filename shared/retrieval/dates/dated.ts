import { dayMilliseconds } from '../../organizations/time-zone.ts'
import { fold } from '../../terms/word-forms.ts'
import { readTurn } from '../asked.ts'
import { amountsIn, isMoney } from '../quantities.ts'
import type { Hit } from '../schemas.ts'
import { headsOf, tablesIn } from '../tables.ts'
import { kindsIn } from '../value/kinds.ts'
import { metBy, readerOf, vocabularyOf } from '../value/reading.ts'
import { type AskedDays, askedDays, namesWeekday } from './asked-days.ts'
import { countryOf, type Day, holidaysOn, isPublicHoliday, localOf, type Place, partsOf } from './calendar.ts'
import { ranks, subjectsOf } from './subjects.ts'
import { languages } from './words.ts'
import type { Mentions } from './written-dates.ts'
import { isNear, namingIn, readPassage } from './written-days.ts'

/** When and where a question is asked. */
export interface Moment {
  at: Date
  place: Place
  /** True if “on Friday” means any Friday, whose usual hours count, as in a question that is asked again and again. */
  isAnyWeek?: boolean
}

/** A hit whose document may be valid for some days only. */
export interface Dated extends Pick<Hit, 'chunk_id' | 'document_id' | 'document_title' | 'content' | 'metadata'> {
  valid_from: string | Date | null
  valid_until: string | Date | null
}

/** A document that is valid for at most this number of days speaks of these days. */
const maxValidDays = 14
/** Longer ranges are sought by their months. */
const maxDaysSought = 3
const maxDays = 14

/** The days of a range, the first `maxDays` and the next if it is longer. */
const daysFrom = (from: Day, to: Day): Day[] =>
  Array.from({ length: Math.min(to - from, maxDays) + 1 }, (_, i) => from + i)

/** The days of the last turn; those of the turns before it if it names none and needs them. */
export function daysOfCall(query: string, history: readonly string[], { at, place }: Moment): readonly AskedDays[] {
  for (const turn of [query, ...history.toReversed()]) {
    const days = askedDays(turn, at, place)
    if (days.length > 0) return days
  }
  return []
}

/**
 * The words that texts may have for the days: “friday 25 december christmas”; none for a question about something else, whose passages
 * would come behind tables of hours.
 * @param query with the turns that it needs
 */
export function wordsOfDays(query: string, asked: readonly AskedDays[], moment: Moment): string {
  if (asked.length === 0) return ''
  const { asksHours, isPriced } = readHours(query, moment)
  if (!asksHours && !isPriced) return ''
  const words = asked.flatMap(({ from, to, language }) => {
    const { dayNames, monthNames, holidayNames } = language.dayNames.length > 0 ? language : languages()[0]!
    return daysFrom(from, to).flatMap((day) => {
      const { weekday, date, month } = partsOf(day)
      if (to - from >= maxDaysSought) return [monthNames[month - 1]!]
      const holidays = holidaysOn(day, countryOf(moment.place))
      const names = holidayNames.filter(([, holiday]) => holidays.includes(holiday))
      return [dayNames[weekday]!, String(date), monthNames[month - 1]!, ...names.map(([name]) => name)]
    })
  })
  return [...new Set(words)].join(' ')
}

/**
 * The turn with the day of the week in place of each day, so that a table of hours meets it; without the days if the first hit names them
 * itself.
 */
export function withWeekdays<Found extends Dated>(
  turn: string,
  { at, place }: Moment,
  { hits, isNamed, isNight }: DatedHits<Found>,
): string {
  let text = turn
  const isPriced = kindsIn(turn.toLowerCase()).has('price')
  for (const day of askedDays(turn, at, place).toReversed()) {
    const { start, end, from, to, part, naming, language, said } = day
    if (!isNamed && (naming === 'holiday' || from !== to)) continue
    const isLeftOut = isNamed || (isPriced && !namesWeekday(day))
    const weekday = language.dayNames[partsOf(isNight ? from - 1 : from).weekday] ?? said
    const isWritten =
      part && hits.some((hit) => tablesIn(hit).some(({ columns }) => fold(columns.flat().join(' ')).includes(part)))
    const written = isLeftOut ? '' : isWritten ? `${weekday} ${part}` : weekday
    text = `${text.slice(0, start)}${written}${text.slice(end)}`
  }
  return text.replaceAll(/\s+/g, ' ').trim() || turn
}

interface DatedHits<Found> {
  hits: Found[]
  /** True if the first hit names the days. */
  isNamed: boolean
  /** True if the usual hours of a weekday prove nothing. */
  isExcepted: boolean
  /** The first hit's sentence about the weekday in this season, if that is what answers: other hours are those of other seasons. */
  seasonal: string | undefined
  /** True if the first hit has hours of the evening before that pass midnight. */
  isNight: boolean
  /** True if the first hit has the hours of the day that are asked for. */
  isAnswered: boolean
}

/** A sentence of a hit that names the asked days. */
interface Graded<Found> {
  hit: Found
  text: string
  /** See `ranks`. */
  rank: number
  /** The number of the question's other words that it has. */
  met: number
  saysClosed: boolean
  /** True if it speaks of what is asked for. */
  isAbout: boolean
}

function rankOn(mentions: Mentions, day: Day, place: Place): number {
  const rank = ranks[namingIn(mentions, day, place)]
  return rank === ranks.season && mentions.weekdays[partsOf(day).weekday] ? ranks.seasonalWeekday : rank
}

/** The rank of a row below a line that names days, such as “From 20 December to 31 January:”. */
function rankBelow(lead: number, row: number): number {
  if (row !== ranks.weekday) return row
  return lead === ranks.season ? ranks.seasonalWeekday : lead === ranks.others || lead > ranks.season ? lead : row
}

const nightRank = 1.5

/**
 * Puts passages that name the asked days before those that name only their weekdays, and these before others, where they are about the
 * same: they have as many of the question’s other words and, where hours are asked for, speak of those of the business. A day on which it
 * is closed goes before all else.
 * @param hits best first @param query with the turns that it needs
 */
export function datedFirst<Found extends Dated>(
  hits: readonly Found[],
  query: string,
  asked: readonly AskedDays[],
  moment: Moment,
  agentName = '',
): DatedHits<Found> {
  const { place, isAnyWeek = false } = moment
  if (asked.length === 0 || hits.length === 0)
    return {
      hits: [...hits],
      isNamed: false,
      isExcepted: false,
      seasonal: undefined,
      isNight: false,
      isAnswered: false,
    }
  const days = asked.flatMap(({ from, to }) => daysFrom(from, to))
  const nights = asked.filter(({ isAfterMidnight }) => isAfterMidnight).map(({ from }) => from - 1)
  const { units, isPriced, asksHours } = readHours(query, moment)
  const isUsual = isAnyWeek && asked.every(({ naming }) => naming === 'weekday')
  const read = readerOf(units, units.length > 0 ? vocabularyOf(hits) : new Set())
  const speaksOfUs = subjectsOf(hits, read, agentName)
  const rankOf = (mentions: Mentions, sentence: string) => {
    const found = Math.max(...days.map((day) => rankOn(mentions, day, place)))
    const rank = isUsual && found > ranks.weekday ? ranks.others : found
    const isNight = nights.some((day) => ranks[namingIn(mentions, day, place)] >= 1) && passesMidnight(sentence)
    return isNight ? Math.max(rank, nightRank) : rank
  }
  /** True if a sentence may make an exception that is not understood. */
  let unsure = false
  let hasException = false
  const graded = hits.flatMap((hit): Graded<Found>[] => {
    const isValid = isValidOnlyOn(hit, days, place)
    return readPassage(headsOf(hit).slice(1), hit.content).flatMap((sentence) => {
      const { text, mentions, lead, speaksOfHours, saysClosed, isVague, namesHours } = sentence
      const alone = rankOf(mentions, text)
      const named = lead ? rankBelow(rankOf(lead, text), alone) : alone
      const rank = isValid && speaksOfHours && !isUsual ? ranks.date : named
      const isUnsure = isVague && (speaksOfHours || saysClosed) && days.some((day) => isNear(mentions, day, place))
      if (isUnsure && !isUsual) unsure = true
      if (rank >= ranks.range || (rank === ranks.rule && namesHours)) hasException = true
      if (rank <= 0) return []
      const met = metBy(read, { ...hit, content: text }).filter(Boolean).length
      const isAbout = isPriced ? hasPrice(text) : speaksOfUs(hit, rank, sentence)
      return [{ hit, text, rank, met, saysClosed: saysClosed && isAbout, isAbout }]
    })
  })
  const least = Math.max(0, ...graded.map(({ met }) => met))
  const isAsGood = ({ rank, met, saysClosed }: Graded<Found>) => rank >= ranks.rule || saysClosed || met >= least
  const isSpecial = (each: Graded<Found>) =>
    each.rank >= ranks.season &&
    (asksHours
      ? each.isAbout && isAsGood(each)
      : (!isPriced &&
          (each.saysClosed ||
            (each.rank === ranks.date && (asked.some(isExplicit) || (each.isAbout && units.length < 2))))) ||
        (each.met > 0 && each.met >= least))
  const closedFirst = ({ saysClosed }: Graded<Found>) => Number(!asksHours && saysClosed)
  const byRank = (one: Graded<Found>, other: Graded<Found>) =>
    closedFirst(other) - closedFirst(one) || other.rank - one.rank || other.met - one.met
  const special = graded.filter(isSpecial).sort(byRank)
  const ordinary = graded
    .filter(({ rank, met, isAbout }) => asksHours && isAbout && rank < ranks.season && met >= least)
    .sort(byRank)
  const [best] = [...special, ...ordinary]
  const isOut = unsure || hasException || (!isUsual && days.some((day) => isPublicHoliday(day, place)))
  const seasonal = !isPriced && !isOut && best?.rank === ranks.seasonalWeekday ? best.text : undefined
  const isExcepted = isPriced
    ? special.some(({ rank }) => rank >= ranks.rule)
    : isOut || (special.length > 0 && seasonal === undefined)
  const ordered = [...special, ...ordinary].map(({ hit }) => hit)
  const isNight = special.length === 0 && ordinary[0]?.rank === nightRank
  const isAnswered = asksHours && best?.isAbout === true && best.met === units.length
  return {
    hits: [...new Set([...ordered, ...hits])],
    isNamed: special.length > 0 && seasonal === undefined,
    isExcepted,
    seasonal,
    isNight,
    isAnswered,
  }
}

/** The words of a question besides its days, and whether it asks for hours: by its words, or because it has no others (“can I come in”). */
function readHours(query: string, { at, place }: Moment) {
  let text = query
  for (const { start, end } of askedDays(query, at, place).toReversed())
    text = `${text.slice(0, start)} ${text.slice(end)}`
  const turn = readTurn(text)
  const units = turn.units.filter(({ isContent, saysKind }) => isContent && !saysKind)
  const isPriced = turn.kinds.has('price')
  const asksHours = !isPriced && (turn.kinds.has('time') || units.length === 0 || hasHours(text))
  return { units, isPriced, asksHours }
}

const isExplicit = ({ naming }: AskedDays) => naming === 'date' || naming === 'holiday' || naming === 'rule'

/** “Habt ihr … auf”, at its end. */
const endsOpen = / (?:auf|zu|dicht)$/

function hasHours(query: string): boolean {
  const folded = fold(query).trim()
  const words = new Set(folded.match(/[a-z]+/g))
  return endsOpen.test(folded) || languages().some(({ asksHours }) => words.intersection(asksHours).size > 0)
}

const free = /\b(?:free|gratis|kostenlos|gratuite?|half price)\b/i
const hasPrice = (sentence: string) => free.test(sentence) || amountsIn(sentence).some(({ range }) => isMoney(range))
const earliestMorning = 5 * 60

/** True for hours that end after midnight. */
function passesMidnight(sentence: string): boolean {
  return amountsIn(sentence).some(
    ({ range: { kind, low, high } }) => kind === 'time' && (high < low || high <= earliestMorning),
  )
}

function isValidOnlyOn({ valid_from, valid_until }: Dated, days: readonly Day[], { timeZone }: Place): boolean {
  if (!valid_from || !valid_until) return false
  const [from, until] = [new Date(valid_from), new Date(valid_until)]
  if (until.getTime() - from.getTime() > maxValidDays * dayMilliseconds) return false
  const [first, last] = [localOf(from, timeZone).day, localOf(new Date(until.getTime() - 1), timeZone).day]
  return days.some((day) => day >= first && day <= last)
}
