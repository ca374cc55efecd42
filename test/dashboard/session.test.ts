import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { throttled } from '../../functions/dashboard/session/sign-in.ts'
import { hashKey, newKey } from '../../shared/http/api-keys.ts'
import { maxFailures, windowSeconds } from '../../shared/organizations/sessions.ts'
import { rejectedKeys } from '../support/stand/tenant.ts'
import { type Browser, browserOf, expectFault, signIn, useDashboard } from './support.ts'

const { stand, browser, signedIn } = useDashboard()
const path = '/dashboard/sign-in'
const toSignIn = { status: 303, headers: { location: path } }

const sessions = (organizationId: string) =>
  stand.db.selectFrom('sessions').selectAll().where('organization_id', '=', organizationId).execute()

describe('signing in', () => {
  test('with a key leads to the agents of its organization, or back to the requested screen or the screen of the form', async () => {
    const tenant = await stand.tenant()
    const mine = browser()
    const home = { status: 303, headers: { location: '/dashboard' } }
    expect(await mine.get('/dashboard')).toMatchObject(toSignIn)
    expect(await mine.post(path, { key: ` ${tenant.apiKey}\n` })).toMatchObject(home)
    expect(await mine.get('/dashboard')).toMatchObject({ status: 200, text: expect.stringContaining('Agent') })
    expect(await mine.get(path)).toMatchObject(home)
    mine.jar.clear()

    const url = `/dashboard/agents/${tenant.agentId}/documents?status=error`
    const { headers } = await mine.get(url)
    expect(headers.location).toBe(`${path}?to=${encodeURIComponent(url)}`)
    const form = await mine.get(headers.location!)
    expect(form.html).toContain(`name="to" value="${url}"`)
    expect((await mine.post(path, { key: tenant.apiKey, to: url })).headers.location).toBe(url)
    const from = { 'sec-fetch-site': 'same-origin', referer: 'https://app.example.com/dashboard/settings' }
    const sent = await browser().post('/dashboard/settings/auto-delete', {}, from)
    expect(sent.headers.location).toBe(`${path}?to=%2Fdashboard%2Fsettings`)
  })

  test.each([
    ...'https://evil.example https://evil.example/dashboard/settings //evil.example/dashboard'.split(' '),
    ...'/dashboard//evil.example /dashboard/../../evil /dashboardevil /dashboard.evil.example'.split(' '),
    ...'javascript:alert(1) /v1/docs /dashboard/sign-in /dashboard/sign-out? /dashboard/assets/x.js'.split(' '),
    'http://[',
    ...['/\\evil.example', '\\\\evil.example/dashboard'],
  ])('never leads to %s', async (to) => {
    const tenant = await stand.tenant()
    const { headers } = await browser().post(path, { key: tenant.apiKey, to })
    expect(headers.location).toMatch(/^\/dashboard($|\/(settings$|\/evil\.example$))/)
    expect(new URL(headers.location!, 'https://app.example.com').host).toBe('app.example.com')
  })

  test('sets a cookie that no script and no other site can use, and that is secret in the database too', async () => {
    const { organizationId, apiKey } = await stand.tenant()
    const { cookies } = await browser().post(path, { key: apiKey })
    const [, token = '', attributes = ''] = /^cuecard_session=([^;]+); (.*)$/.exec(cookies[0]!) ?? []
    expect(cookies).toHaveLength(1)
    const expected = 'HttpOnly Max-Age=43200 Path=/dashboard SameSite=Lax Secure'
    expect(attributes.split('; ').toSorted().join(' ')).toBe(expected)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const stored = await sessions(organizationId)
    expect(stored).toMatchObject([{ token_hash: hashKey(token) }])
    expect(JSON.stringify(stored)).not.toContain(JSON.stringify(Buffer.from(token, 'base64url')))
    const hours = (stored[0]!.expires_at.getTime() - stored[0]!.created_at.getTime()) / 3_600_000
    expect(hours).toBeCloseTo(12)
  })

  test.each([
    ['http://127.0.0.1:8787', '127.0.0.1:8787', false],
    ['http://127.0.0.1:8787', 'localhost:8787', false],
    ['http://127.0.0.1:8787', 'evil.example', false],
    ['https://127.0.0.1:8787', '127.0.0.1:8787', true],
    ['https://app.example.com', '127.0.0.1:8787', true],
    ['https://app.example.com', 'app.example.com', true],
    ['http://app.example.com', 'app.example.com', true],
    ['http://127.0.0.1.evil.example', '127.0.0.1', true],
  ])('of the stand at %s has a secure cookie for %s: %s', async (ORIGIN, host, isSecure) => {
    const { apiKey } = await stand.tenant()
    process.env.ORIGIN = ORIGIN
    onTestFinished(stand.restoreEnvironment)
    const headers = { host, 'x-forwarded-proto': 'http', 'sec-fetch-site': 'same-origin' }
    const { cookies } = await browser().post(path, { key: apiKey }, headers)
    expect(/; Secure(;|$)/.test(cookies[0]!)).toBe(isSecure)
  })

  test('is refused for keys that are unknown, revoked or expired, and says the same of all', async () => {
    const { organizationId } = await stand.tenant()
    const pages = []
    for (const key of await rejectedKeys(stand.db, organizationId))
      pages.push(await browser('198.51.100.1').post(path, { key, to: '/dashboard/settings' }))
    for (const page of pages) {
      expectFault(page, 'key', 'This key doesn’t work. It may have expired or been revoked. Ask for a new one.')
      expect([page.cookies, page.html]).toEqual([[], pages[0]!.html])
      expect(page.html).toContain('value="/dashboard/settings"')
    }
    expect(await sessions(organizationId)).toEqual([])
  })

  test('says that a malformed key was not copied completely, without asking the database', async () => {
    const { apiKey } = await stand.tenant()
    const mine = browser('198.51.100.2')
    const malformed = [apiKey.slice(0, -1), `${apiKey}x`, `${apiKey} ${apiKey}`, 'open sesame', 'cue_', '💥']
    for (let i = 0; i < maxFailures; i += malformed.length)
      for (const key of malformed) {
        const page = await mine.post(path, { key })
        expectFault(page, 'key', 'This key is incomplete. Copy it again, from cue_ to its last character.')
        expect(page.html).not.toContain(`value="${key}`)
      }
    expectFault(await mine.post(path, {}), 'key', 'Enter your access key.')
    expect((await mine.post(path, { key: [apiKey, apiKey] })).status).toBe(422)
    expect(await attemptsOf('198.51.100.2/32')).toEqual([])
    await signIn(mine, apiKey)
  })
})

