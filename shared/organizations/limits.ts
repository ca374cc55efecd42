import { sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { invalidKey } from '../http/sent-key.ts'
import type { OrganizationId } from '../ids.ts'
import { questionTokens, today } from '../limits/tokens.ts'

export interface Limits {
  requests_per_second: number
  request_burst: number
  tokens_per_day: number
  documents_in_pipeline: number
  stored_bytes: number
}

export interface Usage {
  limits: Limits
  use: { requests_today: number; tokens_today: number; documents_in_pipeline: number; stored_bytes: number }
}

const o = columnsOf('organizations', 'o')
const m = columnsOf('request_meters', 'm')
const t = columnsOf('embedded_tokens', 't')

/** The organization's limits and its use of them today, in UTC. Undefined if it does not exist. */
async function findUsage(db: Database, id: OrganizationId): Promise<Usage | undefined> {
  const { rows } = await sql<Usage>`
    select json_build_object('requests_per_second', requests_per_second, 'request_burst', request_burst,
        'tokens_per_day', tokens_per_day, 'documents_in_pipeline', documents_in_pipeline, 'stored_bytes', stored_bytes) as limits,
      json_build_object(
        'requests_today', coalesce((select ${m.requests} from request_meters m
          where ${m.organization_id} = ${o.id} and ${m.day} = ${today}), 0),
        'tokens_today', ${questionTokens} + coalesce((select ${t.tokens} from embedded_tokens t
          where ${t.organization_id} = ${o.id} and ${t.day} = ${today}), 0),
        'documents_in_pipeline', (select count(*) from documents d where d.organization_id = ${o.id}
          and d.managed_by = 'service' and d.status in ('pending', 'processing')),
        'stored_bytes', (select coalesce(sum(d.stored_bytes), 0) from documents d where d.organization_id = ${o.id})) as use
    from organizations o where ${o.id} = ${id}`.execute(db)
  return rows[0]
}

/** @throws ApiError invalid_api_key if the organization was deleted after its key was verified */
export async function getUsage(db: Database, id: OrganizationId): Promise<Usage> {
  const usage = await findUsage(db, id)
  if (!usage) throw invalidKey()
  return usage
}

/** Changes limits: each instance adopts them within seconds, with its next report. Undefined if the organization does not exist. */
export async function changeLimits(db: Database, id: OrganizationId, changes: Partial<Limits>) {
  if (Object.keys(changes).length > 0) await db.updateTable('organizations').set(changes).where('id', '=', id).execute()
  return await findUsage(db, id)
}
