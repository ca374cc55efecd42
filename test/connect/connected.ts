import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { addPerson } from '../../infra/admin/people.ts'
import type { Database } from '../../shared/database/database.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { hashToken, newToken } from '../../shared/organizations/sessions.ts'
import type { Tenant } from '../support/stand/stand.ts'

type Of = Pick<Tenant, 'organizationId' | 'agentId'>

/** A connection of a new member, by rows. @param db as the owner */
export async function connected(
  db: Database,
  tenant: Of,
  { origin = 'https://app.example.com', scope = 'kb:read' } = {},
) {
  const { organizationId, agentId } = tenant
  const organization = organizationId as OrganizationId
  const person = await addPerson(db, { organization, mail: `${randomUUID()}@example.com`, role: 'viewer' })
  const path = `/v1/agents/${agentId}/connect/mcp`
  const [id, access] = [randomUUID(), newToken()]
  await sql`insert into connections (organization_id, id, person_id, agent_id, client_id, client_name, resource, scope, used_at, expires_at)
    values (${organizationId}, ${id}, ${person.id}, ${agentId}, 'https://app.example/client', 'app.example', ${origin + path}, ${scope},
      now(), now() + interval '30 days')`.execute(db)
  await sql`insert into connection_tokens (token_hash, organization_id, connection_id, kind, expires_at)
    values (${hashToken(access)}, ${organizationId}, ${id}, 'access', now() + interval '1 hour')`.execute(db)
  return { id, path, person, token: access, headers: { authorization: `Bearer ${access}` } }
}