const attemptsOf = (source: string) =>
  stand.db.selectFrom('sign_in_attempts').select('failures').where('source', '=', source).execute()

describe('an address that fails too often', () => {
  /** Sends that many wrong keys at once. @returns how many are answered so */
  const fail = async (mine: Browser, times: number, status: 422 | 429 = 422) => {
    const pages = await Promise.all(Array.from({ length: times }, () => mine.post(path, { key: newKey() })))
    return pages.filter((page) => page.status === status).length
  }

  test('must wait, even with a valid key, while others sign in, and may then try again', async () => {
    const { apiKey } = await stand.tenant()
    const mine = browser('203.0.113.7')
    for (let i = 0; i < maxFailures; i++) await signIn(mine, apiKey)
    expect(await fail(mine, maxFailures + 10)).toBe(maxFailures)
    expect(await fail(mine, 10, 429)).toBe(10)
    const { status, text, headers, cookies } = await mine.post(path, { key: apiKey })
    expect([status, cookies, text]).toEqual([429, [], expect.stringContaining(throttled(10))])
    const seconds = Number(headers['retry-after'])
    expect(seconds).toBeGreaterThan(windowSeconds - 120)
    expect(seconds).toBeLessThanOrEqual(windowSeconds)
    await signIn(browser('203.0.113.8'), apiKey)
    await sql`update sign_in_attempts set since = since - make_interval(secs => ${windowSeconds})
      where source = '203.0.113.7'`.execute(stand.db)
    await signIn(mine, apiKey)
  })

  test('includes its whole IPv6 network, which one customer has', async () => {
    const { apiKey } = await stand.tenant()
    for (let i = 0; i < maxFailures; i++) await fail(browser(`2001:db8:0:1::${i.toString(16)}`), 1)
    expect((await browser('2001:db8::1:dead:beef:0:1').post(path, { key: apiKey })).status).toBe(429)
    await signIn(browser('2001:db8:0:2::1'), apiKey)
  })
})

