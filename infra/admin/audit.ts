import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { newId } from '../../shared/ids.ts'

interface Action {
  /** The operator's own name for themselves; the database adds the login. */
  person: string
  command: string
  /** Contains no secrets or names, because a row outlives its customer. */
  arguments: string[]
  organizationId: string | undefined
}

/**
 * Runs `work` while its row in `operator_actions` is open. Without an open row, the database lets an operator change nothing.
 * A row that stays open belongs to an interrupted command.
 */
export async function recordRun<Result>(
  db: Database,
  action: Action,
  work: () => Promise<Result>,
  organizationOf: (result: Result) => string | undefined,
): Promise<Result> {
  const { person, command, arguments: args, organizationId } = action
  const id = newId()
  await sql`insert into operator_actions (id, person, command, arguments, organization_id)
    values (${id}, ${person}, ${command}, ${args}, ${organizationId ?? null})`.execute(db)
  let result: Result
  try {
    result = await work()
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    await end(db, id, 'failed', { detail }).catch(() => {})
    throw error
  }
  await end(db, id, 'done', { organizationId: organizationOf(result) })
  return result
}

async function end(
  db: Database,
  id: string,
  outcome: 'done' | 'failed',
  { detail, organizationId }: { detail?: string; organizationId?: string | undefined },
): Promise<void> {
  await sql`update operator_actions
    set outcome = ${outcome}, detail = ${detail ?? null}, ended_at = now(),
      organization_id = coalesce(organization_id, ${organizationId ?? null}::uuid)
    where id = ${id}`.execute(db)
}
