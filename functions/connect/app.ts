import { createHash } from 'node:crypto'
import { parse } from 'node:querystring'
import type { Context } from 'hono'
import { sql } from 'kysely'
import * as v from 'valibot'
import {
  canonical,
  issuerOf,
  requireAgentId,
  resourceMetadata,
  scopes,
  searchScope,
} from '../../shared/connections/access-tokens.ts'
import { clientMetadata } from '../../shared/connections/clients.ts'
import type { Database } from '../../shared/database/database.ts'
import { type ApiEnv, api, onlyPost, sentBody, websiteAddress } from '../../shared/http/api.ts'
import { briefly } from '../../shared/http/asset.ts'
import { readJson } from '../../shared/http/input/json-body.ts'
import { originOf } from '../../shared/http/origin.ts'
import { networkOf, unknownCredentials } from '../../shared/http/unknown-credentials.ts'
import { newId } from '../../shared/ids.ts'
import { hashToken, newToken } from '../../shared/organizations/sessions.ts'
import { steadyNow } from '../../shared/time/steady-clock.ts'

const accessSeconds = 3600
/** Waits after `exchange_token` and `register_client` in infra/migrations refuse to add further rows. */
const waitMilliseconds = 60_000
const grantTypes = ['authorization_code', 'refresh_token'] as const

const text = v.pipe(v.string(), v.maxLength(4000), v.regex(/^[^\0]*$/))
const common = { client_id: text, resource: v.optional(v.pipe(text, v.transform(canonical))) }
const tokenRequest = v.variant('grant_type', [
  v.object({
    ...common,
    grant_type: v.literal('authorization_code'),
    code: text,
    code_verifier: v.pipe(v.string(), v.regex(/^[\w.~-]{43,128}$/)),
    redirect_uri: v.optional(text),
  }),
  v.object({ ...common, grant_type: v.literal('refresh_token'), refresh_token: text }),
])
const revocation = v.object({ token: text, client_id: text })

