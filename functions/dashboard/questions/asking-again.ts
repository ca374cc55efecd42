import { semaphore } from '../../../shared/concurrency/semaphore.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { AnsweredSince } from '../../../shared/database/tables.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { startTiming } from '../../../shared/http/server-timing.ts'
import type { Answer, AnswerQuestion, PayingAgent } from '../../../shared/retrieval/answer.ts'
import { systemClock } from '../../../shared/retrieval/clock.ts'
import { hasAllWords } from '../../../shared/retrieval/coverage.ts'
import { Unavailable } from '../../../shared/unavailable.ts'
import { type Entry, keepAnswers, readWhole, type WholeQuestion } from './inbox.ts'
import { answeringPassage } from './past-passages.ts'

const maxAsked = 50
const maxMilliseconds = 1500
const atOnce = 5

/**
 * Asks questions without a good answer again, once their agent's texts have changed: the first of each group, and at most `maxAsked`.
 * Those for which no time is left are asked by the next page.
 * @param entries the newest first
 * @returns true if any were asked; their rows are changed, too
 */
export async function askAgain(
  answer: AnswerQuestion,
  db: Database,
  scope: PayingAgent,
  version: string,
  entries: readonly Entry[],
): Promise<boolean> {
  const due = entries.filter(
    ({ state, rows }) =>
      state !== 'found' && state !== 'kept' && rows.every((row) => row.asked_again_version !== version),
  )
  const waiting = due.slice(0, maxAsked)
  if (waiting.length === 0) return false
  const until = systemClock.now() + maxMilliseconds
  const whole = await readWhole(db, scope, waiting)
  const answers = new Map<Entry, AnsweredSince | null>()
  const { run } = semaphore(atOnce)
  const ask = async (entry: Entry) => {
    const milliseconds = Math.floor(until - systemClock.now())
    const asked = whole.get(entry.rows[0].id)
    const found = asked && milliseconds > 0 ? await askOnce(answer, db, scope, asked, milliseconds) : undefined
    if (found !== undefined) answers.set(entry, found)
  }
  await Promise.all(waiting.map((entry) => run(() => ask(entry))))
  await keepAnswers(db, scope, version, answers)
  for (const [{ rows }, found] of answers)
    for (const row of rows) Object.assign(row, { asked_again_version: version, is_since: found !== null })
  return answers.size > 0
}

/** @returns what answers by now, null if nothing does, undefined if that is unknown */
async function askOnce(
  answer: AnswerQuestion,
  db: Database,
  scope: PayingAgent,
  asked: WholeQuestion,
  milliseconds: number,
): Promise<AnsweredSince | null | undefined> {
  try {
    const question = { query: asked.question, mode: 'hybrid', limit: 1, deadline_ms: milliseconds } as const
    const now = await answer(db, { ...scope, logsQuestions: false }, question, startTiming(systemClock))
    return now.degraded ? undefined : answeredBy(now, asked)
  } catch (error) {
    if (error instanceof Unavailable || (error instanceof ApiError && error.code === 'rate_limited')) return undefined
    throw error
  }
}

/** A wrong answer that is given again answers nothing, nor does a text without a value that leaves out a word of the question. */
function answeredBy({ status, data, value }: Answer, asked: WholeQuestion): AnsweredSince | null {
  const [hit] = data
  if (status !== 'found' || !hit) return null
  if (!value && !hasAllWords(asked.question, [hit.document_title, hit.content])) return null
  const { chunk_id: before = hit.chunk_id } = answeringPassage(asked) ?? {}
  const isSame = before === hit.chunk_id && asked.value?.text === value?.text
  if (asked.is_wrong && isSame) return null
  const { chunk_id, document_id, chunk_index } = hit
  return { hit: { chunk_id, document_id, chunk_index }, value }
}
