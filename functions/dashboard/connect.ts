import type { Context, MiddlewareHandler } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import { canonical, issuerOf, resourceOf, scopes, searchScope } from '../../shared/connections/access-tokens.ts'
import { type Client, ClientRefused, clientFinder } from '../../shared/connections/clients.ts'
import { hasAllConnections, maxPerPerson, openConnection } from '../../shared/connections/connections.ts'
import { isRegistered } from '../../shared/connections/redirect-uris.ts'
import type { Database } from '../../shared/database/database.ts'
import type { ApiEnv } from '../../shared/http/api.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { type AgentId, agentId } from '../../shared/ids.ts'
import { type AgentRow, getAgent } from '../../shared/organizations/agents.ts'
import type { Session } from '../../shared/organizations/sessions.ts'
import { steadyNow } from '../../shared/time/steady-clock.ts'
import { type Html, organizationsPath, type View } from './layout.ts'
import { withQuery } from './paths.ts'
import { type Screens, valid } from './screen.ts'

const path = '/dashboard/connect'
const permission = 'kb:read'
const decision = v.object({ decision: v.picklist(['allow', 'deny']) })
const allowed = new WeakMap<Request, string>()

/** Lets the consent form redirect to the app: browsers apply `form-action` to redirects, too. Must wrap the middleware that sets the policy. */
export const leadsBack: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  const source = allowed.get(c.req.raw)
  const policy = c.res.headers.get('content-security-policy')
  if (source && policy) c.header('content-security-policy', policy.replace('form-action', `form-action ${source}`))
}

/** An app's request to search an agent, which a person allows or denies. */
interface Asked {
  client: Client
  agent: AgentRow
  redirectUri: string
  resource: string
  scope: string
  challenge: string
}

