import type { Database } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import type { Checked } from '../queue.ts'
import { questionVector } from '../retrieval/query-vector/query-vectors.ts'
import type { Broken } from './broken.ts'
import { brokenOf, type Renewal, type StoredVector, selectVersion, type Verdict, vectorsInParts } from './check.ts'
import { judge, maxAskedPerChange, maxPerAgent, type Result, selectQuestions, withOthers } from './golden-question.ts'
import { searchAfter } from './search-after.ts'

/** The golden questions' vectors of the next model, with their ids. */
export interface NextVectors {
  vectors: StoredVector[]
}

/** Questions per statement, each of which makes the change and undoes it while edits of the agent wait. */
const perStatement = 25

interface Turn extends Renewal {
  /** The results of the turns before this one. */
  checked: Checked | undefined
  /** True while there is time for more questions. */
  mayGoOn: () => boolean
}

/**
 * Checks the switch of an agent whose chunks all have a vector of its next model, as `checkChange` does. Ends early once a question
 * blocks. `isWhole` is false if time ran out, or the agent could not switch. @throws EmbeddingError, and the errors of `reserveTokens`
 */
export async function checkModel(
  db: Database,
  scope: AgentScope,
  { checked, mayGoOn, ...renewal }: Turn,
): Promise<(Verdict & NextVectors & { isWhole: boolean }) | undefined> {
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
  const broken: Broken[] = []
  while (open.length > 0 && broken.every(({ blocks }) => !blocks)) {
    const part = open.splice(0, perStatement)
    const withVectors = part.map((each) => {
      const vector = vectorOf.get(each.id)
      return { ...each, vector, vectorModel: vector && model }
    })
    const found = mayGoOn() && (await searchAfter(db, scope, { changes: [{ action: 'switches_model' }] }, withVectors))
    if (!found || part.some(({ id }) => found.get(id)!.model !== model))
      return { version, results, broken, vectors, isWhole: false }
    const judged = part.map((question) => judge(question, found.get(question.id)!))
    results.push(...judged)
    broken.push(...(await brokenOf(db, scope, judged)))
  }
  return { version, results, broken, vectors, isWhole: true }
}
