import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import { hashKey, isWellFormed } from '../../../shared/http/api-keys.ts'
import type { OrganizationId } from '../../../shared/ids.ts'
import { listKeys } from '../../../shared/organizations/keys.ts'
import type { Permission } from '../../../shared/organizations/permissions.ts'
import { createAgent } from '../../admin/agents.ts'
import { recordRun } from '../../admin/audit.ts'
import { createKey, revokeKey } from '../../admin/keys.ts'
import { createOrganization } from '../../admin/organizations.ts'
import { type Check, error, ok } from '../checks/check.ts'
import type { Context } from '../context.ts'

export interface Tenant {
  organization: string
  agent: string
  permissions: Permission[]
}

/** The canary never touches an agent with another name. */
export const canary: Tenant = { organization: 'canary', agent: 'Canary', permissions: ['kb:read', 'kb:write'] }

/** Checks for a first organization. @param onKey takes the new key, which nobody can read again */
export function organizationCheck(
  { database, stage, terminal: { person } }: Context,
  ownerUrl: string,
  name: string,
  onKey: (key: string, ids: object) => Promise<void>,
): Check {
  const subject = 'organization'
  const db = database(ownerUrl)
  return {
    subject,
    async judge() {
      const { rows } = await sql<{ name: string }>`
        select o.name from organizations o where o.name <> ${canary.organization}
          and exists (select from api_keys k where k.organization_id = o.id and k.revoked_at is null) limit 1`.execute(
        db,
      )
      return [rows[0] ? ok(subject, rows[0].name) : error(subject, 'there is none')]
    },
    repair: {
      what: `${name}, with an agent and a key that is shown once`,
      async run() {
        const permissions: Permission[] = ['kb:read', 'kb:write', 'organization:read', 'organization:write']
        const first = { organization: name, agent: 'Front desk', permissions }
        const { key, ...ids } = await makeTenant(db, person, stage, first)
        await onKey(key, ids)
      },
    },
  }
}

/** True if the key belongs to an organization with the canary's agent. */
export async function isCanaryKey(db: Database, key: string | undefined): Promise<boolean> {
  if (key === undefined || !isWellFormed(key)) return false
  const { rows } = await sql`
    select from api_keys k join agents a on a.organization_id = k.organization_id and a.name = ${canary.agent}
    where k.key_hash = ${hashKey(key)} and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      and k.permissions @> ${canary.permissions}`.execute(db)
  return rows.length > 0
}

/** Makes an organization and an agent if they are missing, and a new key. @returns the key and the ids */
export async function makeTenant(
  db: Database,
  person: string,
  stage: string,
  { organization, agent, permissions }: Tenant,
) {
  const action = { person, command: 'stage create', arguments: [stage], organizationId: undefined }
  const make = async () => {
    const owner = await one(db, sql`select id from organizations where name = ${organization} order by id limit 1`)
    const organizationId = (owner ?? (await createOrganization(db, organization)).id) as OrganizationId
    const found = sql`select id from agents where organization_id = ${organizationId} and name = ${agent} order by id limit 1`
    const agentId = (await one(db, found)) ?? (await createAgent(db, organizationId, agent)).id
    const { id, key } = await createKey(db, { organizationId, name: agent, permissions })
    return { organization_id: organizationId, agent_id: agentId, key_id: id, key }
  }
  return await recordRun(db, action, make, ({ organization_id }) => organization_id)
}

async function one(db: Database, query: ReturnType<typeof sql>): Promise<string | undefined> {
  const { rows } = await query.execute(db)
  return (rows as { id: string }[])[0]?.id
}

/** Revokes keys that an interrupted run made and nobody has. */
export async function revokeOthers(db: Database, organizationId: OrganizationId, keyId: string): Promise<void> {
  const keys = await listKeys(db, organizationId).execute()
  for (const { id, state } of keys) if (id !== keyId && state === 'active') await revokeKey(db, id)
}
