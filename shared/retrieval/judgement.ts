import { answerable, type Level, levelOf } from './answerable.ts'
import { type AskedTurn, readTurn, type Unit } from './asked.ts'
import { claimsIn, contradict } from './claims.ts'
import { coverageOf } from './coverage.ts'
import { inContext } from './in-context.ts'
import { commonWords } from './keyword/common-words.ts'
import type { Hit, Mode, Value } from './schemas.ts'
import { sentencesOf } from './speech/sentences.ts'
import { headsOf, tablesIn } from './tables.ts'
import { formsIn, metBy, type Passage, type Reader, readerOf, type Vocabulary, vocabularyOf } from './value/reading.ts'
import { findValue, type Reading } from './value/value.ts'

/** What an answer says of its hits. */
export interface Judgement {
  /** The probability that the first hit answers; null in a search by a vector only. */
  answerable: number | null
  status: Level
  /** The table cell that answers; null without a proof. */
  value: Value | null
  /** What two documents say that contradicts each other; null if none do. */
  dispute: Statement[] | null
}

/** A sentence or row of a passage. */
export type Statement = Pick<Hit, 'document_id' | 'document_title' | 'chunk_index'> & { text: string }

/** Maps a cosine to 0 for a text that is unrelated to the question, and to 1 for one that answers it. */
type LikenessOf = (cosine: number) => number

interface Heard {
  /** Each hypothesis, as it was said and with the earlier turns that it needs. */
  queries: readonly string[]
  readings: readonly Reading[]
  agentName: string
  /** True if a passage makes an exception from the usual hours of the asked day. */
  isExcepted: boolean
  /** `said` if the first passage has the hours of the asked day, `missing` if that is a holiday and only usual hours are there. */
  hours: 'said' | 'missing' | undefined
  /** `said` if the first passage says where the business is; undefined unless nothing else is asked. */
  address: 'said' | 'missing' | undefined
  /** The first passage's sentence about hours of this season, which alone may have the value. */
  seasonal: string | undefined
  /** True for the name of a row or column of other days than the asked ones. */
  isOfOtherDays(name: string): boolean
}

/** Hypotheses further down are rarely what the caller said, and cost time. */
const maxReadings = 3
/** The share of first passages that are right where they have the hours of the asked day, or the address, on the businesses to tune on. */
const answeredByRule = 0.9
const price =
  /\p{Sc}|\| ?\d{1,6}[.,]\d\d ?\||\b(?:euros?|dollars?|pounds?|francs?|franken|free|kostenlos|gratis|gratuite?)\b/iu
/** Words for what a caller reckons from several passages or cells. */
const compares =
  /^(?:differ|altogeth|togeth|total|betw|mor$|than$|dear|cheap|expens|unterschied|zwisch|mehr|guenstig|gunstig)/
/** “Last year”, which is read as one word. */
const otherTime = /^(?:last|next|letzte|nachste)[nrs]?(?:year|season|month|jahr|saison|monat)/
/** The probability of a first passage that can't answer, whatever words it has. */
const mostUnsure = 0.4
/** “Without registration”: what a question leaves out. */
const leftOut =
  /(?<!\p{L})(?:without|ohne|sans|sin|senza|zonder) (?:(?:an?|the|any|eine?n?|une?|la|le|el|il|een|de) )?(\p{L}{3,40})/u
/** A word that so many of the passages have in title or headings names the business. */
const minTitles = 8

/**
 * Judges the best hits, before `limit`, `min_score` and the response's size cut them, so that all callers get the same. A proven value
 * means `found`. Two documents that contradict each other mean no value, and at most `uncertain`.
 */
