import { isFiller } from '../../terms/fillers.ts'
import { fold, stem } from '../../terms/word-forms.ts'
import { wordsOf } from '../../terms/words.ts'
import { headsOf, tablesIn } from '../tables.ts'
import { formsIn, type Passage, type Reader } from '../value/reading.ts'
import { isOfDate, languages } from './words.ts'
import type { ReadSentence } from './written-days.ts'

/** How closely a sentence names a day. */
export const ranks = { date: 4, range: 3, rule: 2.5, seasonalWeekday: 2.2, season: 2, weekday: 1, none: 0, others: -1 }

/** A word in this share of the passages is the business. */
const businessShare = 0.75

/**
 * Tells whether a sentence that names a day, by its rank, speaks of the hours of the business, rather than of something else’s that the
 * question does not name.
 * @param read reads the question’s words
 */
export function subjectsOf(hits: readonly Passage[], read: Reader, agentName: string) {
  const business = formsIn(agentName)
  const forms = hits.map(({ document_title, content }) => formsIn(`${document_title} ${content}`))
  const isAsked = (name: string) => read(name).some((strength) => strength > 0)
  const isRare = (name: string) => forms.filter((each) => each.has(name)).length < businessShare * hits.length

  return function speaksOfUs(hit: Passage, rank: number, sentence: ReadSentence): boolean {
    const { speaksOfHours, isOfBusiness, namesBusiness } = sentence
    if (isOfBusiness || rank === ranks.date) return speaksOfHours || namesBusiness
    if (!speaksOfHours || (rank < ranks.rule && isOfOther(headsOf(hit).at(-1)!))) return false
    const columns = tablesIn(hit).flatMap((table) => table.columns.flat())
    return !isOther(subjectIn(sentence, rank), formsIn(columns.join(' ')))
  }

  /** True for a heading such as “Patio”. */
  function isOfOther(heading: string): boolean {
    const words = wordsOf(fold(heading)).map(({ text }) => text)
    const isOfHours = (word: string) =>
      languages().some(({ asksHours, itself }) => asksHours.has(word) || itself.has(word))
    return !words.some(isOfHours) && isOther(heading, business)
  }

  /** True for words that the question does not have, and that neither name the business nor stand in most passages. */
  function isOther(subject: string, headers: ReadonlySet<string>): boolean {
    const words = wordsOf(fold(subject)).map(({ text }) => text)
    const names = words.filter((word) => !isFiller(word) && !isOfDate(word) && !/\d/.test(word)).map(stem)
    return !names.some(isAsked) && names.some((name) => !headers.has(name) && !business.has(name) && isRare(name))
  }
}

/** The words of a sentence that say what is open or closed. */
function subjectIn({ saysClosed, untilHours, untilDays }: ReadSentence, rank: number): string {
  if (rank < ranks.season) return untilHours
  return rank === ranks.range && saysClosed ? untilHours.split(/[,:;]/).at(-1)! : untilDays
}
