import { sql } from 'kysely'
import { newId } from '../../../shared/ids.ts'
import type { Level } from '../../../shared/retrieval/answerable.ts'
import type { Value } from '../../../shared/retrieval/schemas.ts'
import type { Tenant, TestStand } from '../stand/stand.ts'

/** Lets the tenant's organization keep its callers' questions: before the first call, as instances remember keys. */
export async function keepQuestions({ db }: TestStand, { organizationId }: Tenant, isOn = true): Promise<void> {
  await sql`update organizations set log_questions = ${isOn} where id = ${organizationId}`.execute(db)
}

/** The question log of the tenant's organization, oldest first, read as the owner. */
export async function keptQuestions({ db }: TestStand, { organizationId }: Tenant) {
  const log = db.selectFrom('question_log').where('organization_id', '=', organizationId)
  return await log.selectAll().orderBy('id').execute()
}

interface AskedBefore {
  question: string
  status?: Level
  value?: Value
  call_id?: string
  hits?: string
  daysAgo?: number
}

/** Stores logged questions in the given order, the last is the newest, bypassing the setting and the limit an hour. */
export async function storeQuestions(
  { db }: TestStand,
  tenant: Pick<Tenant, 'organizationId' | 'agentId'>,
  ...asked: AskedBefore[]
): Promise<string[]> {
  const usual = { organization_id: tenant.organizationId, agent_id: tenant.agentId, mode: 'hybrid' as const }
  const rows = asked.map(({ daysAgo = 0, status = 'nothing', value, ...row }) => ({
    ...{ ...usual, id: newId(), call_id: null, is_degraded: false, hits: '[]', answerable: 0.3, milliseconds: 9 },
    ...{
      ...row,
      status,
      value: value ? JSON.stringify(value) : null,
      asked_at: new Date(Date.now() - daysAgo * 86_400_000),
    },
  }))
  const unlimited = sql`set local session_replication_role = replica`
  await db.batch({ unlimited, stored: db.insertInto('question_log').values(rows) })
  return rows.map(({ id }) => id)
}
