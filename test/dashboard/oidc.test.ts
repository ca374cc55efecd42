import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error: it has no types
import Provider from 'oidc-provider'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { configuredOidc } from '../../functions/dashboard/session/oidc.ts'
import { addPerson } from '../../infra/admin/people.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { type Browser, browserOf, useDashboard } from './support.ts'

const { stand } = useDashboard()
const path = '/dashboard/sign-in/oidc'
const origin = 'https://app.example.com'
const cookieName = 'cuecard_oidc'
const unverified = new Set<string>()
const server = createServer()
let issuer: string

/** A provider whose accounts are named by mail addresses. Its page signs a visitor in as the account in `x-account`. */
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const name of ['info', 'warn'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'cuecard', client_secret: 's:cret', redirect_uris: [`${origin}${path}/callback`] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['test'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: !unverified.has(id) }),
    }),
    async loadExistingGrant(ctx: { oidc: { client: { clientId: string }; session: { accountId: string } } }) {
      const { client, session } = ctx.oidc
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  })
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return provider.callback()(request, response)
    const login = { accountId: decodeURIComponent(String(request.headers['x-account'])) }
    return provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false })
  })
})
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
})

beforeEach(() => {
  const client = { OIDC_CLIENT_ID: 'cuecard', OIDC_CLIENT_SECRET: 's:cret' }
  const settings = { ...client, OIDC_ISSUER: issuer, OIDC_NAME: 'Example', ALLOW_LOOPBACK: 'true' }
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
})

/** A browser of a dashboard with this provider. */
function newVisitor(oidc = configuredOidc()): Browser {
  return browserOf(stand, { oidc })
}

async function newMember(mail = `ada-${newId()}@example.com`): Promise<string> {
  const { organizationId } = await stand.tenant()
  await addPerson(stand.db, { organization: organizationId as OrganizationId, mail, role: 'editor' })
  return mail
}

/** Starts to sign in. @returns the provider's address to go to */
async function start(browser: Browser, to = ''): Promise<string> {
  const { status, headers } = await browser.get(`${path}?to=${encodeURIComponent(to)}`)
  expect(status).toBe(303)
  return headers.location!
}

/** Signs in at the provider. @returns the path to which it redirects */
async function authorize(address: string, account: string): Promise<string> {
  const jar = new Map<string, string>()
  let url = address
  for (let steps = 0; steps < 6 && !url.startsWith(origin); steps++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { headers: { cookie, 'x-account': account }, redirect: 'manual' })
    for (const each of response.headers.getSetCookie())
      jar.set(...(/^([^=]+)=([^;]*)/.exec(each)!.slice(1, 3) as [string, string]))
    url = new URL(response.headers.get('location') ?? '', url).href
  }
  return url.slice(origin.length)
}

function changeCookie(browser: Browser, change: object): void {
  const kept = JSON.parse(Buffer.from(browser.jar.get(cookieName)!, 'base64url').toString())
  browser.jar.set(cookieName, Buffer.from(JSON.stringify({ ...kept, ...change })).toString('base64url'))
}

const unproven = { status: 422, text: expect.stringContaining('Example’s response couldn’t be verified.') }

async function expectNobody(browser: Browser): Promise<void> {
  expect(browser.jar.has('cuecard_session')).toBe(false)
  expect(await browser.get('/dashboard')).toMatchObject({ status: 303, headers: { location: '/dashboard/sign-in' } })
}

