import { BoundedMap } from '../../bounded-map.ts'
import { overlap } from '../../built-ins.ts'
import { isFiller } from '../../terms/fillers.ts'
import { fold } from '../../terms/word-forms.ts'
import { paragraphsOf } from '../speech/sentences.ts'
import { countryOf, type Day, isPublicHoliday, type Place, partsOf } from './calendar.ts'
import { type Encoded, holidaysIn, isMonthFirstIn, isOfDate, type Language, languages, marks } from './words.ts'
import { addDates, type Mentions } from './written-dates.ts'

/**
 * How a sentence names a day: by its date or holiday, by a range or a rule (“the first Friday”) that contains it, by a range that is longer
 * than a month, by the day of the week; or it names dates, but others.
 */
type Naming = 'date' | 'range' | 'rule' | 'season' | 'weekday' | 'others' | 'none'

/** What a sentence says of hours. */
interface Hours {
  /** True if it speaks of hours, open or closed; and if it does so by such words, rather than by a time. */
  speaksOfHours: boolean
  namesHours: boolean
  saysClosed: boolean
  /** True for words such as “week” and “before”, which make other days of those that are named. */
  isVague: boolean
  /** True if it says of the business itself that it is open or closed: “we open at 9”. */
  isOfBusiness: boolean
  /** What stands before the first word for hours or time, and before the first day: what they are of. */
  untilHours: string
  untilDays: string
}

/** Longer sentences name days of several kinds. */
const maxCharacters = 1000
const spokenHour =
  /\b(?:(?:from|between|at|until|till|by)(?: half past| quarter (?:past|to))?|(?:half|quarter) (?:past|to)) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?! (?:people|persons|guests|of|percent|euros?|dollars?|pounds?|days?|weeks?))|\b(?:um|von|bis|ab)(?: halb)? (?:eins|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf)\b/
const time = /\d[:.h]\d\d|\d ?(?:am|pm|a\.m|p\.m|uhr|h)(?![a-z])|\b(?:noon|midnight|mittag|mitternacht|midi|minuit)\b/
const vague =
  /\b(?:weeks?|weekend|over|around|before|after|reopen\w*|back|rest of|half of|end of|woche\w*|uber|rund um|vor|nach|wieder|anfang|ende|week-?end|semaines?|avant|apres|semanas?|puente|antes|despues|settiman[ae]|ponte|prima|dopo|weken|voor|na)\b/

/** A sentence of a passage. */
export interface ReadSentence extends Hours {
  text: string
  /** What it names below the passage's headings. */
  mentions: Mentions
  /** What a line above it names, such as “From 20 December to 31 January:”. */
  lead: Mentions | undefined
}

/** Passages come again in other searches. */
const passages = new BoundedMap<string, ReadSentence[]>(500)

/** Reads the sentences of a passage. @param headings those above it, outermost first @param country where “4/8” is written */
export function readPassage(
  headings: readonly string[],
  content: string,
  country: string | undefined,
): readonly ReadSentence[] {
  return passages.getOrInsertComputed(JSON.stringify([headings, content, country]), () => {
    const isMonthFirst = isMonthFirstIn(content, country)
    const heads = [...headings]
    let lead: Mentions | undefined
    return paragraphsOf(content).flatMap(({ isHeading, sentences }) => {
      if (isHeading) heads.splice(headings.length)
      let dated: Mentions | undefined
      const read = sentences.map((text): ReadSentence => {
        const own = mentionsIn(text, isMonthFirst)
        const named = heads.length > 0 ? mentionsIn([...heads, text].join(': '), isMonthFirst) : own
        // “24 December: brunch only. The bar closes at 3 pm.”
        const isSaid = own.speaksOfHours && (own.isOfBusiness || /\d/.test(text))
        const mentions = dated && isSaid && namesNone(named) ? dated : named
        if (mentions.dated.length > 0) dated = mentions
        const read = { ...own, text, mentions, lead }
        if (/[.:]$/.test(text)) lead = text.endsWith(':') ? { ...own, weekdays: [] } : undefined
        return read
      })
      if (isHeading) heads.push(...sentences)
      return read
    })
  })
}

const namesNone = ({ dated, weekdays, publicHolidays, isOfSomeWeeks }: Mentions) =>
  dated.length === 0 && (isOfSomeWeeks || !weekdays.includes(true)) && !publicHolidays

const nearDays = 10

/** True if it names a date near the day, but no range that has it. */
export function isNear({ dated }: Mentions, day: Day, place: Place): boolean {
  const days = Array.from({ length: 2 * nearDays + 1 }, (_, i) => day - nearDays + i)
  return dated.some(
    ({ naming, contains }) => (naming === 'date' || naming === 'range') && days.some((each) => contains(each, place)),
  )
}

/** How a sentence names a day. */
export function namingOf(sentence: string, day: Day, place: Place): Naming {
  return namingIn(mentionsIn(sentence, isMonthFirstIn(sentence, countryOf(place))), day, place)
}