/** The OAuth 2.1 authorization server, except the consent, which is a screen of the dashboard. Clients are public: none has a secret. */
export function connectApp({ db, now = steadyNow }: { db: Database; now?: () => number }) {
  /** Limits of unknown tokens, by address and by client: many clients may share an address, so only the one that sends such tokens has to wait. */
  const lookups = unknownCredentials(now, { perSecond: 20, burst: 200 })
  const ofClients = unknownCredentials(now)
  const app = api()

  app.get(`${resourceMetadata}/v1/agents/:agentId/connect/mcp`, (c) => {
    requireAgentId(c.req.param('agentId'))
    c.header('cache-control', briefly)
    return c.json({
      // Repeats the requested form, which clients compare with the address that they connect to.
      resource: `${originOf(c.req)}${c.req.path.slice(resourceMetadata.length)}`,
      authorization_servers: [issuerOf(c.req)],
      scopes_supported: [searchScope],
      bearer_methods_supported: ['header'],
      resource_name: 'Cuecard',
    })
  })

  app.get('/.well-known/oauth-authorization-server/connect', (c) => {
    const issuer = issuerOf(c.req)
    c.header('cache-control', briefly)
    return c.json({
      issuer,
      authorization_endpoint: `${originOf(c.req)}/dashboard/connect`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: grantTypes,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: scopes,
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
  })

  app.use('/connect/*', onlyPost)

  app.post('/connect/token', async (c) => {
    const form = await readForm(c)
    const read = v.safeParse(tokenRequest, form)
    if (!read.success) {
      const field = v.getDotPath(read.issues[0])
      const isUnknown = field === 'grant_type' && typeof form.grant_type === 'string'
      return refused(c, isUnknown ? 'unsupported_grant_type' : 'invalid_request', `Missing or invalid: ${field}.`)
    }
    const sent = read.output
    const [access, refresh] = [newToken(), newToken()]
    const [kind, credential, challenge, uri] =
      sent.grant_type === 'refresh_token'
        ? (['refresh', sent.refresh_token, null, null] as const)
        : (['code', sent.code, challengeOf(sent.code_verifier), sent.redirect_uri ?? null] as const)
    const [address, hash] = [websiteAddress(c), hashToken(credential)]
    const wait = lookups.wait(address)
    if (wait > 0) return refusedForNow(c, wait)
    const { rows } = await sql<{
      error: keyof typeof explanations | 'temporarily_unavailable' | null
      scope: string
      audience: string | null
    }>`
      select * from exchange_token(${hash}, ${kind}, ${sent.client_id}, ${sent.resource ?? null}, ${challenge}, ${uri},
        ${hashToken(access)}, ${hashToken(refresh)})`.execute(db)
    const { error, scope, audience } = rows[0]!
    if (error && audience === null) {
      const client = `${networkOf(address)} ${hashToken(sent.client_id).toString('base64')}`
      const wait = ofClients.wait(client)
      lookups.add(hash.toString('base64'), address)
      ofClients.add(hash.toString('base64'), client)
      if (wait > 0) return refusedForNow(c, wait)
    }
    if (error === 'temporarily_unavailable') return refusedForNow(c, waitMilliseconds)
    if (error) return refused(c, error, explanations[error])
    const tokens = { access_token: access, refresh_token: refresh }
    return c.json({ ...tokens, token_type: 'Bearer', expires_in: accessSeconds, scope, resource: audience })
  })

  app.post('/connect/register', async (c) => {
    const read = v.safeParse(clientMetadata, readJson(await sentBody(c), c.req.raw.headers))
    if (!read.success) {
      const field = v.getDotPath(read.issues[0])
      const error = field?.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata'
      return refused(c, error, `Missing or invalid: ${field}.`)
    }
    const { client_name, redirect_uris } = read.output
    const id = newId()
    const { rows } = await sql<{ registered: boolean }>`
      select register_client(${id}, ${client_name}, ${redirect_uris}, ${websiteAddress(c)}) as registered`.execute(db)
    if (!rows[0]!.registered) return refusedForNow(c, waitMilliseconds)
    const ways = { grant_types: grantTypes, response_types: ['code'], token_endpoint_auth_method: 'none' }
    const issued = Math.floor(Date.now() / 1000)
    return c.json({ client_id: id, client_id_issued_at: issued, client_name, redirect_uris, ...ways }, 201)
  })

  app.post('/connect/revoke', async (c) => {
    const read = v.safeParse(revocation, await readForm(c))
    if (!read.success) return refused(c, 'invalid_request', `Missing or invalid: ${v.getDotPath(read.issues[0])}.`)
    const wait = lookups.wait(websiteAddress(c))
    if (wait > 0) return refusedForNow(c, wait)
    await sql`select end_connection(${hashToken(read.output.token)}, ${read.output.client_id})`.execute(db)
    return c.body(null, 200)
  })
  return app
}

const explanations = {
  invalid_client: 'The client is not registered, or no longer is. Register again.',
  invalid_grant: 'The code or refresh token is unknown, expired or used, or was given to another client.',
  invalid_target: 'The code or refresh token is for another resource.',
}

/** An error response by RFC 6749, 5.2. */
function refused(c: Context<ApiEnv>, error: string, error_description: string, status?: 429): Response {
  return c.json({ error, error_description }, status ?? (error === 'invalid_client' ? 401 : 400))
}

function refusedForNow(c: Context<ApiEnv>, milliseconds: number): Response {
  c.header('retry-after', String(Math.ceil(milliseconds / 1000)))
  return refused(c, 'temporarily_unavailable', 'Too many requests. Try again after the time in Retry-After.', 429)
}

/** The fields of a form. A repeated field is an array; an empty one is left out (RFC 6749, 3.2). */
async function readForm(c: Context<ApiEnv>): Promise<Record<string, string | string[] | undefined>> {
  const sent = await sentBody(c)
  const body = typeof sent === 'string' ? sent : Buffer.from(sent).toString()
  // URLSearchParams takes quadratic time for names without `=`.
  const fields = Object.entries(parse(body, '&', '=', { maxKeys: 50 }))
  return Object.fromEntries(fields.filter(([, value]) => value !== ''))
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