export function judge(
  { queries, readings, agentName, isExcepted, hours, address, seasonal, isOfOtherDays }: Heard,
  mode: Mode,
  hits: readonly Hit[],
  likenessOf: LikenessOf,
): Judgement {
  if (hits.length === 0) return withoutPassages(queries.length > 0)
  if (queries.length === 0) return { answerable: null, status: levelOf(hits.length, null), value: null, dispute: null }
  const heard = readings.slice(0, maxReadings)
  const turns = heard.map(({ query, history }) => readTurn(inContext(query, history)))
  const vocabulary = vocabularyOf(hits)
  const telling = seasonal === undefined ? hits : hits.slice(0, 1)
  const isRequired = requiredBeside(agentName, hits)
  const disputes = turns.map(({ kinds, units }) => {
    const required = units.filter(isRequired)
    return kinds.size * required.length > 0 ? disputeIn(kinds, readerOf(required, vocabulary), telling) : undefined
  })
  const dispute = disputes.find(Boolean) ?? null
  const isIncluded = heard.some(({ query }) => includesLeftOut(query, hits[0]!.content))
  const proven =
    dispute || isExcepted || address || isIncluded ? null : findValue(heard, telling, vocabulary, isRequired)
  const isOfDay = proven && ![...proven.row, ...proven.column].some(isOfOtherDays)
  const value = isOfDay && seasonal?.includes(proven.text) !== false ? proven : null
  const isUnmet = () => {
    const hasTable = tablesIn(hits[0]!).length > 0
    const isElsewhere = () => !price.test(hits[0]!.content) && hits.some(({ content }) => price.test(content))
    return turns.every((turn, t) => {
      const lastTurn = { ...turn, units: readTurn(heard[t]!.query).units }
      const isOfOtherTime = lastTurn.units.some(({ stem }) => otherTime.test(stem) && !vocabulary.has(stem))
      return (
        isOfOtherTime ||
        ((hasTable || turn.asksPrice) && lacks(lastTurn, hits, vocabulary)) ||
        (turn.asksPrice && isElsewhere())
      )
    })
  }
  const likenesses = hits.map(({ scores }) => (scores.semantic === null ? 0 : likenessOf(scores.semantic)))
  const [score = 0, next = 0] = mode === 'semantic' ? likenesses : hits.map((hit) => hit.score)
  const texts = hits.map(({ document_title, content }) => [document_title, content])
  const evidence = { score, next, likeness: likenesses[0]!, isUnmet: !value && isUnmet() }
  const by = (query: string) => answerable(mode, { ...evidence, coverage: coverageOf(query, texts) })
  const found = Math.max(...queries.map(by), hours === 'said' || address === 'said' ? answeredByRule : 0)
  const isRuledOut = !value && (isIncluded || hours === 'missing' || address === 'missing')
  const probability = value ? Math.max(found, value.confidence) : isRuledOut ? Math.min(found, mostUnsure) : found
  const level = value ? 'found' : levelOf(hits.length, probability)
  return { answerable: probability, status: dispute && level === 'found' ? 'uncertain' : level, value, dispute }
}

/** True if a question leaves something out that a text only includes: “microchip without registration”, and “Microchip with registration | $45”. */
function includesLeftOut(question: string, content: string): boolean {
  const name = leftOut.exec(question.toLowerCase())?.[1]
  if (name === undefined) return false
  const text = content.toLowerCase()
  const has = (words: string) => new RegExp(`(?<!\\p{L})(?:${words})(?: \\p{L}+){0,2}? ${name}`, 'u').test(text)
  return (
    has('with|including|includes|plus|mit|inklusive|avec|con|met') &&
    !has('without|excluding|no|ohne|sans|sin|senza|zonder')
  )
}

/** The judgement of an answer without a hit. @param hasQuery false in a search by a vector only */
export function withoutPassages(hasQuery: boolean): Judgement {
  return { answerable: hasQuery ? 0 : null, status: 'nothing', value: null, dispute: null }
}

/** Tells which words an answer must account for: content words that don't name the business, as its agent's name or most headings do. */
function requiredBeside(agentName: string, passages: readonly Passage[]): (unit: Unit) => boolean {
  const heads = passages.map((passage) => formsIn(headsOf(passage).join(' ')))
  const named = formsIn(agentName)
  const namesBusiness = (form: string) =>
    named.has(form) || heads.filter((forms) => forms.has(form)).length >= minTitles
  return ({ isContent, forms }) => isContent && ![...forms].some(namesBusiness)
}

/** True if no sentence and no row (for a sum, no passage), with headings, has all rarer words of a question for a price or a time. */
function lacks({ kinds, units }: AskedTurn, passages: readonly Passage[], vocabulary: Vocabulary): boolean {
  if (kinds.size === 0) return false
  const reckons = units.some(({ stem }) => compares.test(stem))
  const isPlain = ({ ranges }: Unit) => ranges.every(({ kind, unit }) => kind === 'number' && !unit)
  const rare = units.filter(
    (unit) => unit.isContent && isPlain(unit) && !commonWords.has(unit.stem) && !compares.test(unit.stem),
  )
  const read = readerOf(rare, vocabulary)
  const isMet = (passage: Passage) => metBy(read, passage).every(Boolean)
  const hasSentence = (passage: Passage) =>
    sentencesOf(passage.content).some((content) => isMet({ ...passage, content }))
  return !passages.some((passage) => isMet(passage) && (reckons || hasSentence(passage)))
}

/** Two statements of different documents that give what the question names different prices or times. @param read reads its words */
function disputeIn(kinds: AskedTurn['kinds'], read: Reader, hits: readonly Hit[]): Statement[] | undefined {
  const isMet = (passage: Passage) => metBy(read, passage).every(Boolean)
  const telling = hits.filter(isMet)
  if (new Set(telling.map(({ document_id }) => document_id)).size < 2) return undefined
  const claims = telling.flatMap((hit) =>
    claimsIn(hit, (content) => isMet({ ...hit, content }))
      .filter(({ kind, text }) => kinds.has(kind) && isMet({ ...hit, content: text }))
      .map((claim) => ({ ...hit, ...claim })),
  )
  for (const one of claims) {
    const other = claims.find(({ document_id, ...each }) => document_id !== one.document_id && contradict(one, each))
    if (other) return [one, other].map(toStatement)
  }
  return undefined
}

function toStatement({ document_id, document_title, chunk_index, text }: Statement): Statement {
  return { document_id, document_title, chunk_index, text }
}