export function namingIn({ dated, weekdays, publicHolidays }: Mentions, day: Day, place: Place): Naming {
  const found = dated.filter(({ contains }) => contains(day, place))
  if (found.some(({ naming }) => naming === 'date')) return 'date'
  if (found.some(({ naming }) => naming === 'range') || (publicHolidays && isPublicHoliday(day, place))) return 'range'
  // “The first Monday of the month (October to April)” is a rule within a season.
  const isMissed = (kind: Naming) =>
    dated.some(({ naming }) => naming === kind) && !found.some(({ naming }) => naming === kind)
  if (found.some(({ naming }) => naming === 'rule')) return isMissed('season') ? 'others' : 'rule'
  const isOtherDay = weekdays.includes(true) && !weekdays[partsOf(day).weekday]
  if (found.length > 0) return isOtherDay || isMissed('rule') ? 'others' : 'season'
  if (dated.length > 0 || publicHolidays) return 'others'
  return weekdays[partsOf(day).weekday] ? 'weekday' : 'none'
}

function mentionsIn(sentence: string, isMonthFirst: boolean | undefined): Mentions & Hours {
  const folded = fold(sentence.slice(0, maxCharacters)).replaceAll('’', "'")
  const encodings = languages().map((language) => language.encode(folded, isMonthFirst))
  const found: Mentions & Hours = {
    dated: [],
    weekdays: [],
    publicHolidays: false,
    isOfSomeWeeks: false,
    speaksOfHours: time.test(folded) || spokenHour.test(folded) || bareHours.test(encodings[0]!.text),
    namesHours: false,
    saysClosed: false,
    isVague: vague.test(folded),
    isOfBusiness: false,
    untilHours: folded,
    untilDays: folded,
  }
  const words = new Set(folded.match(/[a-z]+/g))
  // “20. Juli bis 2. August” has one name of a month in Dutch, too. The last language only has names.
  const most = Math.max(...encodings.map(({ count }) => count))
  const isRead = (i: number) =>
    encodings[i]!.values.size > 0 &&
    encodings[i]!.count === most &&
    !(i === encodings.length - 1 && encodings.some(({ count }, other) => other < i && count === most))
  for (const [i, language] of languages().entries()) {
    const hasHours = overlap(words, language.hours)
    found.speaksOfHours ||= hasHours
    found.namesHours ||= hasHours
    found.saysClosed ||= overlap(words, language.closed)
    const encoded = encodings[i]!
    const { untilHours, untilDays } = subjectsIn(language, encoded, folded)
    found.isOfBusiness ||= found.speaksOfHours && isOfBusinessIn(untilHours, language)
    if (untilHours.length < found.untilHours.length) found.untilHours = untilHours
    if (untilDays.length < found.untilDays.length) found.untilDays = untilDays
    const named = holidaysIn(language, folded)
    if (isRead(i)) addDates(found, language, encoded, named)
    else if (named.length > 0) addDates(found, language, { ...encoded, values: new Map() }, named)
    if (language.publicHolidays)
      found.publicHolidays ||= namesPublicHolidays(folded, language.publicHolidays, named, found)
    for (const [phrase, from, to] of language.daysOfWeek)
      if (folded.search(phrase) >= 0) for (let day = from; day <= to; day++) found.weekdays[day] = true
  }
  return found
}

/** True for “bank holidays”; false in “the summer bank holiday”, and where “a bank holiday” has a date. */
function namesPublicHolidays(
  folded: string,
  pattern: RegExp,
  named: ReturnType<typeof holidaysIn>,
  { dated }: Mentions,
): boolean {
  return [...folded.matchAll(pattern)].some(
    ({ index, 0: said }) =>
      !named.some(({ start, end }) => index < end && index + said.length > start) &&
      (!dated.some(({ naming }) => naming === 'date') || /(?:s|en|i)$/.test(said)),
  )
}

/** True for “our shop” and “we”; false for a part of it, such as “the gift shop”. */
function isOfBusinessIn(subject: string, { itself, closed, publicHolidays }: Language): boolean {
  const own = publicHolidays ? subject.replaceAll(publicHolidays, '') : subject
  const words = own.match(/[a-z]+|[,:;–]/g) ?? []
  const isPart = (word: string) =>
    /[a-z]/.test(word) && !isFiller(word) && !itself.has(word) && !closed.has(word) && !isOfDate(word)
  return words.some(
    (word, i) => itself.has(word) && (closed.has(word) || isFiller(word) || i === 0 || !isPart(words[i - 1]!)),
  )
}

/** “9-12”, at the end or before a stop. */
const bareHours = new RegExp(`[${marks.either}] ?(?:[–-]|to|bis|until) ?[${marks.either}](?= ?(?:[.,;)]|$))`)
const anyMark = new RegExp(`[${Object.values(marks).join('')}]`)

function subjectsIn(language: Language, { text, starts }: Encoded, folded: string) {
  const hours = [...folded.matchAll(/[a-z]+/g)].find(([word]) => language.hours.has(word))?.index
  const clock = folded.search(time)
  const mark = text.search(anyMark)
  const days = [
    mark < 0 ? -1 : starts[mark]!,
    folded.search(/\d/),
    ...holidaysIn(language, folded).map(({ start }) => start),
  ]
  const first = (places: readonly (number | undefined)[]) =>
    Math.min(...places.filter((place) => place !== undefined && place >= 0).map(Number), folded.length)
  const atHours = first([hours, clock])
  return { untilHours: folded.slice(0, atHours), untilDays: folded.slice(0, first([atHours, ...days])) }
}
