import { createHash } from 'node:crypto'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { beforeAll } from 'vitest'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { type Browser, newBrowser, type Page, signInAsPerson, useDashboard } from '../dashboard/support.ts'
import { listen } from '../support/http/loopback.ts'
import type { Tenant } from '../support/stand/stand.ts'

export const origin = 'https://app.example.com'
export const issuer = `${origin}/connect`
export const verifier = 'v'.repeat(43)
export const challenge = challengeOf(verifier)
export const callback = 'http://localhost:1234/callback'

export function challengeOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

export interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect of it
  body: any
}

interface Served {
  body: string
  type?: string
  status?: number
  headers?: Record<string, string>
}

/** A stand for one test file, with members, and with apps that publish their client metadata. */
export function useConnect() {
  const { stand, browser } = useDashboard()
  const documents = new Map<string, Served>()
  let appOrigin = ''
  beforeAll(async () => {
    process.env.ALLOW_LOOPBACK = 'true'
    const missing = { body: '', status: 404 }
    const server = await listen(({ url }, response) => {
      const { body, type = 'application/json', status = 200, headers = {} }: Served = documents.get(url!) ?? missing
      response.writeHead(status, { 'content-type': type, ...headers }).end(body)
    })
    appOrigin = server.origin
    return server.close
  })

  /** A request to the stand's origin, as a raw event through the Lambda that serves its route. */
  async function send(
    method: string,
    url: string,
    body?: string,
    headers: Record<string, string> = {},
    sourceIp = '192.0.2.1',
  ) {
    const path = url.replace(origin, '')
    const routes = stand.functions.routes.map(({ route }) => route)
    const sent = { host: 'app.example.com', 'x-forwarded-proto': 'https', ...headers }
    const event = toEvent({ method, url: path, headers: sent, sourceIp, ...(body !== undefined && { body }) }, routes)!
    const { handler, functionName, timeoutSeconds } = stand.functions.routes.find(({ route }) =>
      [route, `ANY ${route}`].includes(event.routeKey),
    )!
    const settings = { functionName: functionName!, timeoutSeconds: timeoutSeconds! }
    const result = (await invoke(handler, event, settings)) as APIGatewayProxyStructuredResultV2
    const text = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8').toString()
    const said = new Headers(result.headers as Record<string, string>)
    const isJson = /json/.test(said.get('content-type') ?? '')
    return { status: result.statusCode!, headers: said, body: isJson && text ? JSON.parse(text) : text } satisfies Reply
  }

  const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = (path: string, fields: Record<string, string>, sourceIp?: string) =>
    send('POST', path, `${new URLSearchParams(fields)}`, urlEncoded, sourceIp)

  /** A browser in which a new member has signed in. */
  const member = ({ organizationId }: Tenant) => signInAsPerson(newBrowser(stand), stand.db, organizationId, 'viewer')

  /** A new member of a new organization. */
  async function newMember() {
    const tenant = await stand.tenant()
    return { tenant, ...(await member(tenant)) }
  }

  let served = 0
  /** An app that publishes its client metadata. @returns its id */
  function app(more: object = {}, answer: object = {}): string {
    const path = `/app-${served++}/client.json`
    const id = `${appOrigin}${path}`
    const body = JSON.stringify({ client_id: id, client_name: 'An assistant', redirect_uris: [callback], ...more })
    documents.set(path, { body, ...answer })
    return id
  }

  const resourceOf = ({ agentId }: Tenant) => `${origin}/v1/agents/${agentId}/connect/mcp`

  /** The address to which an app leads the person. */
  function authorizeUrl(tenant: Tenant, clientId: string, more: Record<string, string | undefined> = {}): string {
    const asked = { response_type: 'code', client_id: clientId, redirect_uri: callback, resource: resourceOf(tenant) }
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
    const parameters = { ...asked, ...pkce, state: 's1', scope: 'kb:read', ...more }
    const sent = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined)
    return `/dashboard/connect?${new URLSearchParams(sent)}`
  }

  /** The address to which the page redirects, with its parameters. */
  function answerOf({ status, headers }: Page): URLSearchParams & { to: string } {
    const url = URL.parse(headers.location ?? '')
    if (status !== 303 || !url) throw new Error(`It leads nowhere: ${status} ${headers.location}`)
    return Object.assign(url.searchParams, { to: `${url.protocol}//${url.host}${url.pathname}` })
  }

  /** Consents. @returns the code */
  async function consent(browser: Browser, url: string): Promise<string> {
    const page = await browser.get(url)
    if (page.status !== 200) throw new Error(`${page.status} ${page.headers.location ?? page.text}`)
    return answerOf(await browser.post(url, { decision: 'allow' })).get('code')!
  }

  /** A new member who has consented to a new app. */
  async function consented() {
    const made = { ...(await newMember()), clientId: app() }
    return { ...made, code: await consent(made.browser, authorizeUrl(made.tenant, made.clientId)) }
  }

  const exchange = (clientId: string, code: string, more: Record<string, string> = {}) => {
    const grant = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: verifier }
    return form('/connect/token', { ...grant, client_id: clientId, code, ...more })
  }

  const refresh = (clientId: string, refreshToken: string, more: Record<string, string> = {}) =>
    form('/connect/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...more })

  const register = (body: object, sourceIp?: string) =>
    send('POST', '/connect/register', JSON.stringify(body), { 'content-type': 'application/json' }, sourceIp)

  /** Calls the agent's server behind OAuth, or another path. */
  const ask = (token: string | undefined, url: string, headers: Record<string, string> = {}) =>
    send('POST', url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    })

  /** An app with tokens of a new member. @param organization a new one unless given */
  async function connection(more: Record<string, string | undefined> = {}, organization?: Tenant) {
    const tenant = organization ?? (await stand.tenant())
    const person = await member(tenant)
    const clientId = app()
    const { body } = await exchange(clientId, await consent(person.browser, authorizeUrl(tenant, clientId, more)))
    const { access_token: access, refresh_token: refresh }: Record<string, string> = body
    return { tenant, person, clientId, access: access!, refresh: refresh!, body }
  }

  const people = { member, newMember, consent, consented, connection }
  const requests = { send, form, exchange, refresh, register, ask }
  return { stand, browser, app, resourceOf, authorizeUrl, answerOf, ...people, ...requests }
}
