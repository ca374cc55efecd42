import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../shared/ids.ts'
import { signIn } from '../dashboard/support.ts'
import { callback, issuer, origin, useConnect } from './support.ts'

const connect = useConnect()
const { stand, newMember, app, authorizeUrl, answerOf, consent, exchange, refresh, register } = connect

describe('the redirect address', () => {
  const own = [
    'https://app.example/callback',
    callback,
    'http://127.0.0.1/cb',
    'http://[::1]:7/cb',
    'cursor://app/callback',
    'com.example.app:/callback',
    'vscode://vscode.github-authentication/did-authenticate',
  ]

  test.each([
    'https://app.example/callback/',
    'https://app.example/callback?x=1',
    'https://app.example/',
    'https://evil.example/callback',
    'https://app.example.evil.example/callback',
    'https://app.example@evil.example/callback',
    'http://app.example/callback',
    '//evil.example',
    '',
    'javascript:alert(1)',
    'http://localhost:1/other',
    'com.example.app:/other',
    'http://127.0.0.1.evil.example/cb',
    'http://localhost:1234@evil.example/callback',
    'https://localhost:1234/callback',
    `${callback}#x`,
    'cursor://evil/callback',
  ])('%s, which the app has not registered, gets a page and no redirect', async (redirect_uri) => {
    const { tenant, browser } = await newMember()
    const url = authorizeUrl(tenant, app({ redirect_uris: own }), { redirect_uri })
    for (const page of [await browser.get(url), await browser.post(url, { decision: 'allow' })]) {
      expect([page.status, page.headers.location]).toEqual([400, undefined])
      expect(page.html).not.toContain('<form method="post">')
    }
  })

  test.each([...own, 'http://localhost:9/callback', 'http://127.0.0.1:65535/cb', 'http://[::1]/cb'])(
    '%s, which it has registered (with any port on this machine), gets a code',
    async (redirect_uri) => {
      const { tenant, browser } = await newMember()
      const page = await browser.post(authorizeUrl(tenant, app({ redirect_uris: own }), { redirect_uri }), {
        decision: 'allow',
      })
      expect(page.headers.location).toContain(`${redirect_uri}?code=`)
    },
  )

  test.each([
    'javascript:/*/alert(1)',
    'JAVASCRIPT:/alert(1)',
    'data:text/html,x',
    'data:/text/html,x',
    'file:///etc/passwd',
    'blob:https://x.example/1',
    'vbscript:/x',
    'about:/blank',
    'view-source:/x',
    'intent://x',
    'http://app.example/cb',
    'https://user@app.example/cb',
    'https://a;b.example/cb',
    "https://a'b.example/cb",
    'https://app.example/cb#x',
    'cursor:callback',
    'ms-msdt:/id',
    'search-ms:/query=x',
    'shell:/downloads',
    'smb://evil.example/share',
    'ms-officecmd:/x',
    'tel:/4711',
    'mailto:/x',
    'cursor+x:/cb',
    'com.:/cb',
    '.com.example:/cb',
    'relative',
    'https://app.example/\u202ecb',
    'https://app.example/a b',
  ])('%s cannot be registered, by a request or by a document', async (redirect) => {
    const { tenant, browser } = await newMember()
    const redirect_uris = [callback, redirect]
    const address = `2001:db8:${Math.floor(Math.random() * 60_000).toString(16)}::1`
    const refused = { status: 400, body: { error: 'invalid_redirect_uri' } }
    expect(await register({ redirect_uris }, address)).toMatchObject(refused)
    const text = expect.stringContaining('Its document is invalid at “redirect_uris.1”')
    expect(await browser.get(authorizeUrl(tenant, app({ redirect_uris })))).toMatchObject({ status: 400, text })
  })
})

