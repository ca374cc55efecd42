import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { recordset } from '../database/recordset.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import { type Embedder, EmbeddingError } from '../embedding/embedder.ts'
import { toStored } from '../embedding/stored-vectors.ts'
import { ApiError } from '../http/errors.ts'
import { type Effect, type MadeChunk, searchAfter } from '../knowledge/search-after.ts'
import { estimatedTokens, type TokenMeter, withTokens } from '../limits/tokens.ts'
import { inContext } from '../retrieval/in-context.ts'
import { Unavailable } from '../unavailable.ts'
import { type Broken, toBroken } from './broken.ts'
import { type Check, judge, maxAskedPerChange, type Result, selectQuestions, withOthers } from './check.ts'

/** The outcome of asking checks, which holds while the agent's knowledge has this version. */
export interface Verdict {
  version: string
  results: Result[]
  /** Questions that pass without the change and would fail after it, now or at a later moment: the first one. */
  broken: Broken[]
}

const maxDays = 30
const maxMoments = 20

/**
 * Asks the agent's checks as if the changes were made, as of now. Asks them also as of each moment of the next 30 days at
 * which an old or new date changes a document's validity. A question that fails is asked again without the changes.
 * @param renewal makes vectors of questions whose vector is of another model @param made chunks of changes that replace a text
 */
export async function tryChange(
  db: Database,
  scope: AgentScope,
  changes: readonly Effect[],
  renewal?: Renewal,
  made: readonly MadeChunk[] = [],
): Promise<Verdict | undefined> {
  const { versions, first, moments } = await db.batch({
    versions: selectVersion(scope),
    first: selectQuestions(scope, maxAskedPerChange),
    moments: selectMoments(scope, changes),
  })
  if (first.length === 0 || versions.length === 0) return undefined
  const questions = await withOthers(db, scope, maxAskedPerChange, first)
  if (renewal) await renewVectors(db, scope, questions, renewal)
  const results = await ask(db, scope, questions, { changes, made })
  const broken = await brokenOf(db, scope, results)
  for (const { moment } of moments) {
    const known = new Set(broken.map(({ golden_question_id }) => golden_question_id))
    const open = questions.filter(({ id, as_of }) => as_of === null && !known.has(id))
    const asked = open.map((question) => ({ ...question, as_of: moment, isAnyWeek: true }))
    broken.push(...(await brokenOf(db, scope, await ask(db, scope, asked, { changes, made }), moment)))
  }
  return { version: versions[0]!.version, results, broken }
}

/** The version grows when the served knowledge or the checks change. */
export function selectVersion(scope: AgentScope) {
  return sql<{ version: string }>`select a.knowledge_version::text as version from agents a where ${isAgent(scope)}`
}

export async function brokenOf(db: Database, scope: AgentScope, results: Result[], moment?: Date): Promise<Broken[]> {
  const failing = results.filter(({ passed }) => !passed)
  const asked = failing.map(({ question }) => question)
  const without = await ask(db, scope, asked)
  return without.flatMap((before, i) => (before.passed ? [toBroken(before, failing[i]!, moment)] : []))
}

function selectMoments({ organizationId }: AgentScope, changes: readonly Effect[]) {
  const columns = { document_id: 'uuid', valid_from: 'timestamptz', valid_until: 'timestamptz' } as const
  const dated = changes.map(({ document_id, dates }) => ({ document_id, ...dates }))
  return sql<{ moment: Date }>`select distinct moment from ${recordset('c', columns, dated)}
    join documents d on d.organization_id = ${organizationId} and d.id = c.document_id
    cross join unnest(array[c.valid_from, c.valid_until, d.valid_from, d.valid_until]::timestamptz(3)[]) moment
    where moment > now() and moment <= now() + make_interval(days => ${maxDays}) order by moment limit ${maxMoments}`
}

/** Asks the questions of search as it is, or as it would be after a change. @returns the results in the order of the questions */
export async function ask(
  db: Database,
  scope: AgentScope,
  questions: readonly Check[],
  after: Parameters<typeof searchAfter>[2] = { changes: [] },
): Promise<Result[]> {
  const found = await searchAfter(db, scope, after, questions)
  return questions.map((question) => judge(question, found.get(question.id)!))
}

