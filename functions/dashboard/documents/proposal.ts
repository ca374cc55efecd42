import type { Chrono, ParsedComponents } from 'chrono-node'
import { areInOrder, type Days, isDay, type Proposal } from './dates.ts'

interface Language {
  load: () => Promise<Chrono>
  valid: RegExp
  closed: RegExp
  /** Right before a day: that it is the last one, or the first. */
  until: RegExp
  from: RegExp
  /** Days whose month may come first. */
  ambiguous?: RegExp
}

/** German days without a year, such as 6.1., which chrono does not read. */
const dayAndMonth = {
  pattern: () => /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?!\s?\d)/,
  extract: (_: unknown, [, day, month]: RegExpMatchArray) => ({ day: Number(day), month: Number(month) }),
}

const languages: Language[] = [
  {
    load: async () => (await import('chrono-node/en')).strict,
    valid: word('valid|expires?|offer ends'),
    closed: word('closed'),
    until: /\b(until|till|through|expires?|ends)( on)?( the)?\s*$/i,
    from: /\b(from|as of|starting)( the)?\s*$/i,
    ambiguous: /\b(0?[1-9]|1[0-2])[./](0?[1-9]|1[0-2])[./]/,
  },
  {
    load: async () => {
      const chrono = (await import('chrono-node/de')).strict.clone()
      chrono.parsers.push(dayAndMonth)
      return chrono
    },
    valid: word('gültig|gilt|gelten'),
    closed: word('geschlossen|betriebsferien|betriebsurlaub'),
    until: /\bbis( zum| einschließlich)?\s*$/i,
    from: /\b(ab|vom)( dem)?\s*$/i,
  },
  {
    load: async () => (await import('chrono-node/fr')).strict,
    valid: word('valables?|valides?|expire(nt)?'),
    closed: word('fermée?s?|fermeture'),
    until: /(jusqu['’]au|expire(nt)? le)\s*$/i,
    from: /(à partir du|dès le)\s*$/i,
  },
]

function word(words: string): RegExp {
  return new RegExp(`(?<!\\p{L})(${words})(?!\\p{L})`, 'giu')
}

const negation = word("not|never|nicht|keine?n?|pas|jamais|isn['’]t|aren['’]t")
const sentenceEnd = /\n+|(?<=\p{L}{2}[.!?])\s+(?=\p{Lu})/u

/** A text that says so further down is about more than these days; one that says when a business is closed, if it is longer. */
const maxCharacters = 400
const maxGap = 40

/**
 * The days that a text is valid on, by its own words: with day and month, beside a word of validity, and the same wherever it says them.
 * @param changed a day without a year is the last one's first date from then on
 */
export async function proposeDays(text: string, changed: Date): Promise<Proposal | undefined> {
  const beginning = text.slice(0, maxCharacters)
  const found: Proposal[] = []
  for (const sentence of beginning.split(sentenceEnd).filter((each) => !each.match(negation)))
    for (const language of languages) {
      const isClosure = !sentence.match(language.valid)
      const key = isClosure ? language.closed : language.valid
      if (!sentence.match(key) || (isClosure && text.length > maxCharacters)) continue
      const days = await daysIn(sentence, key, language, changed)
      if (days && (days.until || !isClosure)) found.push({ ...days, sentence: sentence.trim() })
    }
  const [first] = found
  return found.every(({ from, until }) => from === first!.from && until === first!.until) ? first : undefined
}

async function daysIn(sentence: string, key: RegExp, language: Language, changed: Date): Promise<Days | undefined> {
  const keys = [...sentence.matchAll(key)]
  const chrono = await language.load()
  const first: ParsedComponents[] = []
  const last: ParsedComponents[] = []
  for (const { index, text, start, end } of chrono.parse(sentence.replaceAll(/[–—]/g, '-'), changed)) {
    const isNear = keys.some(
      (found) => index - found.index - found[0].length < maxGap && found.index - index - text.length < maxGap,
    )
    const isDated = [start, end ?? start].every((each) => each.isCertain('day') && each.isCertain('month'))
    if (!isNear || !isDated || language.ambiguous?.test(text)) continue
    const before = sentence.slice(0, index)
    if (end || language.from.test(before)) first.push(start)
    if (end || language.until.test(before)) last.push(end ?? start)
  }
  if (first.length > 1 || last.length > 1) return undefined
  const days = withYears(first[0], last[0], changed.toISOString().slice(0, 10))
  const areDays = [days.from, days.until].every((day) => !day || isDay(day))
  return areDays && areInOrder(days) && (days.from || days.until) ? days : undefined
}

/** The last day's year is the first from `today` on, unless it is said; the first day comes before it. */
function withYears(first: ParsedComponents | undefined, last: ParsedComponents | undefined, today: string): Days {
  const dayIn = (day: ParsedComponents, year: number) =>
    [year, day.get('month')!, day.get('day')!].map((part) => String(part).padStart(2, '0')).join('-')
  const near = (day: ParsedComponents, other: string, years: number) => {
    const year = day.isCertain('year') ? day.get('year')! : Number(other.slice(0, 4))
    const found = dayIn(day, year)
    const isRight = day.isCertain('year') || (years > 0 ? found >= other : found <= other)
    return isRight ? found : dayIn(day, year + years)
  }
  const until = last && near(last, first?.isCertain('year') ? dayIn(first, first.get('year')!) : today, 1)
  const from = first && (until ? near(first, until, -1) : near(first, today, 1))
  return { from: until || (from && from >= today) ? from : undefined, until }
}
