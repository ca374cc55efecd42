import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type AgentId, newId, type OrganizationId } from '../ids.ts'
import { hashToken, newToken } from '../organizations/sessions.ts'
import type { Client } from './clients.ts'

const codeSeconds = 60
/** Connections of one person, each of which takes a consent. */
export const maxPerPerson = 50

interface Consent {
  organizationId: OrganizationId
  agentId: AgentId
  personId: string
  client: Client
  resource: string
  scope: string
  /** The SHA-256 of the client's verifier, in base64url. */
  challenge: string
  redirectUri: string
}

/** Lets an app search an agent on a person's behalf. @returns the code that it exchanges for tokens within a minute */
export async function openConnection(db: Database, consent: Consent): Promise<string> {
  const { organizationId, agentId, personId, client, resource, scope, challenge, redirectUri } = consent
  const [id, token, name] = [newId(), newToken(), client.host ?? client.name]
  const end = sql`now() + make_interval(secs => ${codeSeconds})`
  await db.batch({
    opened: sql`
      insert into connections (organization_id, id, person_id, agent_id, client_id, client_name, resource, scope, expires_at)
      values (${organizationId}, ${id}, ${personId}, ${agentId}, ${client.id}, ${name}, ${resource}, ${scope}, ${end})`,
    given: sql`
      insert into connection_tokens (token_hash, organization_id, connection_id, kind, challenge, redirect_uri, expires_at)
      values (${hashToken(token)}, ${organizationId}, ${id}, 'code', ${challenge}, ${redirectUri}, ${end})`,
  })
  return token
}

/** True if a host publishes the app's document. */
const isVouchedFor = sql<boolean>`c.client_id ~ '^https?:'`

type OfPerson = { organizationId: OrganizationId; personId: string }

export interface Connection {
  id: string
  /** The host that vouches for the app, or else the name that the app gives itself. */
  client_name: string
  is_vouched_for: boolean
  agent_name: string
  created_at: Date
  /** When the app last got tokens, which it needs each hour. */
  used_at: Date
}

/** True if the person has as many connections as one may have. */
export async function hasAllConnections(db: Database, { organizationId, personId }: OfPerson): Promise<boolean> {
  const { rows } = await sql<{ has_all: boolean }>`select count(*) >= ${maxPerPerson} as has_all from connections
    where organization_id = ${organizationId} and person_id = ${personId} and expires_at > now()`.execute(db)
  return rows[0]!.has_all
}

/** The connections for which a person's apps have tokens, newest first. */
export async function listConnections(db: Database, { organizationId, personId }: OfPerson): Promise<Connection[]> {
  const { rows } = await sql<Connection>`
    select c.id, c.client_name, ${isVouchedFor} as is_vouched_for, a.name as agent_name, c.created_at, c.used_at
    from connections c join agents a on (a.organization_id, a.id) = (c.organization_id, c.agent_id)
    where c.organization_id = ${organizationId} and c.person_id = ${personId} and c.used_at is not null and c.expires_at > now()
      and is_kept(c.agent_id)
    order by c.created_at desc, c.id limit ${maxPerPerson}`.execute(db)
  return rows
}

/** Ends a connection; its tokens stop within 30 seconds. @returns the app's name; undefined if the person has no such connection */
export async function endConnection(db: Database, { organizationId, personId }: OfPerson, id: string) {
  const { rows } = await sql<Pick<Connection, 'client_name' | 'is_vouched_for'>>`
    delete from connections c where organization_id = ${organizationId} and person_id = ${personId} and id = ${id}
    returning client_name, ${isVouchedFor} as is_vouched_for`.execute(db)
  return rows[0]
}
