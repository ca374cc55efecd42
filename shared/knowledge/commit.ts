import { type Expression, type SqlBool, sql } from 'kysely'
import { type Broken, inWords } from '../checks/broken.ts'
import { storeResults } from '../checks/check.ts'
import { isUnchanged, type Renewal, tryChange, type Verdict } from '../checks/try-change.ts'
import type { Semaphore } from '../concurrency/semaphore.ts'
import type { Database, Statement } from '../database/database.ts'
import type { AgentScope, DocumentScope } from '../database/scope.ts'
import { ApiError } from '../http/errors.ts'
import { Unavailable } from '../unavailable.ts'
import { keepClaims, type Served } from './claims.ts'
import { lockAfter, lockKnowledge } from './locks.ts'
import type { Effect } from './search-after.ts'
import { warningsAfter } from './warnings.ts'

/** A change of what search serves, which `make` makes in one transaction. */
export interface Change<Result> {
  /** Checks are asked as if it had these effects. Without any, none is asked. */
  effects: readonly Effect[] | (() => Promise<readonly Effect[]>)
  /** True if it is made even if blocking checks would fail. */
  ignores?: boolean | undefined
  /** Makes the change where the permit is valid. @returns `outdated` if it is not, or if the change rests on other rows than are stored */
  make: (permit: Permit) => Promise<Result | typeof outdated>
  /** False if the result says that nothing was changed. */
  isMade?: (result: Result) => boolean
  /** A document of which search serves other chunks from now on, and these chunks unless they are to be read: what they claim is kept. */
  served?: { scope: DocumentScope; chunks?: Served } | undefined
}

/** The result of a change that was not made, because something has changed since its checks were asked. */
export const outdated = Symbol('outdated')

/** What a change of the served knowledge says to the database. */
export interface Permit {
  /** True if checks were asked. */
  hasVerdict: boolean
  /** Locks the selected rows, if any, and then the agent's knowledge. Comes before the statements that it guards. */
  lock: <Row>(rows?: Statement<Row> & Expression<unknown>) => Statement<Row>
  /** The condition of the statement that makes the change: nothing has changed since the verdict. */
  isValid: Expression<SqlBool>
  /** The column with the warnings of a changed document `d`: questions that the change breaks. None if no question was asked. */
  warnings: { warnings?: Expression<string> }
}

/** @param verdict undefined until checks were asked: the permit is valid if the agent has none */
export function permitOf(scope: AgentScope, verdict?: Verdict, hasEffects = true): Permit {
  return {
    hasVerdict: verdict !== undefined,
    lock: <Row>(rows?: Statement<Row> & Expression<unknown>) =>
      rows ? lockAfter(rows, lockKnowledge(scope)) : (lockKnowledge(scope) as Statement<Row>),
    isValid: hasEffects ? isUnchanged(scope, verdict) : sql<boolean>`true`,
    warnings: verdict ? { warnings: warningsAfter(verdict) } : {},
  }
}

interface Options {
  /** Makes vectors of questions whose vector is of another model. */
  renewal?: Renewal
  /** Lets the checks of one change after the other be asked. */
  turns?: Semaphore
}

/** Of concurrent changes of an agent, one is made at a time, and outdates the verdicts of the others. */
const maxAttempts = 50

/**
 * Makes a change to what search serves: the only way to do so. Attempts it at once, which succeeds if the agent has no checks. Otherwise
 * asks them as if the change were made, and attempts it again until nothing has changed since the verdict.
 *
 * In the transaction of the change, triggers (infra/migrations/current) move the agent's `served_version` and tell its webhooks:
 * `document.completed`, `document.failed`, `golden_question.failed`. They see operators' statements, too.
 * @param propose is called before each attempt @throws ChecksFail; Unavailable; whatever `propose` and `make` throw
 */
export async function commit<Result>(
  db: Database,
  scope: AgentScope,
  propose: () => Change<Result> | Promise<Change<Result>>,
  { renewal, turns }: Options = {},
): Promise<Result> {
  let verdict: Verdict | undefined
  let endTurn: (() => void) | undefined
  try {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const { effects, ignores = false, make, isMade = () => true, served } = await propose()
      const hasEffects = effects.length > 0 || typeof effects === 'function'
      if (!hasEffects) verdict = undefined
      const result = await make(permitOf(scope, verdict, hasEffects))
      if (result !== outdated) {
        if (!isMade(result)) return result
        if (verdict) await db.batch(storeResults(scope, verdict.results, verdict.broken))
        if (served) await keepClaims(db, served.scope, served.chunks)
        return result
      }
      if (!hasEffects) continue
      endTurn ??= await turns?.acquire()
      verdict = await tryChange(db, scope, typeof effects === 'function' ? await effects() : effects, renewal)
      if (!ignores) requirePassing(verdict?.broken)
    }
  } finally {
    endTurn?.()
  }
  throw new Unavailable('database', new Error(`The knowledge base changed ${maxAttempts} times in a row`))
}

/** Checks that forbid a change would fail after it. */
export class ChecksFail extends ApiError {
  /** Names the questions. */
  readonly summary: string
  readonly broken: readonly Broken[]

  constructor(broken: readonly Broken[]) {
    const summary = inWords(broken)
    const named = broken.map(({ blocks, compared, ...each }) => each)
    super(
      'golden_questions_fail',
      `${summary} Repeat the request with ignore_golden_questions to make the change all the same.`,
      { extra: { golden_questions: named } },
    )
    this.summary = summary
    this.broken = broken
  }
}

/** @throws ChecksFail */
export function requirePassing(broken: readonly Broken[] = []): void {
  const blocking = broken.filter(({ blocks }) => blocks)
  if (blocking.length > 0) throw new ChecksFail(blocking)
}
