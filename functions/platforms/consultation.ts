import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, isAgent } from '../../shared/database/scope.ts'
import type { answering } from '../../shared/retrieval/answer.ts'
import type { Hit } from '../../shared/retrieval/schemas.ts'
import type { Timing } from '../../shared/retrieval/timing.ts'

/** What an agent's knowledge base has on a question. */
export interface Consultation {
  hits: Hit[]
  /** What to say to a model where there are no hits. @throws Unavailable */
  nothing(): Promise<string>
}

export interface Asked {
  query: string
  limit: number
  deadline_ms: number
}

/** What has no score has nothing of the question; whoever searches sees that, but a model would read it to the caller. */
const min_score = 0.01

const a = columnsOf('agents', 'a')

/** The agent's tool is on while search serves a document of it: where nothing was found, whether it is on says why. */
const findTool = (scope: AgentScope) =>
  sql<{ enabled: boolean }>`select ${a.knowledge_base_enabled} as enabled from agents a where ${isAgent(scope)}`

/** @throws ApiError agent_not_found, validation_failed for a question that the embedding provider refuses; Unavailable */
export async function consult(
  answer: ReturnType<typeof answering>['answer'],
  db: Database,
  scope: AgentScope,
  asked: Asked,
  timing: Timing,
): Promise<Consultation> {
  const { data } = await answer(db, scope, { ...asked, mode: 'hybrid', min_score }, timing)
  return {
    hits: data,
    async nothing() {
      const { tools } = await timing.measure('db', () => db.batch({ tools: findTool(scope) }))
      return tools[0]?.enabled
        ? 'The knowledge base has nothing on this. Say that you do not know instead of guessing.'
        : 'The knowledge base has no ready documents: there is nothing to consult.'
    },
  }
}
