import { sql } from 'kysely'
import type { Check } from '../checks/check.ts'
import type { Database } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import type { DocumentId } from '../ids.ts'
import { anywhere, type Place } from '../retrieval/dates/calendar.ts'
import type { Moment } from '../retrieval/dates/dated.ts'
import { withinBudget } from '../retrieval/heard.ts'
import { inContext } from '../retrieval/in-context.ts'
import { comparedPassages } from '../retrieval/letter-runs.ts'
import { type Found, placeOf, type Row, toFound, withDays } from '../retrieval/search.ts'
import { questionsOf } from '../retrieval/statement/asked-question.ts'

/** What a change does to a document, or to the agent's model: see `answers_after` in infra/migrations/search. */
export interface Effect {
  document_id?: DocumentId
  /** `serves` its newest revision, of `chunk_count` chunks if the service made it; `replaces` its text; `removes` it from search. */
  action?: 'serves' | 'replaces' | 'removes' | 'switches_model'
  chunk_count?: number
  title?: string
  title_terms?: string
  dates?: Record<'valid_from' | 'valid_until', Date | string | null>
}

/** A chunk that a change would bring. It has an `embedding` if the document has no vector with that id. */
export interface MadeChunk {
  document_id: DocumentId
  chunk_index: number
  content: string
  token_count: number
  metadata: object
  vector_id: string
  exponent?: number
  embedding?: string
  sketch?: string
  model?: string
  length: number
  terms: string
}

/** A check, whose vector is stored, or any question with its vector and the model that made it. */
export type Asked = Pick<Check, 'id' | 'question' | 'as_of'> &
  Partial<Pick<Check, 'history'>> & { vector?: Float32Array; vectorModel?: string; isAnyWeek?: boolean }

/** Questions per statement, which holds the document's lock. */
const perStatement = 50
const maxBytes = 4_000_000

/** Searches as if the changes were made, and does not keep them. @returns the hits by the question's id */
export async function searchAfter(
  db: Database,
  scope: AgentScope,
  { changes, made = [] }: { changes: readonly Effect[]; made?: readonly MadeChunk[] },
  given: readonly Asked[],
): Promise<Map<string, Found>> {
  const questions = given.map(heardOf)
  const found = new Map<string, Found>()
  const at = new Date()
  const place = questions.some((each) => wordsOf(each, { at, place: anywhere }) !== '')
    ? await readPlace(db, scope)
    : anywhere
  const rows = changes.map(({ dates, ...change }) => ({ ...change, dates: dates !== undefined, ...dates }))
  for (let from = 0; from < questions.length; from += perStatement) {
    const asked = questions.slice(from, from + perStatement)
    const statement = sql<{
      answers: Record<string, Parameters<typeof toFound>[0][number]>
    }>`select answers_after(${scope.organizationId},
      ${scope.agentId}, ${JSON.stringify(rows)}::jsonb, ${JSON.stringify(made)}::jsonb,
      ${JSON.stringify(asked.map((each) => toQuestion(scope, each, { at, place })))}::jsonb) as answers`
    const { answered } = await db.batch({ answered: statement })
    for (const { id, question: query, history, as_of, isAnyWeek = as_of === null } of asked) {
      const hypotheses = [{ query, inContext: inContext(query, history) }]
      found.set(
        id,
        toFound(
          [answered[0]!.answers[id]!],
          'hybrid',
          hypotheses,
          { history },
          { at: as_of ? new Date(as_of) : at, isAnyWeek },
        ),
      )
    }
  }
  return found
}

/** The question as a search reads it. */
function heardOf(asked: Asked): Asked {
  const { query, history } = withinBudget({ query: asked.question, history: asked.history })
  return { ...asked, question: query!, ...(history && { history: [...history] }) }
}

function wordsOf({ question: query, history, as_of }: Asked, { at, place }: Moment): string {
  return withDays({ query }, { history }, { at: as_of ? new Date(as_of) : at, place }).words!
}

async function readPlace(db: Database, { organizationId, agentId }: AgentScope): Promise<Place> {
  const { agents } = await db.batch({
    agents: sql<Pick<Row, 'time_zone' | 'holidays'>>`select time_zone, holidays from agents
      where organization_id = ${organizationId} and id = ${agentId}`,
  })
  return agents[0] ? placeOf(agents[0]) : anywhere
}

function toQuestion(scope: AgentScope, asked: Asked, moment: Moment) {
  const { id, question: query, history, as_of, vector, vectorModel: model } = asked
  const hypotheses = [{ query, vector, words: wordsOf(asked, moment) }]
  const [question] = questionsOf(scope, 'hybrid', hypotheses, { limit: comparedPassages, history })
  return { id, question: { ...question, asked_model: model, assumed_model: model, as_of, max_bytes: maxBytes } }
}