describe('the consent', () => {
  test('cannot be framed or sent from another site, and its policy names only the redirect address', async () => {
    const { tenant, browser } = await newMember()
    const urlOf = (redirect_uri: string) =>
      authorizeUrl(tenant, app({ redirect_uris: [redirect_uri] }), { redirect_uri })
    const headersOf = async (url: string) => (await browser.get(url)).headers
    const policyOf = async (url: string) => (await headersOf(url))['content-security-policy']
    const url = urlOf('https://back.example:444/cb')
    expect(await headersOf(url)).toMatchObject({ 'x-frame-options': 'DENY' })
    expect(await policyOf(url)).toContain("frame-ancestors 'none'")
    expect(await policyOf(url)).toContain("form-action https://back.example:444 'self'")
    expect(await policyOf(urlOf('cursor://x/cb'))).toContain("form-action cursor: 'self'")
    expect(await policyOf('/dashboard/settings')).not.toContain('back.example')
    for (const [name, value] of [
      ['sec-fetch-site', 'cross-site'],
      ['origin', 'https://evil.example'],
      ['origin', 'null'],
    ] as const)
      expect((await browser.post(url, { decision: 'allow' }, { [name]: value })).status).toBe(403)
    const made = sql`select from connections where organization_id = ${tenant.organizationId}`
    expect((await made.execute(stand.db)).rows).toEqual([])
  })

  test('is asked for each time, can be given only by a person, and redirects to the app if it is denied', async () => {
    const { tenant, browser } = await newMember()
    const url = authorizeUrl(tenant, app())
    for (let i = 0; i < 2; i++) await consent(browser, url)
    expect((await browser.get(url)).status).toBe(200)
    const denied = answerOf(await browser.post(url, { decision: 'deny' }))
    expect([denied.get('error'), denied.get('code'), denied.get('iss')]).toEqual(['access_denied', null, issuer])
    const withKey = await signIn(connect.browser(), tenant.apiKey)
    expect((await withKey.get(url)).text).toContain('You can’t connect apps while you’re signed in with a key')
    expect((await withKey.post(url, { decision: 'allow' })).status).toBe(400)
  })

  test('is asked for after signing in, which keeps the whole address', async () => {
    const tenant = await stand.tenant()
    const url = authorizeUrl(tenant, app(), { state: 'x'.repeat(800) })
    const { status, headers } = await connect.browser().get(url)
    expect(status).toBe(303)
    expect(new URL(headers.location!, origin).searchParams.get('to')).toBe(url)
  })

  test('shows that nobody has checked an app that registered itself, and renders its name as text', async () => {
    const { tenant, browser } = await newMember()
    const fake = await register({ redirect_uris: ['https://evil.example/cb'], client_name: 'Claude\u202e' })
    const page = await browser.get(
      authorizeUrl(tenant, fake.body.client_id, { redirect_uri: 'https://evil.example/cb' }),
    )
    expect(page.text).toContain('It calls itself “Claude”. Nobody has checked who it is.')
    expect(page.text).toContain('You’ll be sent back to evil.example')
    const markup = await browser.get(authorizeUrl(tenant, app({ client_name: '<script>alert(1)</script>' })))
    expect(markup.html).not.toContain('<script>alert')
  })

  test('shows what an app calls itself as its own claim, in Settings too, and in no quotation marks of the app’s', async () => {
    const { tenant, browser } = await newMember()
    const { body } = await register(
      { redirect_uris: [callback], client_name: 'claude.ai”. Cuecard has checked it. “' },
      '192.0.2.80',
    )
    const url = authorizeUrl(tenant, body.client_id)
    expect((await browser.get(url)).text).toContain('It calls itself “claude.ai . Cuecard has checked it.”. Nobody')
    await exchange(body.client_id, await consent(browser, url))
    const settings = await browser.get('/dashboard/settings')
    expect(settings.text).toContain('An app that calls itself “claude.ai . Cuecard has checked it.”')
    const end = settings.html.match(/\/dashboard\/settings\/apps\/[\w-]+\/end/)![0]
    expect((await browser.submit(end)).text).toContain(
      'An app that calls itself “claude.ai . Cuecard has checked it.” was disconnected.',
    )
  })

  test.each([
    { response_type: 'none' },
    { response_type: undefined },
    { code_challenge: undefined },
    { resource: 'https://other.example/x' },
    { scope: 'everything' },
  ])('with %j is not an answer for an app that registered itself: the person reads the fault', async (fault) => {
    const { tenant, browser } = await newMember()
    const redirect_uri = 'https://evil.example/cb'
    const { body } = await register(
      { redirect_uris: [redirect_uri] },
      `2001:db8:9:${Math.floor(Math.random() * 60_000).toString(16)}::1`,
    )
    for (const clientId of [body.client_id, app({ redirect_uris: [redirect_uri] })]) {
      const url = authorizeUrl(tenant, clientId, { redirect_uri, ...fault })
      for (const page of [await browser.get(url), await browser.post(url, { decision: 'deny' })]) {
        expect([page.status, page.headers.location]).toEqual([400, undefined])
        expect(page.text).toMatch(/Its request is invalid: \w/)
      }
    }
    expect(answerOf(await browser.get(authorizeUrl(tenant, app(), fault))).get('error')).toMatch(/^\w+$/)
  })

  test('cannot connect more than 50 apps, and Settings shows 50', async () => {
    const { tenant, browser, id } = await newMember()
    const { organizationId, agentId } = tenant
    const insert = (count: number) =>
      sql`insert into connections
        (organization_id, id, person_id, agent_id, client_id, client_name, resource, scope, used_at, expires_at)
      select ${organizationId}, gen_random_uuid(), ${id}, ${agentId}, 'https://a.example/c', 'a.example', 'r', 'kb:read', now(), now() + interval '1 day'
      from generate_series(1, ${count}::int)`.execute(stand.db)
    await insert(49)
    const url = authorizeUrl(tenant, app())
    await consent(browser, url)
    for (const page of [await browser.get(url), await browser.post(url, { decision: 'allow' })])
      expect(page).toMatchObject({ status: 400, text: expect.stringContaining('You’ve connected 50 apps') })
    await insert(250)
    expect((await browser.get('/dashboard/settings')).html.split('/end"').length - 1).toBe(50)
  })

  test('is for an agent of the chosen organization, and links to the choice of another', async () => {
    const other = await stand.tenant()
    const { browser, id } = await newMember()
    const url = authorizeUrl(other, app())
    expect(await browser.get(url)).toMatchObject({
      status: 400,
      text: expect.stringContaining('Test has no such agent.'),
    })
    await sql`insert into memberships (organization_id, person_id, role) values (${other.organizationId}, ${id}, 'viewer')`.execute(
      stand.db,
    )
    const page = await browser.get(url)
    expect(page.html).toContain(`/dashboard/organizations?to=${encodeURIComponent('/dashboard/connect?')}`)
    expect(await browser.post(url, { decision: 'allow' })).toMatchObject({ status: 400 })
  })
})

