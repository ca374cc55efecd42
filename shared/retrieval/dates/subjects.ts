import { isFiller } from '../../terms/fillers.ts'
import { fold, stem } from '../../terms/word-forms.ts'
import { wordsOf } from '../../terms/words.ts'
import type { Unit } from '../asked.ts'
import { headsOf, tablesIn } from '../tables.ts'
import { formsIn, type Passage, type Reader } from '../value/reading.ts'
import { isOfDate, languages } from './words.ts'
import type { ReadSentence } from './written-days.ts'

/** How closely a sentence names a day. */
export const ranks = {
  date: 4,
  range: 3,
  rule: 2.5,
  seasonalWeekday: 2.2,
  season: 2,
  weekday: 1,
  someWeeks: 0.5,
  none: 0,
  others: -1,
}

/** A word in this share of the passages is the business. */
const businessShare = 0.75

/**
 * Counts the words that a sentence which names a day, by its rank, has for something else than the business, and that the question does
 * not name: 3 for “the council’s cycle lane consultation closes on 24 December”, 0 for “we close at 2”.
 * @param read reads the question’s words
 */
export function subjectsOf(hits: readonly Passage[], units: readonly Unit[], read: Reader, agentName: string) {
  const business = formsIn(agentName)
  const forms = hits.map(({ document_title, content }) => formsIn(`${document_title} ${content}`))
  const stems = units.map((unit) => unit.stem).filter(({ length }) => length >= leastStem)
  // “Deliver” and “delivery”.
  const isAsked = (name: string) =>
    read(name).some((strength) => strength > 0) || stems.some((stem) => name.startsWith(stem) || stem.startsWith(name))
  const isRare = (name: string) => forms.filter((each) => each.has(name)).length < businessShare * hits.length

  return function otherWordsIn(hit: Passage, rank: number, sentence: ReadSentence): number {
    if (sentence.isOfBusiness) return 0
    const columns = tablesIn(hit).flatMap((table) => table.columns.flat())
    const heading = rank < ranks.rule ? otherHeading(headsOf(hit).at(-1)!) : 0
    return heading + others(subjectIn(sentence, rank), formsIn(columns.join(' ')))
  }

  /** The words of a heading such as “Patio”. */
  function otherHeading(heading: string): number {
    return namesHours(heading) ? 0 : others(heading, business)
  }

  /** The words that neither name the business nor stand in most passages; none if the question has one of them. */
  function others(subject: string, headers: ReadonlySet<string>): number {
    const words = wordsOf(fold(subject)).map(({ text }) => text)
    const names = words
      .filter(
        (word) => !isFiller(word) && !denials.has(word) && !isOfHours(word) && !isOfDate(word) && !/\d/.test(word),
      )
      .map(stem)
    if (names.some(isAsked)) return 0
    return names.filter((name) => !headers.has(name) && !business.has(name) && isRare(name)).length
  }
}

/** True for a heading such as “Opening hours”. */
export function namesHours(heading: string): boolean {
  return wordsOf(fold(heading)).some(({ text }) => isOfHours(text))
}

const isOfHours = (word: string) => languages().some(({ asksHours, itself }) => asksHours.has(word) || itself.has(word))
const leastStem = 5
/** “No Sunday hours in July” */
const denials = new Set(['no', 'not', 'kein', 'keine', 'nicht', 'pas', 'non', 'geen', 'niet'])

/** The words of a sentence that say what is open or closed. */
function subjectIn({ saysClosed, untilHours, untilDays }: ReadSentence, rank: number): string {
  return rank < ranks.season || (rank !== ranks.date && saysClosed) ? untilHours : untilDays
}
