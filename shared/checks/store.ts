import { type Selectable, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type AgentScope, isAgent, isDocument } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import type { Embedder } from '../embedding/embedder.ts'
import { servingEmbedder } from '../embedding/serving-embedder.ts'
import { toStored } from '../embedding/stored-vectors.ts'
import { ApiError } from '../http/errors.ts'
import { documentNotFound, requireAgent } from '../http/not-found.ts'
import { type DocumentId, newId } from '../ids.ts'
import { lockKnowledge } from '../knowledge/locks.ts'
import { withoutWarnings } from '../knowledge/warnings.ts'
import { inContext } from '../retrieval/in-context.ts'
import {
  bytesOf,
  type Check,
  checkColumns,
  isCheck,
  maxPerAgent,
  maxTextBytes,
  type Result,
  selectQuestions,
  storeResults,
  textBytes,
  withOthers,
} from './check.ts'
import { requireMoment } from './moment.ts'
import { ask, vectorsOf } from './try-change.ts'

/** An agent has as many checks, or as much text of them, as it may have. */
export class PastLimit extends ApiError {
  constructor(detail: string) {
    super('validation_failed', detail)
  }
}

export type KeptCheck = Pick<Selectable<Tables['golden_questions']>, (typeof columns)[number]>
type CheckInput = Omit<Check, 'id' | 'history' | 'value' | 'expects_value' | 'model' | 'as_of'> &
  Partial<Pick<Check, 'history' | 'value' | 'expects_value'>> & { as_of: string | null }

const columns = [...checkColumns, 'passed', 'rank', 'checked_at'] as const

/** Lists checks, newest first, after the one with the given id. @throws ApiError agent_not_found */
export async function listChecks(
  db: Database,
  scope: AgentScope,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ questions: KeptCheck[]; hasMore: boolean }> {
  const { questions } = await db.batch({
    questions: db
      .selectFrom('golden_questions')
      .select(columns)
      .where('organization_id', '=', scope.organizationId)
      .where('agent_id', '=', scope.agentId)
      .where((eb) => (after === undefined ? eb.lit(true) : eb('id', '<', after)))
      .orderBy('id', 'desc')
      .limit(limit + 1),
  })
  if (questions.length === 0) await requireAgent(db, scope)
  return { questions: questions.slice(0, limit), hasMore: questions.length > limit }
}

/** @throws ApiError agent_not_found, golden_question_not_found */
export async function getCheck(db: Database, scope: AgentScope, id: string): Promise<KeptCheck> {
  const { questions } = await db.batch({
    questions: db.selectFrom('golden_questions').select(columns).where(isCheck(scope, id)),
  })
  return questions[0] ?? (await checkNotFound(db, scope))
}

/** @throws ApiError agent_not_found, document_not_found, validation_failed past the agent's limits or without a needed `as_of`; Unavailable */
export async function createCheck(
  { db, embedder: configured }: { db: Database; embedder: Embedder },
  scope: AgentScope,
  input: CheckInput,
): Promise<KeptCheck> {
  requireMoment(input)
  const embedder = await servingEmbedder(db, scope, configured)
  const [vector] = await vectorsOf(embedder, [inContext(input.question, input.history)])
  const id = newId()
  const row = { id, ...input, model: embedder.model, embedding: toStored(vector!).embedding }
  const { held, documents, inserted } = await db.batch({
    documents: findExpected(scope, input),
    locked: lockKnowledge(scope),
    held: countChecks(scope),
    inserted: sql`insert into golden_questions (organization_id, agent_id, ${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
      select a.organization_id, a.id, ${sql.join(Object.values(row))} from agents a where ${isAgent(scope)}
        and exists (${findExpected(scope, input)}) 
        and (${countChecks(scope)}) < ${maxPerAgent} and ${mayGrow(scope, bytesOf(input))}
      returning id`,
  })
  if (inserted.length === 0) await requireAgent(db, scope)
  if (documents.length === 0) documentNotFound()
  if (inserted.length === 0 && Number(held[0]!.count) < maxPerAgent) rejectGrowth()
  if (inserted.length === 0)
    throw new PastLimit(
      `An agent can have at most ${maxPerAgent} golden questions, and has ${held[0]!.count}. Delete some first.`,
    )
  return await checked(db, scope, id)
}

