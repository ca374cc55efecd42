import { probablyAnswered } from '../../shared/retrieval/answerable.ts'
import type { Answer, Mode } from './ask.ts'
import { auc, bestThreshold, calibrationError, halfOf, type Shares, sharesAt, type Tally, tally } from './metrics.ts'
import type { Half, ShopFigures } from './shops/shops.ts'

/** The source of the figures: two runs with the same source can be compared. */
export interface Source {
  /** The embedder's model; undefined where only the running system knows. */
  model?: string
  /** A digest of questions and documents. */
  set?: string
}

/** The results of a run to commit, without values that depend on the machine. */
export interface Figures {
  source: Source
  questions: { answerable: number; unanswerable: number }
  modes: Partial<Record<Mode, ModeFigures>>
  /** Shares of whole shops' questions, by half; absent in a run that did not ask them. */
  shops?: Record<Half, ShopFigures>
  /** The same of questions at given moments. */
  moments?: Record<Half, ShopFigures>
  /** The same of questions where businesses are. */
  places?: Record<Half, ShopFigures>
}

export interface ModeFigures {
  /** The tallies of each kind, in alphabetical order; then of all questions with an answer, and of each half of those. */
  groups: Record<string, Tally>
  /** How well the best hit's score separates questions with an answer from those without. */
  auc: number | null
  /** How far `answerable` is from the share of first hits that are right, on the half for reporting. */
  calibration_error: number | null
  /** Shares of `answerable`: `kept` at 0.5 or more for right first hits, the others below 0.5 for questions without an answer and other businesses' questions. */
  levels: { kept: number | null; rejected: number | null; foreign: number | null }
  /** Found on the half for tuning; what it keeps and rejects, on the half for reporting. */
  min_score: ({ value: number } & Shares) | null
  /** The rank of the right passage for each question, null if it is not among the hits. */
  ranks: Record<string, number | null>
}

const everything = 'all answerable'

/** The kind of questions that were asked of a business other than theirs. */
export const foreign = 'foreign'

export function toFigures(source: Source, answers: readonly Answer[]): Figures {
  const modes = Map.groupBy(answers, ({ mode }) => mode)
  const [first = []] = modes.values()
  const own = first.filter(({ kind }) => kind !== foreign)
  const answerable = own.filter(({ expected }) => expected).length
  return {
    source,
    questions: { answerable, unanswerable: own.length - answerable },
    modes: Object.fromEntries([...modes].map(([mode, each]) => [mode, toModeFigures(each)])),
  }
}

function toModeFigures(all: readonly Answer[]): ModeFigures {
  const answers = all.filter(({ kind }) => kind !== foreign)
  const [answerable, unanswerable] = [answers.filter(({ expected }) => expected), answers.filter((a) => !a.expected)]
  const byId = answerable.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const total = auc(scoresOf(answerable), scoresOf(unanswerable))
  return {
    groups: groupsOf(answerable),
    auc: total === undefined ? null : rounded(total),
    calibration_error: calibrationOf(answers),
    levels: levelsOf(all),
    min_score: minScore(answerable, unanswerable),
    ranks: Object.fromEntries(byId.map(({ id, rank }) => [id, rank ?? null])),
  }
}

function groupsOf(answerable: readonly Answer[]): Record<string, Tally> {
  const kinds = [...new Set(answerable.map(({ kind }) => kind))].filter((kind) => kind !== undefined).sort()
  const groups: [string, Answer[]][] = [
    ...kinds.map((kind): [string, Answer[]] => [kind, answerable.filter((answer) => answer.kind === kind)]),
    [everything, [...answerable]],
    ['half for tuning', answerable.filter(({ id }) => halfOf(id) === 'tune')],
    ['half for reporting', answerable.filter(({ id }) => halfOf(id) === 'report')],
  ]
  const tallied = groups
    .filter(([, answers]) => answers.length > 0)
    .map(([name, answers]) => {
      const { mrr, ...counts } = tally(answers.map(({ rank }) => rank))
      return [name, { ...counts, mrr: rounded(mrr) }]
    })
  return Object.fromEntries(tallied)
}

function minScore(answerable: readonly Answer[], unanswerable: readonly Answer[]): ModeFigures['min_score'] {
  const [tune, report] = (['tune', 'report'] as const).map((half) =>
    [answerable, unanswerable].map((answers) => scoresOf(answers.filter(({ id }) => halfOf(id) === half))),
  ) as [[number[], number[]], [number[], number[]]]
  const value = bestThreshold(...tune)
  const shares = value === undefined ? undefined : sharesAt(value, ...report)
  return shares ? { value: value!, kept: rounded(shares.kept), rejected: rounded(shares.rejected) } : null
}

function levelsOf(answers: readonly Answer[]): ModeFigures['levels'] {
  const share = (of: (answer: Answer) => boolean, isMet: (answerable: number) => boolean) => {
    const given = answers.filter(of).flatMap(({ answerable }) => answerable ?? [])
    return given.length > 0 ? rounded(given.filter(isMet).length / given.length) : null
  }
  const isBelow = (answerable: number) => answerable < probablyAnswered
  return {
    kept: share(
      ({ rank }) => rank === 1,
      (answerable) => !isBelow(answerable),
    ),
    rejected: share(({ expected, kind }) => !expected && kind !== foreign, isBelow),
    foreign: share(({ kind }) => kind === foreign, isBelow),
  }
}

function calibrationOf(answers: readonly Answer[]): number | null {
  const reported = answers.filter(({ id }) => halfOf(id) === 'report')
  const error = calibrationError(
    reported.flatMap(({ answerable, rank }) =>
      answerable === null ? [] : [{ probability: answerable, isTrue: rank === 1 }],
    ),
  )
  return error === undefined ? null : rounded(error)
}

/** A search without hits counts as below any score. */
function scoresOf(answers: readonly Answer[]): number[] {
  return answers.map(({ first }) => (first === undefined ? Number.NEGATIVE_INFINITY : Number(first.score.toFixed(6))))
}

function rounded(figure: number): number {
  return Number(figure.toFixed(4))
}