export interface Renewal extends TokenMeter {
  embedder: Embedder
}

/** @param texts at most `renewedPerCall` @returns undefined for a text that the provider rejects: its question is asked by its words */
async function embedQuestions(texts: string[], renewal: Renewal): Promise<(Float32Array | undefined)[]> {
  const tokens = texts.reduce((sum, text) => sum + estimatedTokens(text), 0)
  try {
    return await withTokens(renewal, tokens, () => renewal.embedder.embed(texts, { of: 'query' }))
  } catch (error) {
    if (!(error instanceof EmbeddingError) || error.reason !== 'input_rejected') throw error
  }
  if (texts.length === 1) return [undefined]
  const middle = texts.length >> 1
  const first = await embedQuestions(texts.slice(0, middle), renewal)
  return [...first, ...(await embedQuestions(texts.slice(middle), renewal))]
}

/** This many questions, of 8,192 tokens at most, stay within the provider's limit of 300,000 tokens a call. */
const renewedPerCall = 36

/** The questions' vectors, each with its id, in parts of one call each; none for a question whose text the provider rejects. */
export async function* vectorsInParts(questions: readonly Check[], renewal: Renewal) {
  for (let from = 0; from < questions.length; from += renewedPerCall) {
    const part = questions.slice(from, from + renewedPerCall)
    const texts = part.map(({ question, history }) => inContext(question, history))
    const vectors = await embedQuestions(texts, renewal)
    yield part.flatMap(({ id }, i) => (vectors[i] ? [{ id, vector: vectors[i] }] : []))
  }
}

/** Stores the vectors of each part, even if a later part fails. */
async function renewVectors(db: Database, scope: AgentScope, questions: readonly Check[], renewal: Renewal) {
  const { model } = renewal.embedder
  const stale = questions.filter((question) => question.model !== model)
  for await (const part of vectorsInParts(stale, renewal)) {
    const vectors = part.map(({ id, vector }) => ({ id, model, embedding: toStored(vector).embedding }))
    await db.batch({ renewed: storeVectors(scope, vectors) })
  }
}

export type StoredVector = { id: string; model: string; embedding: string }

const vectorColumns = {
  id: 'uuid',
  model: 'text',
  embedding: 'text',
} as const

/** Stores vectors of checks, by the questions' ids. @param guard no row is changed unless it holds */
export function storeVectors(
  { organizationId, agentId }: AgentScope,
  vectors: readonly StoredVector[],
  guard = sql<boolean>`true`,
) {
  return sql`update golden_questions g set model = r.model, embedding = r.embedding::halfvec(1536)
    from ${recordset('r', vectorColumns, vectors)}
    where g.organization_id = ${organizationId} and g.agent_id = ${agentId} and g.id = r.id and ${guard}`
}

/** Embeds a request's questions. @throws Unavailable; ApiError validation_failed when the provider rejects a text */
export async function vectorsOf(embedder: Embedder, questions: string[]): Promise<Float32Array[]> {
  try {
    return await embedder.embed(questions, { of: 'query', timeoutSeconds: embedSeconds })
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error
    if (error.reason !== 'input_rejected') throw new Unavailable('embedding_provider', error, error.retryAfterSeconds)
    throw new ApiError('validation_failed', `The embedding provider rejected the question: ${error.message}`, {
      cause: error,
    })
  }
}

const embedSeconds = 10

/** True if nothing has changed since the verdict; without a verdict, if the agent has no checks. */
export function isUnchanged(scope: AgentScope, verdict: Verdict | undefined) {
  return verdict
    ? sql<boolean>`exists (select from agents a where ${isAgent(scope)} and a.knowledge_version = ${verdict.version}::bigint)`
    : sql<boolean>`not exists (select from golden_questions g
        where g.organization_id = ${scope.organizationId} and g.agent_id = ${scope.agentId})`
}
