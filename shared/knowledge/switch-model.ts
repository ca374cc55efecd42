import { sql } from 'kysely'
import { judge, maxAskedPerChange, maxPerAgent, selectQuestions, storeResults, withOthers } from '../checks/check.ts'
import {
  brokenOf,
  isUnchanged,
  type Renewal,
  type StoredVector,
  selectVersion,
  storeVectors,
  type Verdict,
  vectorsInParts,
} from '../checks/try-change.ts'
import type { Database } from '../database/database.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import { toStored } from '../embedding/stored-vectors.ts'
import { requirePassing } from './commit.ts'
import { lockKnowledge } from './locks.ts'
import { searchAfter } from './search-after.ts'

/**
 * Switches an agent whose chunks all have a vector of its next model, with its checks, which it asks before. @returns `outdated` if a
 * chunk has no vector of the model or anything has changed since the verdict @throws ChecksFail; EmbeddingError; and the errors of
 * `reserveTokens`
 */
export async function switchModel(db: Database, scope: AgentScope, renewal: Renewal): Promise<'switched' | 'outdated'> {
  const verdict = await trySwitch(db, scope, renewal)
  if (verdict === 'outdated') return verdict
  requirePassing(verdict?.broken)
  const isOfModel = sql<boolean>`exists (select from agents a where ${isAgent(scope)} and a.model = ${renewal.embedder.model})`
  const { switched } = await db.batch({
    locked: lockKnowledge(scope),
    switched: sql<{ is_done: boolean }>`select switch_model(${scope.organizationId}, ${scope.agentId}) as is_done
      where ${isUnchanged(scope, verdict)}`,
    ...(verdict && { renewed: storeVectors(scope, verdict.vectors, isOfModel) }),
  })
  if (!switched[0]?.is_done) return 'outdated'
  if (verdict) await db.batch(storeResults(scope, verdict.results, verdict.broken))
  return 'switched'
}

/** A verdict with the checks' vectors of the next model. */
type SwitchVerdict = Verdict & { vectors: StoredVector[] }

/** @returns undefined if the agent has no checks; `outdated` if it can't switch */
async function trySwitch(
  db: Database,
  scope: AgentScope,
  renewal: Renewal,
): Promise<SwitchVerdict | 'outdated' | undefined> {
  const { model } = renewal.embedder
  const { versions, first } = await db.batch({
    versions: selectVersion(scope),
    first: selectQuestions(scope, maxPerAgent),
  })
  if (first.length === 0 || versions.length === 0) return undefined
  const questions = await withOthers(db, scope, maxPerAgent, first)
  const given = (await Array.fromAsync(vectorsInParts(questions, renewal))).flat()
  const vectors = given.map(({ id, vector }) => ({ id, model, embedding: toStored(vector).embedding }))
  const vectorOf = new Map(given.map(({ id, vector }) => [id, vector]))
  const asked = questions.slice(0, maxAskedPerChange)
  const withVectors = asked.map((each) => ({ ...each, vector: vectorOf.get(each.id), vectorModel: model }))
  const found = await searchAfter(db, scope, { changes: [{ action: 'switches_model' }] }, withVectors)
  if (asked.some(({ id }) => found.get(id)!.model !== model)) return 'outdated'
  const results = asked.map((question) => judge(question, found.get(question.id)!))
  return { version: versions[0]!.version, results, broken: await brokenOf(db, scope, results), vectors }
}
