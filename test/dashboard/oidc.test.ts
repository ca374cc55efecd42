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

/** A browser of somebody who has signed in at the provider, a new member unless named, and the path to which it goes back. */
async function returning(given: { account?: string; to?: string; visitor?: Browser } = {}) {
  const { account = await newMember(), to, visitor = newVisitor() } = given
  return { visitor, back: await authorize(await start(visitor, to), account) }
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
    const visitor = newVisitor()
    const page = await visitor.get('/dashboard/sign-in?to=/dashboard/settings')
    expect(page.html).toContain(`<a class="button" href="${path}?to=%2Fdashboard%2Fsettings">Sign in with Example</a>`)
    const { back } = await returning({ to: '/dashboard/settings', visitor })
    expect(await visitor.get(back)).toMatchObject({ status: 303, headers: { location: '/dashboard/settings' } })
    expect(await visitor.get('/dashboard/settings')).toMatchObject({ status: 200 })
    expect(visitor.jar.has(cookieName)).toBe(false)
  })

  test('keeps its state for ten minutes in a cookie that no script can read, and uses PKCE', async () => {
    const { headers, cookies } = await newVisitor().get(path)
    expect(cookies).toEqual([
      expect.stringMatching(
        /^cuecard_oidc=[\w-]+; Max-Age=600; Path=\/dashboard\/sign-in; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
    const { origin: at, searchParams } = new URL(headers.location!)
    const random = expect.stringMatching(/^.{43}$/)
    expect(at).toBe(issuer)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'cuecard',
      response_type: 'code',
      scope: 'openid email',
      redirect_uri: `${origin}${path}/callback`,
      state: random,
      nonce: random,
      code_challenge: random,
      code_challenge_method: 'S256',
    })
  })

  test('lets a member of several organizations choose', async () => {
    const account = await newMember(await newMember())
    const { visitor, back } = await returning({ account })
    expect((await visitor.get(back)).headers.location).toMatch(/^\/dashboard\/organizations/)
  })

  test('redirects to no other site', async () => {
    const to = 'https://evil.example/'
    const [asked, changed] = [await returning({ to }), await returning()]
    changeCookie(changed.visitor, { to })
    for (const { visitor, back } of [asked, changed])
      expect((await visitor.get(back)).headers.location).toBe('/dashboard')
  })

  test('works again after a rejected client secret is replaced', async () => {
    let clientSecret = 'old'
    const replaced = (rejected?: string) => {
      if (rejected === 'old') clientSecret = 's:cret'
      return Promise.resolve(clientSecret)
    }
    const visitor = newVisitor({ ...configuredOidc()!, clientSecret: replaced })
    for (const expected of [unproven, { status: 303 }])
      expect(await visitor.get((await returning({ visitor })).back)).toMatchObject(expected)
  })

  test('shows the provider’s reason for a refusal', async () => {
    const visitor = newVisitor()
    const state = new URL(await start(visitor)).searchParams.get('state')!
    const said = { error: 'access_denied', error_description: '<b>Not today</b>', state, iss: issuer }
    const page = await visitor.get(`${path}/callback?${new URLSearchParams(said)}`)
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining('Example says: <b>Not today</b>') })
    expect(page.html).not.toContain('<b>')
  })

  test.each([
    ['is down', () => ({ OIDC_ISSUER: 'http://127.0.0.1:9' })],
    ['names another issuer', () => ({ OIDC_ISSUER: issuer.replace('127.0.0.1', 'localhost') })],
    ['would be called over http, and loopback is not allowed', () => ({ ALLOW_LOOPBACK: 'false' })],
  ])('answers 503 if the provider %s', async (_, changes) => {
    for (const [name, value] of Object.entries(changes())) vi.stubEnv(name, value)
    expect(await newVisitor().get(path)).toMatchObject({ status: 503, cookies: [] })
  })
})

describe('nobody gets in', () => {
  test('by a link with the state of another browser', async () => {
    const { back } = await returning()
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
    const { visitor, back } = await returning()
    changeCookie(visitor, change)
    expect(await visitor.get(back)).toMatchObject(unproven)
    await expectNobody(visitor)
  })

  const unverifiedAddress = 'hasn’t verified your mail address'
  test.each([
    ['of somebody who is no member', () => 'eve@example.com', 'eve@example.com isn’t a member'],
    ['that the provider has not verified', (mail: string) => mail, unverifiedAddress],
    ['that only looks like a member’s', (mail: string) => mail.replace('k', '%E2%84%AA'), unverifiedAddress],
  ])('with an address %s, which the page says', async (what, accountOf, says) => {
    const mail = await newMember(`kim-${newId()}@example.com`)
    if (what.includes('verified')) unverified.add(mail)
    const { visitor, back } = await returning({ account: accountOf(mail) })
    expect(await visitor.get(back)).toMatchObject({ status: 403, text: expect.stringContaining(says) })
    await expectNobody(visitor)
  })

  test.each(['https://evil.example', undefined])('by the answer of another issuer, which says %s', async (iss) => {
    const { visitor, back } = await returning()
    const changed = new URL(back, origin)
    if (iss) changed.searchParams.set('iss', iss)
    else changed.searchParams.delete('iss')
    expect(await visitor.get(changed.pathname + changed.search)).toMatchObject(unproven)
    await expectNobody(visitor)
  })

  test('with a code that was already used', async () => {
    const { visitor, back } = await returning()
    const kept = visitor.jar.get(cookieName)!
    expect(await visitor.get(back)).toMatchObject({ status: 303 })
    const thief = newVisitor()
    thief.jar.set(cookieName, kept)
    expect(await thief.get(back)).toMatchObject(unproven)
    await expectNobody(thief)
  })
})
