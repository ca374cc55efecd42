import { sql } from 'kysely'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import { agentId, organizationId, uuid } from '../../../shared/ids.ts'
import { CommandError } from '../command-error.ts'
import { type EraseOptions, erase } from './erase.ts'
import { type Erasure, listErasures, subjectOf } from './erasures.ts'

const entry = v.object({
  id: uuid,
  kind: v.picklist(['organization', 'agent']),
  organization_id: organizationId,
  agent_id: v.nullable(agentId),
  requested_at: v.pipe(v.string(), v.isoTimestamp()),
})
const list = v.pipe(v.string(), v.trim(), v.parseJson(), v.object({ data: v.array(entry) }))

export type Entry = v.InferOutput<typeof entry>

/** @param text what `erasures list --json` has printed @throws CommandError when it is anything else */
export function parseErasures(text: string): Entry[] {
  const result = v.safeParse(list, text)
  if (result.success) return result.output.data
  throw new CommandError('standard input must be what npx cuecard erasures list --json has printed')
}

/** Adds what the restored database does not have. */
export async function addErasures(db: Database, entries: Entry[]): Promise<void> {
  if (entries.length === 0) return
  await db
    .insertInto('erasures')
    .values(entries)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Erasures whose organization or agent is there: a restore has brought it back, or the erasure did not end. */
export async function findToReplay(db: Database): Promise<Erasure[]> {
  const present = sql<{ id: string }>`
    select o.id from erasures e join organizations o on o.id = e.organization_id union all
    select a.id from erasures e join agents a on (a.organization_id, a.id) = (e.organization_id, e.agent_id)`
  const [erasures, { rows }] = await Promise.all([listErasures(db), present.execute(db)])
  const ids = new Set(rows.map(({ id }) => id))
  return erasures.filter(({ organization_id, agent_id }) => ids.has(agent_id ?? organization_id))
}

export async function replay(db: Database, erasures: Erasure[], options: EraseOptions): Promise<Erasure[]> {
  const done: Erasure[] = []
  for (const erasure of erasures) done.push(await erase(db, subjectOf(erasure), options))
  return done
}
