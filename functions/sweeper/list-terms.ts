import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { describeError, log } from '../../shared/log.ts'

const chunksPerTransaction = 1000
/** A smaller agent is searched as fast without lists. */
const minChunks = 2000
const minUnlisted = 500

/** Adds chunks of large agents to the lists of terms that search reads. @returns how many */
export async function listTerms(db: Database, mayGoOn: () => boolean): Promise<number> {
  const { rows } = await sql<
    Record<'organization_id' | 'agent_id', string>
  >`select * from agents_to_list(${minChunks}, ${minUnlisted})`.execute(db)
  let listed = 0
  for (const { organization_id, agent_id } of rows)
    try {
      for (let added = 1; added > 0 && mayGoOn(); listed += added) {
        const step = sql<{ added: number }>`
          select list_chunks(${organization_id}, ${agent_id}, ${chunksPerTransaction}) as added`
        added = (await step.execute(db)).rows[0]!.added
      }
    } catch (error) {
      log.error('terms_not_listed', { organization_id, agent_id, error: describeError(error) })
    }
  return listed
}