describe('an app’s document', () => {
  test.each<[string, object, object, string]>([
    ['names another id', { client_id: 'https://claude.ai/client.json' }, {}, 'belongs to another app'],
    ['demands a key', { token_endpoint_auth_method: 'private_key_jwt' }, {}, 'a key or a secret'],
    ['holds a secret', { client_secret: 's' }, {}, 'a key or a secret'],
    ['names no address', { redirect_uris: [] }, {}, 'invalid at “redirect_uris”'],
    ['is not there', {}, { status: 404 }, 'isn’t there'],
    ['leads elsewhere', {}, { status: 302, headers: { location: 'https://evil.example/' } }, 'isn’t there'],
    ['is a page', {}, { type: 'text/html' }, 'isn’t JSON'],
    ['is no JSON', {}, { body: '{' }, 'invalid'],
    ['is too large', { client_uri: 'x'.repeat(10_001) }, {}, 'can’t be read'],
  ])('that %s connects nobody', async (_, more, answer, said) => {
    const { tenant, browser } = await newMember()
    const page = await browser.get(authorizeUrl(tenant, app(more, answer)))
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(said)])
  })

  test.each([
    'https://app.example',
    'https://app.example/',
    'https://app.example/a/../b',
    'https://APP.example/x',
    'https://app.example/x#y',
    'https://user:pw@app.example/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest',
    'https://internal/x',
    'http://app.example/x',
    'made-up',
    '',
    newId(),
  ])('with the address %s is not read', async (id) => {
    const { tenant, browser } = await newMember()
    expect(await browser.get(authorizeUrl(tenant, id))).toMatchObject({ status: 400 })
  })
})

