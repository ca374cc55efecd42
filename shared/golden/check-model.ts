import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { recordset } from '../database/recordset.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import type { Checked } from '../queue.ts'
import { inContext } from '../retrieval/in-context.ts'
import type { Broken } from './broken.ts'
import {
  brokenOf,
  embedQuestions,
  type Renewal,
  renewedPerCall,
  selectVersion,
  type Verdict,
  vectorColumns,
} from './check.ts'
import { judge, maxAskedPerChange, maxPerAgent, type Result, selectQuestions } from './golden-question.ts'
import { searchAfter } from './search-after.ts'

/** The golden questions' vectors of the next model, with their ids. */
export interface NextVectors {
  vectors: ({ id: string } & ReturnType<typeof vectorColumns>)[]
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
  const { versions, questions } = await db.batch({
    versions: selectVersion(scope),
    questions: selectQuestions(scope, maxPerAgent),
  })
  if (questions.length === 0 || versions.length === 0) return undefined
  const given: (Float32Array | undefined)[] = []
  for (let from = 0; from < questions.length; from += renewedPerCall) {
    const part = questions.slice(from, from + renewedPerCall)
    given.push(
      ...(await embedQuestions(
        part.map(({ question, history }) => inContext(question, history)),
        renewal,
      )),
    )
  }
  const vectors = questions.flatMap(({ id }, i) => (given[i] ? [{ id, ...vectorColumns(model, given[i]) }] : []))
  const { version } = versions[0]!
  const known = new Map(checked?.version === version ? checked.results.map((result) => [result.id, result]) : [])
  const asked = questions.slice(0, maxAskedPerChange)
  const open = asked.filter(({ id }) => !known.has(id))
  const results: Result[] = asked
    .filter(({ id }) => known.has(id))
    .map((question) => ({ question, hits: [], ...known.get(question.id)! }))
  const broken: Broken[] = []
  while (open.length > 0 && broken.every(({ blocks }) => !blocks)) {
    const part = open.splice(0, perStatement)
    const withVectors = part.map((each) => {
      const vector = given[questions.indexOf(each)]
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

const columns = {
  id: 'uuid',
  model: 'text',
  embedding: 'text',
  high: 'text',
  middle: 'text',
  low: 'text',
  cosine_per_unit: 'float8',
} as const

/** Stores the golden questions' vectors if the agent is served by their model. */
export function storeVectors(scope: AgentScope, model: string, { vectors }: NextVectors) {
  return sql`update golden_questions g set model = r.model, embedding = r.embedding::halfvec(1536), high = r.high::bit(1536),
      middle = r.middle::bit(1536), low = r.low::bit(1536), cosine_per_unit = r.cosine_per_unit
    from ${recordset('r', columns, vectors)}
    where g.organization_id = ${scope.organizationId} and g.agent_id = ${scope.agentId} and g.id = r.id
      and exists (select from agents a where ${isAgent(scope)} and a.model = ${model})`
}
