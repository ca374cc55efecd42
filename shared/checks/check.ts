import { type Selectable, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { recordset } from '../database/recordset.ts'
import type { AgentScope } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { pageBytes } from '../http/payload.ts'
import { withoutWarnings } from '../knowledge/warnings.ts'
import type { Found, FoundPassage } from '../retrieval/found.ts'
import { maxTurns } from '../retrieval/heard.ts'
import { normalForm } from '../text/normal-form.ts'

export const checkColumns = [
  ...['id', 'question', 'document_id', 'words', 'value', 'expects_value', 'expects_nothing', 'history', 'within'],
  ...['on_failure', 'as_of', 'model'],
] as const
/** What must stay true of an agent's answers. The API and the database call it a golden question. */
export type Check = Pick<Selectable<Tables['golden_questions']>, (typeof checkColumns)[number]>

/** The result of a search for a check: `rank` counts from 1, and is null if no hit is the expected one, or none is expected. */
export interface Result {
  question: Check
  passed: boolean
  rank: number | null
  hits: FoundPassage[]
  /** The text of the answer's value. */
  value: string | null
}

/** Checks of an agent, and the bytes of their texts together. */
export const maxPerAgent = 500
export const maxTextBytes = 2_000_000
/** Checks asked before a change: blocking ones first, then those checked longest ago. */
export const maxAskedPerChange = 200

export function judge(question: Check, found: Pick<Found, 'hits' | 'status' | 'value'>): Result {
  const { document_id, words, expects_nothing, within } = question
  const { hits } = found
  const value = found.value?.text ?? null
  if (expects_nothing) return { question, hits, value, rank: null, passed: found.status !== 'found' }
  const expectsPassage = document_id !== null || words !== null
  const index = expectsPassage ? hits.slice(0, within).findIndex((hit) => isExpected(question, hit)) : -1
  const passed = (index >= 0 || !expectsPassage) && hasValue(question, value)
  return { question, hits, value, rank: index < 0 ? null : index + 1, passed }
}

/** True if the value is the expected one, whatever its case and white space, or is not checked. */
export function hasValue({ expects_value, value: expected }: Check, value: string | null): boolean {
  return !expects_value || normalized(expected ?? '') === normalized(value ?? '')
}

function isExpected({ document_id, words }: Check, hit: FoundPassage): boolean {
  if (document_id !== null && hit.document_id !== document_id) return false
  return words === null || hasWords(hit.content, words)
}

/** True if a passage has the words. People copy them from a page, which shows tables and emphasis without Markdown’s signs. */
export function hasWords(content: string, words: string): boolean {
  return normalized(withoutSigns(content)).includes(normalized(withoutSigns(words)))
}

/** The text without the signs of tables, headings and emphasis. */
export function withoutSigns(text: string): string {
  return text.replaceAll(/[*_`]/g, '').replaceAll(/[|#]/g, ' ')
}

/** Makes white space equal: people copy the expected words from a page and cannot see where lines break in the text. */
export function normalized(text: string): string {
  return normalForm(text).toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

const g = columnsOf('golden_questions', 'golden_questions')

export function isCheck({ organizationId, agentId }: AgentScope, id: string) {
  return sql<boolean>`(${g.organization_id} = ${organizationId} and ${g.agent_id} = ${agentId} and ${g.id} = ${id})`
}

/** The bytes of a check's texts. */
export const textBytes = sql<number>`octet_length(question) + octet_length(array_to_string(history, ''))`
const longest = 4 * 8_000 * (1 + maxTurns)

/** The agent's checks, in the order in which they are asked: the first, as many as the database returns at a time. */
export function selectQuestions({ organizationId, agentId }: AgentScope, limit: number, known: readonly string[] = []) {
  const columns = sql.join(checkColumns.map((column) => sql.ref(column)))
  const order = sql`order by on_failure = 'block' desc, checked_at nulls first, id`
  return sql<Check>`select ${columns} from (
      select ${columns}, checked_at, sum(${textBytes}) over (${order}) as bytes from golden_questions
      where organization_id = ${organizationId} and agent_id = ${agentId} and id <> all (${known}::uuid[])) g
    where bytes <= ${pageBytes} ${order} limit ${limit}`
}

/** Adds the checks after the first ones. */
export async function withOthers(db: Database, scope: AgentScope, limit: number, first: readonly Check[]) {
  const questions = [...first]
  let part = first
  while (questions.length < limit && part.reduce((sum, each) => sum + bytesOf(each), 0) > pageBytes - longest) {
    const ids = questions.map(({ id }) => id)
    part = (await db.batch({ part: selectQuestions(scope, limit - questions.length, ids) })).part
    questions.push(...part)
  }
  return questions
}

export function bytesOf({ question, history = [] }: Pick<Check, 'question'> & Partial<Pick<Check, 'history'>>) {
  return Buffer.byteLength(question + history.join(''))
}

/** Stores the results, and removes the documents' warnings of questions that pass now and later. */
export function storeResults(
  { organizationId, agentId }: AgentScope,
  results: readonly Result[],
  broken: readonly { golden_question_id: string }[] = [],
) {
  const failing = new Set(broken.map(({ golden_question_id }) => golden_question_id))
  const rows = results.map(({ question, passed, rank }) => ({ id: question.id, passed, rank }))
  const passed = results.flatMap(({ question: { id }, passed }) => (passed && !failing.has(id) ? [id] : []))
  return {
    checked: sql`update golden_questions g set passed = r.passed, rank = r.rank, checked_at = now()
      from ${recordset('r', { id: 'uuid', passed: 'boolean', rank: 'int' }, rows)}
      where g.organization_id = ${organizationId} and g.agent_id = ${agentId} and g.id = r.id`,
    settled: withoutWarnings({ organizationId, agentId }, passed, { isDue: true }),
  }
}
