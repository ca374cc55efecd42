import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import type { DocumentId } from '../ids.ts'
import { inContext } from '../retrieval/in-context.ts'
import { comparedHits } from '../retrieval/letter-runs.ts'
import { type Found, toFound } from '../retrieval/search.ts'
import { questionsOf } from '../retrieval/statement/asked-question.ts'
import type { GoldenRow } from './golden-question.ts'

/** A change of a document, or of the agent's model: see `answers_after` in infra/migrations/search. */
export interface Change {
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

/** A golden question, whose vector is stored, or any question with its vector and the model that made it. */
export type Asked = Pick<GoldenRow, 'id' | 'question' | 'as_of'> &
  Partial<Pick<GoldenRow, 'history'>> & { vector?: Float32Array; vectorModel?: string }

/** Questions per statement, which holds the document's lock. */
const perStatement = 50
const maxBytes = 4_000_000

/** Searches as if the changes were made, and does not keep them. @returns the hits by the question's id */
export async function searchAfter(
  db: Database,
  scope: AgentScope,
  { changes, made = [] }: { changes: readonly Change[]; made?: readonly MadeChunk[] },
  questions: readonly Asked[],
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>()
  const rows = changes.map(({ dates, ...change }) => ({ ...change, dates: dates !== undefined, ...dates }))
  for (let from = 0; from < questions.length; from += perStatement) {
    const asked = questions.slice(from, from + perStatement)
    const statement = sql<{
      answers: Record<string, Parameters<typeof toFound>[0][number]>
    }>`select answers_after(${scope.organizationId},
      ${scope.agentId}, ${JSON.stringify(rows)}::jsonb, ${JSON.stringify(made)}::jsonb,
      ${JSON.stringify(asked.map((each) => toQuestion(scope, each)))}::jsonb) as answers`
    const { answered } = await db.batch({ answered: statement })
    for (const { id, question, history } of asked)
      found.set(
        id,
        toFound([answered[0]!.answers[id]!], 'hybrid', [{ query: question, inContext: inContext(question, history) }], {
          history,
        }),
      )
  }
  return found
}

function toQuestion(scope: AgentScope, { id, question: query, history, as_of, vector, vectorModel: model }: Asked) {
  const [question] = questionsOf(scope, 'hybrid', [{ query, vector }], { limit: comparedHits, history })
  return { id, question: { ...question, asked_model: model, assumed_model: model, as_of, max_bytes: maxBytes } }
}