describe('registration', () => {
  test('is bounded for each address, and for each network of IPv6', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 11; i++)
      statuses.push((await register({ redirect_uris: [callback] }, `2001:db8:1:1::${i}`)).status)
    expect(statuses).toEqual([...Array(10).fill(201), 429])
    expect((await register({ redirect_uris: [callback] }, '2001:db8:1:2::1')).status).toBe(201)
  })

  test('keeps ten addresses of 400 characters, for an hour unless it is used', async () => {
    const redirect_uris = Array.from({ length: 10 }, (_, i) => `https://app.example/${i}`.padEnd(400, 'x'))
    const { status, body } = await register({ redirect_uris, client_name: 'x'.repeat(200) }, '192.0.2.81')
    expect(status).toBe(201)
    const { rows } = await sql`select expires_at <= now() + interval '1 hour' as is_short from oauth_clients
      where id = ${body.client_id}`.execute(stand.db)
    expect(rows).toEqual([{ is_short: true }])
  })

  test('keeps the newest 10,000 unused apps, whoever registers them, and all that are used', async () => {
    await sql`insert into oauth_clients (id, name, redirect_uris, source, expires_at)
      select gen_random_uuid(), 'flood', '{https://a.example}', '198.51.100.0/32'::cidr + i, now() + interval '30 minutes' + make_interval(secs => i / 1e3)
      from generate_series(1, 10050) i`.execute(stand.db)
    await sql`insert into oauth_clients (id, name, redirect_uris, expires_at) values (gen_random_uuid(), 'used', '{https://a.example}', now() + interval '1 minute')`.execute(
      stand.db,
    )
    expect((await register({ redirect_uris: [callback] }, '192.0.2.82')).status).toBe(201)
    const { rows } = await sql`select count(*) filter (where source is not null)::int as unused,
      count(*) filter (where name = 'used')::int as used, bool_or(source = '192.0.2.82') as is_there from oauth_clients`.execute(
      stand.db,
    )
    expect(rows).toEqual([{ unused: 10_000, used: 1, is_there: true }])
    await sql`delete from oauth_clients where name in ('flood', 'used')`.execute(stand.db)
  })

  test.each<[object, string]>([
    [{}, 'invalid_redirect_uri'],
    [{ redirect_uris: Array(11).fill(callback) }, 'invalid_redirect_uri'],
    [{ redirect_uris: [`https://a.example/${'x'.repeat(400)}`] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [callback], client_name: 'x'.repeat(201) }, 'invalid_client_metadata'],
  ])('of %j is refused as %s', async (body, error) => {
    expect(await register(body, '192.0.2.77')).toMatchObject({ status: 400, body: { error } })
  })

  test('makes a public client without a secret, whatever is asked for, and expires if unused', async () => {
    const { tenant, browser } = await newMember()
    const asked = { redirect_uris: [callback], token_endpoint_auth_method: 'client_secret_basic', client_name: 'Old' }
    const { body } = await register(asked, '192.0.2.78')
    expect(body).toMatchObject({ token_endpoint_auth_method: 'none', redirect_uris: [callback] })
    expect(body).not.toHaveProperty('client_secret')
    const code = await consent(browser, authorizeUrl(tenant, body.client_id))
    const tokens = await exchange(body.client_id, code)
    const { rows } =
      await sql`select source, expires_at > now() + interval '89 days' as kept from oauth_clients where id = ${body.client_id}`.execute(
        stand.db,
      )
    expect(rows).toEqual([{ source: null, kept: true }])
    await sql`update oauth_clients set expires_at = now() where id = ${body.client_id}`.execute(stand.db)
    for (const clientId of [body.client_id, 'unknown'])
      expect(await refresh(clientId, tokens.body.refresh_token)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      })
  })
})
