import { overlap } from '../../built-ins.ts'
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
import { namesHours, ranks, subjectsOf } from './subjects.ts'
import { languages } from './words.ts'
import type { Mentions } from './written-dates.ts'
import { isNear, namingIn, namingOf, type ReadSentence, readPassage } from './written-days.ts'

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

/** “And the day after”, at the end of a turn: after the day of the turns before. */
const following =
  /(?<![a-z])(?:the (?:day after|next day|following day)|(?:am |den )?tag (?:danach|darauf)|le lendemain|le jour (?:suivant|d'apres)|(?:al|el) dia siguiente|il giorno (?:dopo|seguente)|de dag (?:daarna|erna))(?= please$|$)/

/** The days of the last turn; those of the turns before it if it names none and needs them. */
export function daysOfCall(query: string, history: readonly string[], { at, place }: Moment): readonly AskedDays[] {
  const days = askedDays(query, at, place)
  if (days.length > 0 || history.length === 0) return days
  const earlier = daysOfCall(history.at(-1)!, history.slice(0, -1), { at, place })
  const match = following.exec(fold(query))
  const last = earlier.at(-1)
  if (!match || !last) return earlier
  const [said] = match
  const [start, day] = [match.index, last.to + 1]
  return [{ ...last, said, start, end: start + said.length, from: day, to: day, naming: 'relative' }]
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
 * @param days those of the call, which “the day after” in the turn may be
 */
export function withWeekdays<Found extends Dated>(
  turn: string,
  days: readonly AskedDays[],
  { at, place }: Moment,
  { hits, isNamed, isNight }: DatedPassages<Found>,
): string {
  let text = turn
  const isPriced = kindsIn(turn.toLowerCase()).has('price')
  const own = askedDays(turn, at, place)
  const named = own.length > 0 ? own : days.filter(({ start, end, said }) => fold(turn).slice(start, end) === said)
  for (const day of named.toReversed()) {
    const { start, end, from, to, part, naming, language, said } = day
    if (!isNamed && (naming === 'holiday' || from !== to)) continue
    const weekday = language.dayNames[partsOf(isNight ? from - 1 : from).weekday] ?? said
    const isLeftOut = isNamed || (isPriced && !namesWeekday(day) && !hits.some((hit) => hasPriceOn(hit, weekday)))
    const isWritten =
      part && hits.some((hit) => tablesIn(hit).some(({ columns }) => fold(columns.flat().join(' ')).includes(part)))
    const written = isLeftOut ? '' : isWritten ? `${weekday} ${part}` : weekday
    text = `${text.slice(0, start)}${written}${text.slice(end)}`
  }
  return text.replaceAll(/\s+/g, ' ').trim() || turn
}

interface DatedPassages<Found> {
  hits: Found[]
  /** True if the first hit names the days. */
  isNamed: boolean
  /** True if the usual hours of a weekday prove nothing. */
  isExcepted: boolean
  /** The first hit's sentence about the weekday in this season, if that is what answers: other hours are those of other seasons. */
  seasonal: string | undefined
  /** True if the first hit has hours of the evening before that pass midnight. */
  isNight: boolean
  /** `said` if the first hit has the hours of the day that are asked for, `missing` if those of a holiday are, and no hit has other than the usual ones. */
  hours: 'said' | 'missing' | undefined
  /** True for the name of a row or column of other days, such as “Good Friday” on an ordinary Friday. */
  isOfOtherDays(name: string): boolean
}

/** A sentence of a hit that names the asked days. */
interface Graded<Found> extends Pick<ReadSentence, 'text' | 'speaksOfHours' | 'namesHours' | 'saysClosed'> {
  hit: Found
  /** See `ranks`. */
  rank: number
  /** The number of the question's other words that it, and that its passage has. */
  met: number
  metInPassage: number
  /** The number of words that it has for something else: see `subjectsOf`. */
  others: number
  /** True if it speaks of what is asked for. */
  isAbout: boolean
}

const nightRank = 1.5

/**
 * Puts passages that name the asked days before those that name only their weekdays, and these before others, where they are about the
 * same: they have as many of the question’s other words and, where hours are asked for, speak of those of the business.
 * @param hits best first @param query with the turns that it needs
 */
export function datedFirst<Found extends Dated>(
  hits: readonly Found[],
  query: string,
  asked: readonly AskedDays[],
  moment: Moment,
  agentName = '',
): DatedPassages<Found> {
  if (asked.length === 0 || hits.length === 0) {
    const flags = { isNamed: false, isExcepted: false, isNight: false }
    return { hits: [...hits], hours: undefined, seasonal: undefined, isOfOtherDays: () => false, ...flags }
  }
  const days = asked.flatMap(({ from, to }) => daysFrom(from, to))
  const question = readHours(query, moment)
  const { units, isPriced, asksHours, asksEvents } = question
  const { graded, most, isUsual, isExcepted: isOut } = gradesOf(hits, asked, days, question, moment, agentName)
  const isExplicit =
    asksEvents || asked.some(({ naming }) => naming === 'date' || naming === 'holiday' || naming === 'rule')
  const least = Math.max(0, ...graded.map(({ met }) => met))
  const isSpecial = ({ rank, met, metInPassage, saysClosed, isAbout, others }: Graded<Found>) => {
    const hasMost = met > 0 && met >= least
    if (isPriced) return rank >= ranks.season && hasMost && metInPassage >= most
    if (asksHours) return rank >= ranks.season && isAbout && (rank >= ranks.rule || saysClosed || met >= least)
    const isOfDay = isExplicit ? rank >= ranks.rule : rank === ranks.date && isAbout && units.length < 2
    const isClosed = rank >= ranks.season && saysClosed && others === 0
    const isOfAsked = rank >= ranks.range || (rank >= ranks.seasonalWeekday && metInPassage >= most)
    return isOfDay || isClosed || (isOfAsked && hasMost)
  }
  const isOfHours = (hit: Found) => namesHours(headsOf(hit).at(-1)!)
  const isOrdinary = ({ rank, met, metInPassage, isAbout }: Graded<Found>) => {
    const isMeant = asksHours ? isAbout : !isPriced && met > 0 && metInPassage >= most
    return rank < ranks.season && met >= least && isMeant
  }
  const hoursFirst = ({ hit, speaksOfHours, namesHours }: Graded<Found>) =>
    asksHours && units.length === 0 ? Number(speaksOfHours) + Number(namesHours || isOfHours(hit)) : 0
  const byRank = (one: Graded<Found>, other: Graded<Found>) =>
    other.rank - one.rank || other.met - one.met || hoursFirst(other) - hoursFirst(one) || one.others - other.others
  const special = graded.filter(isSpecial).sort(byRank)
  const isUnclear = graded.some(
    (each) => each.rank >= ranks.season && each.speaksOfHours && each.met > 0 && !isSpecial(each),
  )
  const ordinary = graded.filter(isOrdinary).sort(byRank)
  const [best] = [...special, ...ordinary]
  const seasonal = !isPriced && !isOut && !isUnclear && best?.rank === ranks.seasonalWeekday ? best.text : undefined
  const isNight = special.length === 0 && ordinary[0]?.rank === nightRank
  // At half past midnight the hours of the day that has begun say nothing of “still open”.
  const isBeforeOpening = !isNight && asked.some(({ isAfterMidnight }) => isAfterMidnight)
  const areHolidays = () =>
    asked.every(({ naming }) => naming === 'holiday') || days.every((day) => isPublicHoliday(day, moment.place))
  const isMissing = asksHours && !isUsual && special.length === 0 && areHolidays()
  const isSaid = asksHours && best?.isAbout === true && best.met === units.length
  const ordered = [...special, ...ordinary].map(({ hit }) => hit)
  return {
    hits: [...new Set([...ordered, ...hits])],
    isNamed: special.length > 0 && seasonal === undefined,
    isExcepted: isPriced
      ? special.some(({ rank }) => rank >= ranks.rule)
      : isOut || isUnclear || isBeforeOpening || (special.length > 0 && seasonal === undefined),
    seasonal,
    isNight,
    hours: isMissing ? 'missing' : isSaid ? 'said' : undefined,
    isOfOtherDays: (name) => days.every((day) => namingOf(name, day, moment.place) === 'others'),
  }
}

/** Grades the sentences that name the days, and tells if one of them, or a public holiday, may make an exception to the usual hours. */
function gradesOf<Found extends Dated>(
  hits: readonly Found[],
  asked: readonly AskedDays[],
  days: readonly Day[],
  { units, isPriced }: ReturnType<typeof readHours>,
  { place, isAnyWeek = false }: Moment,
  agentName: string,
) {
  const nights = asked.filter(({ isAfterMidnight }) => isAfterMidnight).map(({ from }) => from - 1)
  const isUsual = isAnyWeek && asked.every(({ naming }) => naming === 'weekday')
  const read = readerOf(units, units.length > 0 ? vocabularyOf(hits) : new Set())
  const otherWordsIn = subjectsOf(hits, units, read, agentName)
  let isExcepted = !isUsual && days.some((day) => isPublicHoliday(day, place))
  const rankOf = (mentions: Mentions, sentence: string) => {
    const found = Math.max(...days.map((day) => rankOn(mentions, day, place)))
    const rank = isUsual && found > ranks.weekday ? ranks.others : found
    const before = Math.max(ranks.none, ...nights.map((day) => rankOn(mentions, day, place)))
    if (before >= ranks.range) return Math.max(rank, before)
    return before >= ranks.weekday && passesMidnight(sentence) ? Math.max(rank, nightRank) : rank
  }
  const countMet = (passage: Found) => metBy(read, passage).filter(Boolean).length
  const metIn = new Map(hits.map((hit) => [hit, countMet(hit)]))
  const graded = hits.flatMap((hit): Graded<Found>[] => {
    const isValid = !isUsual && isValidOnlyOn(hit, days, place)
    const metInPassage = metIn.get(hit)!
    return readPassage(headsOf(hit).slice(1), hit.content, countryOf(place)).flatMap((sentence) => {
      const { text, mentions, lead, speaksOfHours, namesHours, isVague } = sentence
      const alone = rankOf(mentions, text)
      const named = lead ? rankBelow(rankOf(lead, text), alone) : alone
      const isOfOtherDays = named === ranks.others || (named === ranks.none && mentions.weekdays.includes(true))
      const isVagueDay = named === ranks.weekday && mentions.isOfSomeWeeks
      const rank = isValid && speaksOfHours && !isOfOtherDays ? ranks.date : isVagueDay ? ranks.someWeeks : named
      const isBeside = isVague && days.some((day) => isNear(mentions, day, place))
      const isUnsure = isBeside || rank === ranks.someWeeks
      if (!isUsual && isUnsure && (speaksOfHours || sentence.saysClosed)) isExcepted = true
      if (rank >= ranks.range || (rank === ranks.rule && namesHours)) isExcepted = true
      if (rank <= 0) return []
      const met = countMet({ ...hit, content: text })
      const others = otherWordsIn(hit, rank, sentence)
      const namesAll = units.length > 0 && met === units.length
      const isMeant = rank === ranks.date || others === 0 || namesAll
      const isAbout = isPriced ? hasPrice(text) : speaksOfHours && isMeant
      const saysClosed = sentence.saysClosed && isAbout
      return [{ hit, text, rank, met, metInPassage, others, speaksOfHours, namesHours, saysClosed, isAbout }]
    })
  })
  return { graded, most: Math.max(...metIn.values()), isUsual, isExcepted }
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

/** The words of a question besides its days, and whether it asks for hours: by its words, or because it has no others (“can I come in”). */
function readHours(query: string, { at, place }: Moment) {
  let text = query
  for (const { start, end } of askedDays(query, at, place).toReversed())
    text = `${text.slice(0, start)} ${text.slice(end)}`
  const turn = readTurn(text)
  const units = turn.units.filter(({ isContent, saysKind }) => isContent && !saysKind)
  const isPriced = turn.kinds.has('price')
  const asksEvents = events.test(fold(text))
  const asksHours = !isPriced && !asksEvents && (turn.kinds.has('time') || units.length === 0 || hasHours(text))
  return { units, isPriced, asksHours, asksEvents }
}

const events =
  /\b(?:what'?s|what is|is anything|is something|anything|something) (?:going )?on\b|\bhappening\b|\bwas ist los\b/
/** “Habt ihr … auf”, at its end. */
const endsOpen = / (?:auf|zu|dicht)$/
const stillDoing = /\bstill [a-z]+ing\b/

function hasHours(query: string): boolean {
  const folded = fold(query).trim()
  const words = new Set(folded.match(/[a-z]+/g))
  return (
    endsOpen.test(folded) || stillDoing.test(folded) || languages().some(({ asksHours }) => overlap(words, asksHours))
  )
}

/** True for a table with a price of this weekday, such as “on Sunday”. */
function hasPriceOn(hit: Dated, weekday: string): boolean {
  return tablesIn(hit).some(({ rows, columns }) => {
    const hasName = (names: readonly string[]) => fold(names.join(' ')).includes(weekday)
    const isPriceList = rows.some(({ cells }) => cells.slice(1).some(hasPrice))
    return isPriceList && (rows.some(({ path }) => hasName(path)) || columns.some(hasName))
  })
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