describe('signing in with an account of a provider', () => {
  test('leads to the requested screen, as the member with its address', async () => {
    const mail = await newMember()
    const visitor = newVisitor()
    const page = await visitor.get('/dashboard/sign-in?to=/dashboard/calls')
    expect(page.html).toContain(`<a class="button" href="${path}?to=%2Fdashboard%2Fcalls">Sign in with Example</a>`)
    const back = await authorize(await start(visitor, '/dashboard/calls'), mail)
    expect(await visitor.get(back)).toMatchObject({ status: 303, headers: { location: '/dashboard/calls' } })
    expect(await visitor.get('/dashboard/calls')).toMatchObject({ status: 200 })
    expect(visitor.jar.has(cookieName)).toBe(false)
  })

  test('keeps its state for ten minutes in a cookie that no script can read, and uses PKCE', async () => {
    const visitor = newVisitor()
    const { headers, cookies } = await visitor.get(path)
    expect(cookies).toEqual([
      expect.stringMatching(
        /^cuecard_oidc=[\w-]+; Max-Age=600; Path=\/dashboard\/sign-in; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
    const { origin: at, searchParams } = new URL(headers.location!)
    expect(at).toBe(issuer)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'cuecard',
      response_type: 'code',
      scope: 'openid email',
      redirect_uri: `${origin}${path}/callback`,
      state: expect.stringMatching(/^.{43}$/),
      nonce: expect.stringMatching(/^.{43}$/),
      code_challenge: expect.stringMatching(/^.{43}$/),
      code_challenge_method: 'S256',
    })
  })

  test('lets a member of several organizations choose', async () => {
    const mail = await newMember()
    await newMember(mail)
    const visitor = newVisitor()
    const back = await authorize(await start(visitor), mail)
    expect((await visitor.get(back)).headers.location).toMatch(/^\/dashboard\/organizations/)
  })

  test('tells somebody who is no member with which address they signed in', async () => {
    const visitor = newVisitor()
    const page = await visitor.get(await authorize(await start(visitor), 'eve@example.com'))
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining('eve@example.com isn’t a member') })
    await expectNobody(visitor)
  })

  test('redirects to no other site', async () => {
    const mail = await newMember()
    const visitor = newVisitor()
    const first = await authorize(await start(visitor, 'https://evil.example/'), mail)
    expect((await visitor.get(first)).headers.location).toBe('/dashboard')
    const again = newVisitor()
    const second = await authorize(await start(again), mail)
    changeCookie(again, { to: 'https://evil.example/' })
    expect((await again.get(second)).headers.location).toBe('/dashboard')
  })

  test('works again after a rejected client secret is replaced', async () => {
    let clientSecret = 'old'
    const replaced = (rejected?: string) => {
      if (rejected === 'old') clientSecret = 's:cret'
      return Promise.resolve(clientSecret)
    }
    const visitor = newVisitor({ ...configuredOidc()!, clientSecret: replaced })
    const mail = await newMember()
    expect(await visitor.get(await authorize(await start(visitor), mail))).toMatchObject(unproven)
    expect(await visitor.get(await authorize(await start(visitor), mail))).toMatchObject({ status: 303 })
  })

  test('shows the provider’s reason for a refusal', async () => {
    const visitor = newVisitor()
    const state = new URL(await start(visitor)).searchParams.get('state')!
    const said = { error: 'access_denied', error_description: '<b>Not today</b>', state, iss: issuer }
    const page = await visitor.get(`${path}/callback?${new URLSearchParams(said)}`)
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining('Example says: <b>Not today</b>') })
    expect(page.html).not.toContain('<b>')
  })

  test('answers 503 if the provider is down or names another issuer', async () => {
    vi.stubEnv('OIDC_ISSUER', 'http://127.0.0.1:9')
    expect(await newVisitor().get(path)).toMatchObject({ status: 503, cookies: [] })
    vi.stubEnv('OIDC_ISSUER', issuer.replace('127.0.0.1', 'localhost'))
    expect(await newVisitor().get(path)).toMatchObject({ status: 503, cookies: [] })
  })

  test('calls no provider over http if loopback is not allowed', async () => {
    vi.stubEnv('ALLOW_LOOPBACK', 'false')
    expect(await newVisitor().get(path)).toMatchObject({ status: 503, cookies: [] })
  })
})

describe('nobody gets in', () => {
  test('by a link with the state of another browser', async () => {
    const mail = await newMember()
    const attacker = newVisitor()
    const back = await authorize(await start(attacker), mail)
    const victim = newVisitor()
    expect(await victim.get(back)).toMatchObject({ status: 422, text: expect.stringContaining('in another browser') })
    await start(victim)
    expect(await victim.get(back)).toMatchObject(unproven)
    await expectNobody(victim)
  })

  test.each([
    ['token that has the nonce of another sign-in', { nonce: 'another' }],
    ['stolen code without its verifier', { verifier: 'a'.repeat(43) }],
  ])('with a %s', async (_, change) => {
    const visitor = newVisitor()
    const back = await authorize(await start(visitor), await newMember())
    changeCookie(visitor, change)
    expect(await visitor.get(back)).toMatchObject(unproven)
    await expectNobody(visitor)
  })

  test('with an address that the provider has not verified', async () => {
    const mail = await newMember()
    unverified.add(mail)
    const visitor = newVisitor()
    const page = await visitor.get(await authorize(await start(visitor), mail))
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining('hasn’t verified your mail address') })
    await expectNobody(visitor)
  })

  test('with an address that only looks like a member’s', async () => {
    const mail = await newMember(`kim-${newId()}@example.com`)
    const visitor = newVisitor()
    const page = await visitor.get(await authorize(await start(visitor), mail.replace('k', '%E2%84%AA')))
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining('hasn’t verified your mail address') })
    await expectNobody(visitor)
  })

  test.each(['https://evil.example', undefined])('by the answer of another issuer, which says %s', async (iss) => {
    const visitor = newVisitor()
    const back = new URL(await authorize(await start(visitor), await newMember()), origin)
    if (iss) back.searchParams.set('iss', iss)
    else back.searchParams.delete('iss')
    expect(await visitor.get(back.pathname + back.search)).toMatchObject(unproven)
    await expectNobody(visitor)
  })

  test('with a code that was already used', async () => {
    const visitor = newVisitor()
    const back = await authorize(await start(visitor), await newMember())
    const kept = visitor.jar.get(cookieName)!
    expect(await visitor.get(back)).toMatchObject({ status: 303 })
    const thief = newVisitor()
    thief.jar.set(cookieName, kept)
    expect(await thief.get(back)).toMatchObject(unproven)
    await expectNobody(thief)
  })

  test('if the provider rejects the client secret', async () => {
    vi.stubEnv('OIDC_CLIENT_SECRET', 'other')
    const visitor = newVisitor()
    const back = await authorize(await start(visitor), await newMember())
    expect(await visitor.get(back)).toMatchObject(unproven)
    await expectNobody(visitor)
  })
})
