import { createSecretKey } from 'node:crypto'
import type { HonoRequest } from 'hono'
import { sql } from 'kysely'
import * as v from 'valibot'
import type { Database } from '../database/database.ts'
import { websiteAddress } from '../http/api.ts'
import { type Callers, credentialLookup } from '../http/api-keys.ts'
import { ApiError, type ErrorCode } from '../http/errors.ts'
import { originOf } from '../http/origin.ts'
import { agentId, type OrganizationId } from '../ids.ts'
import type { Permission } from '../organizations/permissions.ts'
import { hashToken } from '../organizations/sessions.ts'

export const searchScope = 'kb:read' satisfies Permission
export const scopes = [searchScope, 'offline_access']
/** The prefix of a resource's path under which its metadata is (RFC 9728). */
export const resourceMetadata = '/.well-known/oauth-protected-resource'
/** The issuer has a path, so that no metadata at the root of `/.well-known` covers routes that accept API keys. */
export const issuerOf = (request: HonoRequest) => `${originOf(request)}/connect`

/** The address of the agent's MCP server behind OAuth, the audience of its tokens. */
export function resourceOf(request: HonoRequest, agentId: string): string {
  return canonical(`${originOf(request)}/v1/agents/${agentId}/connect/mcp`)
}

/** Removes the trailing slash and the upper case that some clients send. */
export const canonical = (resource: string) => resource.toLowerCase().replace(/\/$/, '')

const tokenPattern = /^[\w-]{43}$/

interface FoundConnection {
  id: string
  organization_id: string
  resource: string
  scope: string
  expires_at: Date
  cursor_key: Buffer
  log_questions: boolean
}

/** @throws ApiError route_not_found for an id that no agent can have, before anything repeats it */
export function requireAgentId(id: string | undefined): string {
  if (!v.is(agentId, id)) throw new ApiError('route_not_found', 'The agent’s id must be a UUID.')
  return id
}

/**
 * Verifies access tokens in `Authorization: Bearer` for the agent in the path.
 * @throws ApiError route_not_found, missing_access_token, invalid_access_token, insufficient_scope
 */
export const tokenCallers: Callers = (db, now) => {
  const lookUp = credentialLookup((hash) => findConnection(db, hash), now)
  return async (c, options) => {
    const [, presented] = /^bearer +([^ ].*)$/i.exec(c.req.header('authorization') ?? '') ?? []
    const resource = resourceOf(c.req, requireAgentId(c.req.param('agentId')))
    // The client chooses the host: its quotes would end the header's.
    const metadata = `${originOf(c.req)}${resourceMetadata}${c.req.path}`.replaceAll(/["\\]/g, encodeURIComponent)
    const refused = (code: ErrorCode, detail: string, error = '') => {
      const challenge = `Bearer ${error && `error="${error}", `}resource_metadata="${metadata}", scope="${searchScope}"`
      return new ApiError(code, detail, { headers: { 'www-authenticate': challenge } })
    }
    if (!presented) throw refused('missing_access_token', 'Connect by OAuth: send the access token as a Bearer token.')
    const found = tokenPattern.test(presented)
      ? await lookUp(hashToken(presented), websiteAddress(c), options)
      : undefined
    if (found?.resource !== resource)
      throw refused(
        'invalid_access_token',
        'The access token is unknown, expired, or for another agent.',
        'invalid_token',
      )
    if (!found.permissions.includes(searchScope))
      throw refused('insufficient_scope', `The access token needs the scope ${searchScope}.`, 'insufficient_scope')
    return found
  }
}

async function findConnection(db: Database, hash: Buffer) {
  const { rows } = await sql<FoundConnection>`select * from find_connection(${hash})`.execute(db)
  const [row] = rows
  const key = row && {
    id: row.id,
    idName: 'connection_id' as const,
    organizationId: row.organization_id as OrganizationId,
    permissions: row.scope.split(' ').filter((scope): scope is Permission => scope === searchScope),
    cursorKey: createSecretKey(row.cursor_key),
    logsQuestions: row.log_questions,
    resource: row.resource,
  }
  return key && { key, expiresAt: row.expires_at }
}