/** Adds the authorization endpoint of OAuth 2.1 (RFC 6749, 4.1.1, with PKCE), which asks the signed-in person. */
export function addConnectScreens(screens: Screens, now = steadyNow) {
  const findClient = clientFinder(now)

  /** @returns the consent to ask for, or the page or redirect that ends the request. Never redirects to an unregistered address. */
  async function read(c: Context<ApiEnv>, db: Database, session: Session): Promise<Asked | { end: View | Response }> {
    const { person, organizationId } = session
    const sent = (name: string) => {
      const values = c.req.queries(name) ?? []
      return values.length === 1 && !values[0]!.includes('\0') ? values[0]! : ''
    }
    const end = (lead: string | Html) => ({
      end: { title: 'This app can’t be connected', lead, status: 400, content: [] } as View,
    })
    const client = await findClient(db, sent('client_id')).catch((error) => {
      if (error instanceof ClientRefused) return error
      throw error
    })
    if (client instanceof ClientRefused) return end(client.message)
    const redirectUri = sent('redirect_uri')
    if (!isRegistered(redirectUri, client.redirectUris))
      return end('It wants to send you to an address that isn’t its own.')

    // A stranger's app would send people anywhere by a wrong request, without their consent (RFC 9700, 4.11.2).
    const isTrusted = client.host && (!redirectUri.startsWith('https:') || !isElsewhere(client, redirectUri))
    const refuse = (error: string, error_description: string) =>
      isTrusted
        ? { end: back(c, redirectUri, { error, error_description }) }
        : end(`Its request is invalid: ${error_description}.`)
    if (sent('response_type') !== 'code') return refuse('unsupported_response_type', 'response_type must be code')
    const challenge = sent('code_challenge')
    if (sent('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
      return refuse('invalid_request', 'PKCE is required: code_challenge, with code_challenge_method S256')
    const resource = canonical(sent('resource'))
    const id = resource.split('/').at(-3)
    if (!v.is(agentId, id) || resource !== resourceOf(c.req, id))
      return refuse(
        'invalid_target',
        'resource must be the address of an agent’s MCP server, which ends in /connect/mcp',
      )
    const wanted = c.req.query('scope') ? sent('scope').split(' ') : [searchScope]
    const scope = scopes.filter((each) => wanted.includes(each)).join(' ')
    if (scope === '') return refuse('invalid_scope', `scope must name at least one of: ${scopes.join(' ')}`)
    if (!person) return end('Sign in with your mail address. You can’t connect apps while you’re signed in with a key.')
    const agent = await getAgent(db, { organizationId, agentId: id as AgentId }).catch((error) => {
      if (!(error instanceof ApiError && error.code === 'agent_not_found')) throw error
    })
    if (agent && (await hasAllConnections(db, { organizationId, personId: session.id })))
      return end(`You’ve connected ${maxPerPerson} apps, which is the limit. Disconnect some in Settings first.`)
    if (agent) return { client, agent, redirectUri, resource, scope, challenge }
    if (person.organizations < 2) return end(`${session.organizationName} has no such agent.`)
    const other = withQuery(organizationsPath, { to: `${path}${new URL(c.req.url).search}` })
    return end(html`${session.organizationName} has no such agent. <a href="${other}">Choose another organization</a>`)
  }

  screens
    .get(path, { permission }, async ({ c, db, session }) => {
      const asked = await read(c, db, session)
      if ('end' in asked) return asked.end
      const { protocol, origin } = new URL(asked.redirectUri)
      allowed.set(c.req.raw, origin === 'null' ? protocol : origin)
      return consentView(asked, session)
    })
    .post(path, { permission, form: decision }, async ({ c, db, session, scope: { organizationId }, form }) => {
      const asked = await read(c, db, session)
      if ('end' in asked) return asked.end
      const { agent, ...consent } = asked
      if (valid(form).decision === 'deny') return back(c, consent.redirectUri, { error: 'access_denied' })
      const personId = session.id
      const code = await openConnection(db, { ...consent, organizationId, agentId: agent.id as AgentId, personId })
      return back(c, consent.redirectUri, { code })
    })
}

/** Redirects to the app, which checks `state` and `iss` (RFC 9207). */
function back(c: Context<ApiEnv>, redirectUri: string, answer: Record<string, string>): Response {
  const url = new URL(redirectUri)
  const state = c.req.query('state')
  const parameters = { ...answer, ...(state !== undefined && { state }), iss: issuerOf(c.req) }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return c.redirect(url.href, 303)
}

/** True unless the host that vouches for the app gets the answer. */
function isElsewhere(client: Client, redirectUri: string): boolean {
  return new URL(redirectUri).hostname !== client.host?.replace(/:\d+$/, '')
}

function consentView({ client, agent, redirectUri }: Asked, session: Session): View {
  const { host, protocol } = new URL(redirectUri)
  const isLocal = protocol === 'http:'
  const target = isLocal
    ? `a program on this computer (${host})`
    : protocol === 'https:'
      ? host
      : `an app on this device (${protocol})`
  const name = client.name && client.name !== client.host ? html` It calls itself “${client.name}”.` : ''
  const who = client.host
    ? html`<strong>${client.host}</strong> wants to search what <strong>${agent.name}</strong> of ${session.organizationName} knows.${name}`
    : html`An app wants to search what <strong>${agent.name}</strong> of ${session.organizationName} knows.${name} Nobody has checked who it is.`
  return {
    title: client.host ? `Connect ${client.host}?` : 'Connect this app?',
    content: html`<section class="panel sheet"><p>${who}</p>
<p>It can read the documents of this agent and change nothing. You can end this in Settings at any time.</p>
<p class="${isElsewhere(client, redirectUri) ? 'notice warn' : 'hint'}">You’ll be sent back to ${target}. Continue only if you’ve just started this there.</p>
<form method="post"><div class="actions"><button name="decision" value="allow">Connect</button> <button class="plain" name="decision" value="deny">Cancel</button></div></form></section>`,
  }
}
