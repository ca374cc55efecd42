import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { recordset } from '../database/recordset.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import {
  brokenOf,
  embedQuestions,
  type Renewal,
  renewedPerCall,
  selectVersion,
  type Verdict,
  vectorColumns,
} from './check.ts'
import { judge, maxPerAgent, maxPerSwitch, selectQuestions } from './golden-question.ts'
import { searchAfter } from './search-after.ts'

/** The golden questions' vectors of the next model, with their ids. */
export interface NextVectors {
  vectors: ({ id: string } & ReturnType<typeof vectorColumns>)[]
}

/** Does what `checkChange` does, for an agent whose chunks all have a vector of its next model. @throws EmbeddingError; what `reserveTokens` throws */
export async function checkModel(
  db: Database,
  scope: AgentScope,
  renewal: Renewal,
): Promise<(Verdict & NextVectors) | undefined> {
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
        part.map(({ question }) => question),
        renewal,
      )),
    )
  }
  const asked = questions
    .slice(0, maxPerSwitch)
    .map((each, i) => ({ ...each, vector: given[i], vectorModel: given[i] && model }))
  const found = await searchAfter(db, scope, { changes: [{ action: 'switches_model' }] }, asked)
  // Where the agent could not change, the check says nothing, and the change that follows does not happen either.
  const results = asked.flatMap(({ vector, vectorModel, ...question }) => {
    const after = found.get(question.id)!
    return after.model === model ? [judge(question, after)] : []
  })
  const broken = await brokenOf(db, scope, results)
  const vectors = questions.flatMap(({ id }, i) => (given[i] ? [{ id, ...vectorColumns(model, given[i]) }] : []))
  return { version: versions[0]!.version, results, broken, vectors }
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

/** Gives the golden questions of an agent that is served by the model their vectors of it. */
export function storeVectors(scope: AgentScope, model: string, { vectors }: NextVectors) {
  return sql`update golden_questions g set model = r.model, embedding = r.embedding::halfvec(1536), high = r.high::bit(1536),
      middle = r.middle::bit(1536), low = r.low::bit(1536), cosine_per_unit = r.cosine_per_unit
    from ${recordset('r', columns, vectors)}
    where g.organization_id = ${scope.organizationId} and g.agent_id = ${scope.agentId} and g.id = r.id
      and exists (select from agents a where ${isAgent(scope)} and a.model = ${model})`
}
