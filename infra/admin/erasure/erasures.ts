import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import { urlOfAllFiles } from '../../../shared/files/file-url.ts'
import { uploadSeconds } from '../../../shared/files/upload-time.ts'
import { type AgentId, newId, type OrganizationId } from '../../../shared/ids.ts'
import type { Subject } from './belongings.ts'

export type Erasure = Awaited<ReturnType<typeof listErasures>>[number]

const columns = ['id', 'kind', 'organization_id', 'agent_id', 'requested_at', 'completed_at', 'counts'] as const

export async function listErasures(db: Database) {
  return await db.selectFrom('erasures').select(columns).orderBy('requested_at').orderBy('id').execute()
}

export function subjectOf({ organization_id, agent_id }: Pick<Erasure, 'organization_id' | 'agent_id'>): Subject {
  return { organizationId: organization_id as OrganizationId, agentId: (agent_id as AgentId | null) ?? undefined }
}

/** Adds it to the list, or continues it. */
export async function beginErasure(db: Database, { organizationId, agentId }: Subject): Promise<Erasure> {
  const { rows } = await sql<Erasure>`
    insert into erasures (id, kind, organization_id, agent_id)
    values (${newId()}, ${agentId ? 'agent' : 'organization'}, ${organizationId}, ${agentId ?? null})
    on conflict (organization_id, agent_id) do update set
      counts = case when erasures.completed_at is null then erasures.counts else '{}' end, completed_at = null
    returning ${sql.join(columns.map((column) => sql.ref(`erasures.${column}`)))}`.execute(db)
  return rows[0]!
}

/**
 * Deletes the subject's row in the transaction that completes the erasure. The sweeper deletes all files of an organization, even those that
 * no row names since a restore: at once, and again when none can arrive any more.
 */
export function finish(db: Database, id: string, { organizationId, agentId }: Subject) {
  const last_at = sql<Date>`now() + make_interval(secs => ${uploadSeconds})`
  const source_url = urlOfAllFiles(organizationId)
  return {
    ...(!agentId && {
      files: db
        .insertInto('obsolete_files')
        .values({ source_url, last_at })
        .onConflict((conflict) => conflict.column('source_url').doUpdateSet({ delete_at: sql<Date>`now()`, last_at })),
    }),
    subject: agentId
      ? db.deleteFrom('agents').where('organization_id', '=', organizationId).where('id', '=', agentId)
      : db.deleteFrom('organizations').where('id', '=', organizationId),
    completed: db
      .updateTable('erasures')
      .set({ completed_at: sql<Date>`now()` })
      .where('id', '=', id)
      .returning(columns),
  }
}
