import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import { type AgentScope, isDocument } from '../../shared/database/scope.ts'
import { isServed, isValidNow } from '../../shared/documents/processing/served-chunks.ts'
import { maxBytes, maxPassages, type Passage } from './passages.ts'
import type { Place } from './schemas.ts'

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')

/** An offset of 0 keeps the look-up of a text by key, passage by passage, independent of the planner's estimates. */
const optimizationFence = sql.lit(0)

/** Selects the wanted passage that search serves, or the document's first one, and as many of its neighbours as fit, in order. */
export function findPassages(scope: AgentScope, { documentId, index }: Place, metadata: Record<string, unknown> = {}) {
  // A separate subquery, since the planner would look up a join for each passage.
  const wanted = sql`(select position from wanted)`
  const isWanted = index === undefined ? sql`position = 1` : sql`index = ${index}::int`
  return sql<Passage>`
    with served as materialized (
      select ${d.title} as heading, ${d.chunk_offsets} as bounds, ${c.revision} as made_in, ${c.chunk_index} as index, row_number() over by_index as position,
        lag(${c.chunk_index}) over by_index as previous, lead(${c.chunk_index}) over by_index as next
      from documents d join chunks c
        on ${c.organization_id} = ${d.organization_id} and ${c.agent_id} = ${d.agent_id} and ${c.document_id} = ${d.id} and ${isServed}
      where ${isDocument({ ...scope, documentId })} and ${isValidNow}
        and ${d.metadata} @> ${JSON.stringify(metadata)}::jsonb
      window by_index as (order by ${c.chunk_index})
    ), wanted as materialized (select position from served where ${isWanted}),
    near as (
      select s.*, n.text, s.position = ${wanted} as is_wanted,
        sum(octet_length(n.text)) over (order by abs(s.position - ${wanted}), s.position desc) as bytes
      from served s cross join lateral (
        select ${c.content} as text from chunks c where ${c.organization_id} = ${scope.organizationId} and ${c.document_id} = ${documentId}
          and ${c.revision} = s.made_in and ${c.chunk_index} = s.index
        offset ${optimizationFence}
      ) n
      where s.position between ${wanted} - ${maxPassages}::int and ${wanted} + ${maxPassages}::int
    )
    select heading, index, text, previous, next, bounds[2 * index + 1] as start, bounds[2 * index + 2] as "end"
    from near where is_wanted or bytes <= ${maxBytes} order by index`
}
