import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { changeLimits, type Limits } from '../../shared/organizations/limits.ts'
import { CommandError, organizationNotFound } from '../command-line/command-error.ts'

export async function createOrganization(db: Database, name: string): Promise<{ id: OrganizationId; name: string }> {
  const id = newId() as OrganizationId
  await db.insertInto('organizations').values({ id, name }).execute()
  return { id, name }
}

export async function listOrganizations(db: Database) {
  const organizations = db
    .selectFrom('organizations')
    .select(['id', 'name', 'auto_delete_done_calls', 'created_at'])
    .orderBy('id')
  return { data: await organizations.execute() }
}

export async function onlyOrganization(db: Database): Promise<OrganizationId> {
  const [first, ...others] = await db.selectFrom('organizations').select('id').limit(2).execute()
  if (!first) throw new CommandError('there is no organization yet: create one with npx cuecard organization create')
  if (others.length > 0)
    throw new CommandError(
      'there are several organizations: pass --organization with an id that npx cuecard organization list prints',
    )
  return first.id as OrganizationId
}

export async function showOrganization(db: Database, id: OrganizationId) {
  const { rows } = await sql<object>`
    select o.id, o.name, o.auto_delete_done_calls, o.created_at, count(a.id)::int as agent_count,
      (select count(*)::int from documents d where d.organization_id = o.id and d.deleted_at is null) as document_count,
      coalesce(sum(a.ready_document_count), 0)::int as ready_document_count
    from organizations o left join agents a on a.organization_id = o.id
    where o.id = ${id} group by o.id`.execute(db)
  return rows[0] ?? organizationNotFound(id)
}

/** @returns the limits after the changes, and today's use @throws CommandError if the organization does not exist */
export async function setLimits(db: Database, id: OrganizationId, changes: Partial<Limits>) {
  const usage = (await changeLimits(db, id, changes)) ?? organizationNotFound(id)
  return { id, ...usage }
}
