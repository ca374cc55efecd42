import { sql } from 'kysely'
import {
  judge,
  maxAskedPerChange,
  maxPerAgent,
  type Result,
  selectQuestions,
  storeResults,
  withOthers,
} from '../checks/check.ts'
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
import { questionVector } from '../retrieval/query-vector/query-vectors.ts'
import type { Checked } from '../work/message.ts'
import { requirePassing } from './commit.ts'
import { lockKnowledge } from './locks.ts'
import { searchAfter } from './search-after.ts'

/** Questions per statement, each of which makes the change and undoes it while edits of the agent wait. */
const perStatement = 25

interface Turn extends Renewal {
  /** The results of the turns before this one. */
  checked: Checked | undefined
  /** True while there is time for more questions. */
  mayGoOn: () => boolean
}

/**
 * Switches an agent whose chunks all have a vector of its next model, with its checks, which it asks before. This may take
 * several turns. @returns `outdated` if a chunk has no vector of the model or anything has changed since the verdict; the results for the
 * next turn if the time is up @throws ChecksFail; EmbeddingError; and the errors of `reserveTokens`
 */
export async function switchModel(
  db: Database,
  scope: AgentScope,
  turn: Turn,
): Promise<'switched' | 'outdated' | { checked: Checked }> {
  const verdict = await trySwitch(db, scope, turn)
  requirePassing(verdict?.broken)
  if (verdict?.isWhole === false) {
    const results = verdict.results.map(({ question: { id }, passed, rank }) => ({ id, passed, rank }))
    return { checked: { version: verdict.version, results } }
  }
  const isOfModel = sql<boolean>`exists (select from agents a where ${isAgent(scope)} and a.model = ${turn.embedder.model})`
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

interface SwitchVerdict extends Verdict {
  /** The checks' vectors of the next model, with their ids. */
  vectors: StoredVector[]
  /** False if the time is up, or the agent could not switch. */
  isWhole: boolean
}

/** Asks until a question blocks. @returns undefined if the agent has no checks */
async function trySwitch(
  db: Database,
  scope: AgentScope,
  { checked, mayGoOn, ...renewal }: Turn,
): Promise<SwitchVerdict | undefined> {
  const { model } = renewal.embedder
  const { versions, first } = await db.batch({
    versions: selectVersion(scope),
    first: selectQuestions(scope, maxPerAgent),
  })
  if (first.length === 0 || versions.length === 0) return undefined
  const questions = await withOthers(db, scope, maxPerAgent, first)
  const given = (await Array.fromAsync(vectorsInParts(questions, renewal))).flat()
  const vectors = given.map(({ id, vector }) => ({ id, model, ...questionVector(vector) }))
  const vectorOf = new Map(given.map(({ id, vector }) => [id, vector]))
  const { version } = versions[0]!
  const known = new Map(checked?.version === version ? checked.results.map((result) => [result.id, result]) : [])
  const asked = questions.slice(0, maxAskedPerChange)
  const open = asked.filter(({ id }) => !known.has(id))
  const results: Result[] = asked
    .filter(({ id }) => known.has(id))
    .map((question) => ({ question, hits: [], value: null, ...known.get(question.id)! }))
  const verdict: SwitchVerdict = { version, results, broken: [], vectors, isWhole: true }
  while (open.length > 0 && verdict.broken.every(({ blocks }) => !blocks)) {
    const part = open.splice(0, perStatement)
    const withVectors = part.map((each) => {
      const vector = vectorOf.get(each.id)
      return { ...each, vector, vectorModel: vector && model }
    })
    const found = mayGoOn() && (await searchAfter(db, scope, { changes: [{ action: 'switches_model' }] }, withVectors))
    if (!found || part.some(({ id }) => found.get(id)!.model !== model)) return { ...verdict, isWhole: false }
    const judged = part.map((question) => judge(question, found.get(question.id)!))
    results.push(...judged)
    verdict.broken.push(...(await brokenOf(db, scope, judged)))
  }
  return verdict
}
