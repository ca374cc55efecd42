import { sql } from 'kysely'
import { chunking } from '../../../shared/chunking/chunker.ts'
import { inTurns } from '../../../shared/concurrency/steps.ts'
import { config } from '../../../shared/config.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope } from '../../../shared/database/scope.ts'

/** A held document's changes to the document that it resembles. */
export interface Changes {
  otherId: string
  otherTitle: string
  otherEdits: number
  /** The number of changed parts. Undefined if the texts are too long to compare while somebody waits. */
  parts: number | undefined
}

const maxBytes = 1_000_000

type Compared = Omit<Changes, 'parts'> & { id: string; before: string | null; after: string | null }

/** @param ids the ids of held documents */
export async function findChanges(db: Database, scope: AgentScope, ids: string[]): Promise<Map<string, Changes>> {
  const { rows } = await sql<Compared>`
    select h.id, o.id as "otherId", o.title as "otherTitle", o.edits as "otherEdits",
      case when octet_length(coalesce(o.content, o.extracted_text)) <= ${maxBytes} then coalesce(o.content, o.extracted_text) end as before,
      case when octet_length(h.extracted_text) <= ${maxBytes} then h.extracted_text end as after
    from documents h join documents o on o.organization_id = h.organization_id and o.id = h.resembles and o.id <> h.id
    where h.organization_id = ${scope.organizationId} and h.agent_id = ${scope.agentId} and h.id = any(${ids}::uuid[])`.execute(
    db,
  )
  const changes = new Map<string, Changes>()
  for (const { id, before, after, ...other } of rows) {
    const parts = before === null || after === null ? undefined : await countChanged(before, after)
    changes.set(id, { ...other, parts })
  }
  return changes
}

/** Counts the parts that only one of the texts has, for each text, and returns the larger count. */
async function countChanged(before: string, after: string): Promise<number> {
  const { CHUNK_TOKENS, CHUNK_OVERLAP_TOKENS } = config()
  const size = { targetTokens: CHUNK_TOKENS, overlapTokens: CHUNK_OVERLAP_TOKENS }
  const passagesOf = async (text: string) => (await inTurns(chunking(text, size))).map(({ content }) => content)
  const [old, own] = [await passagesOf(before), await passagesOf(after)]
  const missing = (some: string[], others: Set<string>) => some.filter((each) => !others.has(each)).length
  return Math.max(missing(own, new Set(old)), missing(old, new Set(own)))
}