describe('a session', () => {
  test('is one of the newest 20 of its key: older ones end', async () => {
    const { apiKey, organizationId } = await stand.tenant()
    const browsers = []
    for (let i = 0; i < 21; i++) browsers.push(await signIn(browser(), apiKey))
    expect(await sessions(organizationId)).toHaveLength(20)
    const [first, second, ...others] = browsers
    expect(await first!.get('/dashboard')).toMatchObject(toSignIn)
    for (const each of [second!, others.at(-1)!]) expect((await each.get('/dashboard')).status).toBe(200)
    await Promise.all(Array.from({ length: 8 }, () => signIn(browser(), apiKey)))
    expect(await sessions(organizationId)).toHaveLength(20)
  })

  test('ends by signing out, for whoever has its cookie', async () => {
    const { browser: mine, organizationId } = await signedIn()
    const token = mine.jar.get('cuecard_session')!
    const { cookies, headers } = await mine.post('/dashboard/sign-out')
    expect(cookies).toEqual([expect.stringMatching(/^cuecard_session=; Max-Age=0; Path=\/dashboard;/)])
    expect(headers.location).toBe(path)
    expect(await sessions(organizationId)).toEqual([])
    mine.jar.set('cuecard_session', token)
    expect(await mine.get('/dashboard')).toMatchObject(toSignIn)
    expect((await mine.get(path)).text).toContain('Your session has ended. Sign in to continue.')
  })

  test('ends with its time and with its organization, and is deleted by the sweeper, like the failures of a window that is over', async () => {
    const [ended, lasting, dropped] = [await signedIn(), await signedIn(), await signedIn()]
    await browser('203.0.113.20').post(path, { key: newKey() })
    await browser('203.0.113.21').post(path, { key: newKey() })
    await sql`update sessions set expires_at = now() where organization_id = ${ended.organizationId}`.execute(stand.db)
    await sql`delete from organizations where id = ${dropped.organizationId}`.execute(stand.db)
    for (const { browser: mine } of [ended, dropped]) expect(await mine.get('/dashboard')).toMatchObject(toSignIn)
    await sql`update sign_in_attempts set since = since - make_interval(secs => ${windowSeconds})
      where source = '203.0.113.20'`.execute(stand.db)
    await stand.sweep()
    expect(await sessions(ended.organizationId)).toEqual([])
    expect(await sessions(lasting.organizationId)).toHaveLength(1)
    expect(await attemptsOf('203.0.113.20/32')).toEqual([])
    expect(await attemptsOf('203.0.113.21/32')).toEqual([{ failures: 1 }])
  })
})

test('on a stage without sign-in by key, the page has no field for one, one that is sent is refused, and a session of one has ended', async () => {
  const { apiKey, organizationId } = await stand.tenant()
  const mine = browserOf(stand, {})
  const { html, text } = await mine.get(path)
  expect(html).not.toContain('name="key"')
  expect(text).toContain('Nobody can sign in here yet')
  expect(await mine.post(path, { key: apiKey })).toMatchObject({ status: 403, cookies: [] })
  expect(await sessions(organizationId)).toEqual([])
  const before = await signIn(browser(), apiKey)
  for (const [name, value] of before.jar) mine.jar.set(name, value)
  expect(await mine.get('/dashboard')).toMatchObject(toSignIn)
  expect(await before.get('/dashboard')).toMatchObject({ status: 200 })
})