/** Changes the given fields, and asks the question again. @throws ApiError agent_not_found, golden_question_not_found, document_not_found; Unavailable */
export async function updateCheck(
  { db, embedder: configured }: { db: Database; embedder: Embedder },
  scope: AgentScope,
  id: string,
  input: Partial<CheckInput>,
): Promise<KeptCheck> {
  const embedder = await servingEmbedder(db, scope, configured)
  const isAskedAnew = input.question !== undefined || input.history !== undefined
  const isChanged = isAskedAnew || input.as_of === null
  const before = isChanged && (await getCheck(db, scope, id))
  const after = before && { ...before, ...input }
  if (after) requireMoment(after)
  const asked = isAskedAnew && after
  const vectors = asked ? await vectorsOf(embedder, [inContext(asked.question, asked.history)]) : []
  const { documents, changed } = await db.batch({
    documents: findExpected(scope, input),
    changed: db
      .updateTable('golden_questions')
      .set({ ...input, ...(vectors[0] && { model: embedder.model, embedding: toStored(vectors[0]).embedding }) })
      .where(isCheck(scope, id))
      .where(sql<boolean>`exists (${findExpected(scope, input)})`)
      .where(mayGrow(scope, before && after ? bytesOf(after) - bytesOf(before) : 0))
      .returning('id'),
    settled: withoutWarnings(scope, [id]),
  })
  if (changed.length === 0) {
    await getCheck(db, scope, id)
    if (documents.length === 0) documentNotFound()
    rejectGrowth()
  }
  return await checked(db, scope, id)
}

/** Asks the question. @returns it with its result */
async function checked(db: Database, scope: AgentScope, id: string): Promise<KeptCheck> {
  const results = await ask(db, scope, [await getCheck(db, scope, id)])
  await db.batch(storeResults(scope, results))
  return await getCheck(db, scope, id)
}

/** @throws ApiError agent_not_found, golden_question_not_found */
export async function deleteCheck(db: Database, scope: AgentScope, id: string): Promise<void> {
  const { deleted } = await db.batch({
    deleted: db.deleteFrom('golden_questions').where(isCheck(scope, id)).returning('id'),
    settled: withoutWarnings(scope, [id]),
  })
  if (deleted.length === 0) await checkNotFound(db, scope)
}

/** Asks all of an agent's checks against the served knowledge. @throws ApiError agent_not_found */
export async function runChecks(db: Database, scope: AgentScope): Promise<Result[]> {
  const { first } = await db.batch({ first: selectQuestions(scope, maxPerAgent) })
  if (first.length === 0) await requireAgent(db, scope)
  const results = await ask(db, scope, await withOthers(db, scope, maxPerAgent, first))
  await db.batch(storeResults(scope, results))
  return results
}

function countChecks({ organizationId, agentId }: AgentScope) {
  return sql<{ count: string }>`select count(*) from golden_questions
    where organization_id = ${organizationId} and agent_id = ${agentId}`
}

/** True if the texts of the agent's checks may have so many more bytes. A text that becomes shorter always may. */
function mayGrow({ organizationId, agentId }: AgentScope, bytes: number) {
  return sql<boolean>`(${bytes}::int <= 0 or (select coalesce(sum(${textBytes}), 0) from golden_questions
    where organization_id = ${organizationId} and agent_id = ${agentId}) <= ${maxTextBytes - bytes}::int)`
}

function rejectGrowth(): never {
  throw new PastLimit(
    `The texts of an agent’s golden questions, with their \`history\`, can have at most ${maxTextBytes.toLocaleString('en')} bytes together. Shorten or delete some first.`,
  )
}

/** A row if the expected document exists, or none is expected. */
function findExpected(scope: AgentScope, { document_id }: Partial<CheckInput>) {
  return document_id
    ? sql`select d.id from documents d where ${isDocument({ ...scope, documentId: document_id as DocumentId })}`
    : sql`select 1`
}

async function checkNotFound(db: Database, scope: AgentScope): Promise<never> {
  await requireAgent(db, scope)
  throw new ApiError('golden_question_not_found', 'The agent has no golden question with this id.')
}
