import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { expect } from 'vitest'
import { dashboardApp } from '../../functions/dashboard/app.ts'
import { addPerson } from '../../infra/admin/people.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { lambdas } from '../../infra/wiring.ts'
import type { Database } from '../../shared/database/database.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { configuredPresigner } from '../../shared/files/presigner.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import type { Permission, Role } from '../../shared/organizations/permissions.ts'
import { signInAs } from '../../shared/organizations/sessions.ts'
import { type Tenant, type TestStand, useStand } from '../support/stand/stand.ts'
import { databaseAs, keptQueue } from '../support/stand/worker.ts'

export interface Page {
  status: number
  headers: Record<string, string>
  /** The text that a person reads: without tags, and with white space as one space. */
  text: string
  html: string
  /** Set-Cookie headers, whole. */
  cookies: string[]
}

/** The fields of a form; several values of one name for check boxes. */
export type FormFields = Record<string, string | readonly string[]>

/** A browser without scripts, with a jar of cookies, which calls the dashboard's Lambda with raw events. */
export interface Browser {
  get: (path: string, headers?: Record<string, string>) => Promise<Page>
  /** A form of one of our pages, as fields or as it is sent; `headers` may say that it came from elsewhere. */
  post: (path: string, fields?: FormFields | string, headers?: Record<string, string>) => Promise<Page>
  /** Posts, and follows the redirect. @throws Error if the answer is not 303 */
  submit: (path: string, fields?: FormFields) => Promise<Page>
  /** Requests a part of a screen like htmx. */
  part: (path: string) => Promise<Page>
  jar: Map<string, string>
}

type Handler = ReturnType<typeof lambdaHandler>

export interface SignedIn extends Tenant {
  browser: Browser
}

/** A stand for one test file, with a dashboard on it. */
export function useDashboard() {
  const stand = useStand()
  return {
    stand,
    /** The browser of somebody who has not signed in. */
    browser: (sourceIp?: string) => newBrowser(stand, sourceIp),
    /** A new organization with an agent and a key of these permissions (all by default), and a browser that has signed in with it. */
    async signedIn(granted?: Permission[]): Promise<SignedIn> {
      const tenant = await stand.tenant(granted)
      return { ...tenant, browser: await signIn(newBrowser(stand), tenant.apiKey) }
    },
    /** A new member of the tenant's organization, who has signed in. */
    member: ({ organizationId }: Pick<Tenant, 'organizationId'>, role?: Role, mail?: string) =>
      signInAsPerson(newBrowser(stand), stand.db, organizationId, role, mail),
  }
}

/** Makes a person a member and signs in as them. @param db as the owner */
export async function signInAsPerson(
  browser: Browser,
  db: Database,
  organizationId: string,
  role: Role = 'owner',
  mail = `${newId()}@example.com`,
): Promise<{ browser: Browser; id: string; mail: string }> {
  const organization = organizationId as OrganizationId
  const { id } = await addPerson(db, { organization, mail, role })
  const opened = await signInAs(db, mail, organization)
  if (opened.outcome !== 'opened') throw new Error(`${mail} is no member`)
  browser.jar.set('cuecard_session', opened.token)
  return { browser, id, mail }
}

export async function signIn(browser: Browser, apiKey: string): Promise<Browser> {
  const { status, text } = await browser.post('/dashboard/sign-in', { key: apiKey })
  if (status !== 303) throw new Error(`Signing in was answered with ${status}: ${text}`)
  return browser
}

/** @param own the test's own dashboard, used instead of the stand's */
export function newBrowser(stand: TestStand, sourceIp = '192.0.2.1', own?: Handler): Browser {
  const jar = new Map<string, string>()

  async function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Page> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const origin = { host: 'app.example.com', 'x-forwarded-proto': 'https' }
    const sent = { headers: { ...origin, ...(cookie && { cookie }), ...headers }, ...(body !== undefined && { body }) }
    const event = toEvent({ method, url: path, sourceIp, ...sent }, lambdas.dashboard.routes)
    if (!event) throw new Error(`No route of the dashboard leads to ${path}`)
    const route = stand.functions.routes.find(({ functionName }) => functionName === 'dashboard')!
    const settings = { functionName: 'dashboard', timeoutSeconds: route.timeoutSeconds! }
    const result = (await invoke(own ?? route.handler, event, settings)) as APIGatewayProxyStructuredResultV2
    const cookies = result.cookies ?? []
    for (const each of cookies) store(jar, each)
    const bytes = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8')
    const html = (result.headers?.['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
    const said = result.headers as Record<string, string>
    return { status: result.statusCode!, headers: said, html, text: textOf(html), cookies }
  }

  const browser: Browser = {
    jar,
    get: (path, headers = {}) => send('GET', path, headers),
    post: (path, fields = {}, headers = { 'sec-fetch-site': 'same-origin' }) => {
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      return send('POST', path, { ...type, ...headers }, typeof fields === 'string' ? fields : encodeForm(fields))
    },
    async submit(path, fields) {
      const { status, headers, text } = await browser.post(path, fields)
      if (status !== 303) throw new Error(`POST ${path} was answered with ${status}: ${text}`)
      return await browser.get(headers.location!)
    },
    part: (path) => send('GET', path, { 'hx-request': 'true', 'hx-request-type': 'partial' }),
  }
  return browser
}

/** A browser of a dashboard of the test's own, made of the usual parts and these. */
export function browserOf(stand: TestStand, parts: Partial<Parameters<typeof dashboardApp>[0]>): Browser {
  const app = dashboardApp({
    db: databaseAs('cuecard_dashboard'),
    queue: keptQueue().queue,
    presigner: configuredPresigner(),
    embedder: lexicalEmbedder(),
    ...parts,
  })
  return newBrowser(stand, undefined, lambdaHandler(app))
}

function encodeForm(fields: FormFields): string {
  const entries = Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))
  return new URLSearchParams(entries as [string, string][]).toString()
}

function store(jar: Map<string, string>, setCookie: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? []
  if (/;\s*max-age=0(;|$)/i.test(setCookie)) jar.delete(name)
  else jar.set(name, value)
}

function textOf(html: string): string {
  const body = html.replace(/<head>.*?<\/head>/s, '').replaceAll(/<template.*?<\/template>/gs, '')
  return plain(body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')).trim()
}

const entities = { amp: '&', quot: '"', '#39': "'", lt: '<', gt: '>' }

/** The text that this HTML stands for. */
export const plain = (html: string) =>
  html.replaceAll(/&(amp|quot|#39|lt|gt);/g, (_, name: keyof typeof entities) => entities[name])

/** Names and addresses of links. */
export const linksIn = (html: string) =>
  [...html.matchAll(/<a(?: class="[^"]*")? href="([^"]*)"[^>]*>([^<]*)/g)].map(
    ([, path, name]) => [plain(name!), plain(path!)] as const,
  )

/** The address of the first link with this name. @throws TypeError without one */
export const linkIn = (html: string, name: string) => linksIn(html).find(([each]) => each === name)![1]

/** Expects that a form was refused, with this message at the field. */
export function expectFault({ status, html }: Page, field: string, message: string): void {
  const fault = html.split(`<p id="${field}-fault" class="fault">`)[1]?.split('</p>')[0]
  expect([status, textOf(fault ?? '')]).toEqual([422, message])
}
