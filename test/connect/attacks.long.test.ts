import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { connectApp } from '../../functions/connect/app.ts'
import { mcpApp } from '../../functions/mcp/app.ts'
import { addPerson } from '../../infra/admin/people.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { changeMember } from '../../shared/organizations/people.ts'
import { signIn } from '../dashboard/support.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import type { Tenant } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'
import { manualClock } from '../support/time/manual-clock.ts'
import { connected } from './connected.ts'
import { callback, challenge, challengeOf, issuer, origin, type Reply, useConnect } from './support.ts'

const connect = useConnect()
const { stand, send, form, newMember, app, resourceOf, authorizeUrl, answerOf, consent, consented } = connect
const { exchange, refresh, register, ask, connection } = connect

const refusedGrant = { status: 400, body: { error: 'invalid_grant' } }
const ended = { status: 401, body: { code: 'invalid_access_token' } }
/** Moves the last use of every token into the past. */
const usedEarlier = (seconds: number) =>
  sql`update connection_tokens set used_at = used_at - make_interval(secs => ${seconds})`.execute(stand.db)

describe('a code', () => {
  test('sent a second time ends the connection, because somebody else may have sent it first', async () => {
    const { tenant, browser, clientId, code } = await consented()
    const first = await exchange(clientId, code)
    expect(await exchange(clientId, code)).toMatchObject(refusedGrant)
    expect(await ask(first.body.access_token, resourceOf(tenant))).toMatchObject(ended)
    expect(await refresh(clientId, first.body.refresh_token)).toMatchObject(refusedGrant)
    expect((await browser.get('/dashboard/settings')).text).not.toContain('127.0.0.1')
  })

  test('is accepted once, however many requests send it at the same time', async () => {
    const { clientId, code } = await consented()
    const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(clientId, code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  })

  test('is refused without the verifier, from another app, with another address, for another agent and after a minute', async () => {
    const { tenant, browser, clientId, code } = await consented()
    expect(await exchange(clientId, code, { code_verifier: '' })).toMatchObject({ body: { error: 'invalid_request' } })
    expect(await exchange(clientId, code, { code_verifier: 'w'.repeat(43) })).toMatchObject(refusedGrant)
    expect(await exchange(app(), code)).toMatchObject(refusedGrant)
    expect(await exchange(clientId, code, { redirect_uri: `${callback}/x` })).toMatchObject(refusedGrant)
    const other = resourceOf({ ...tenant, agentId: newId() })
    expect(await exchange(clientId, code, { resource: other })).toMatchObject({ body: { error: 'invalid_target' } })
    expect(await refresh(clientId, code)).toMatchObject(refusedGrant)
    expect((await exchange(clientId, code)).status).toBe(200)
    const late = await consent(browser, authorizeUrl(tenant, clientId))
    await sql`update connection_tokens set expires_at = now() where kind = 'code'`.execute(stand.db)
    expect(await exchange(clientId, late)).toMatchObject(refusedGrant)
  })
})

describe('a refresh token', () => {
  test('used again later ends the connection, because one of its two users stole it', async () => {
    const { tenant, clientId, refresh: stolen, person } = await connection()
    const owner = await refresh(clientId, stolen)
    await usedEarlier(31)
    expect(await refresh(clientId, stolen)).toMatchObject(refusedGrant)
    expect(await ask(owner.body.access_token, resourceOf(tenant))).toMatchObject(ended)
    expect(await refresh(clientId, owner.body.refresh_token)).toMatchObject(refusedGrant)
    expect((await person.browser.get('/dashboard/settings')).text).not.toContain('Disconnect')
  })

  test('sent again at once gets other tokens, because the app may have lost the first answer', async () => {
    const { clientId, refresh: token } = await connection()
    const [first, again] = await Promise.all([refresh(clientId, token), refresh(clientId, token)])
    expect([first.status, again.status]).toEqual([200, 200])
    expect(first.body.refresh_token).not.toBe(again.body.refresh_token)
  })

  test.each(['the first', 'the newest'] as const)(
    'sent forty times, %s each time, leaves few rows, and the app is told to wait',
    async (which) => {
      const { tenant, clientId, access, refresh: first } = await connection()
      const answers: Reply[] = []
      let token = first
      for (let i = 0; i < 40; i++) {
        answers.push(await refresh(clientId, token))
        if (which === 'the newest') token = answers.at(-1)!.body.refresh_token ?? token
      }
      const given = answers.filter(({ status }) => status === 200)
      expect(given.length).toBe(19)
      const { status, body, headers } = answers.at(-1)!
      expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'temporarily_unavailable', '60'])
      const { rows } = await sql<{
        count: number
      }>`select count(*)::int from connection_tokens t join connections c on c.id = t.connection_id
      where c.organization_id = ${tenant.organizationId}`.execute(stand.db)
      expect(rows[0]!.count).toBe(1 + 2 * 20)
      for (const each of [access, given.at(-1)!.body.access_token])
        expect((await ask(each, resourceOf(tenant))).status).toBe(200)
      await sql`update connection_tokens set expires_at = expires_at - interval '1 hour', used_at = null where kind = 'refresh'`.execute(
        stand.db,
      )
      expect((await refresh(clientId, token)).status).toBe(200)
    },
  )

  test('of one app is refused from another, and is not an access token', async () => {
    const { tenant, clientId, refresh: token, access } = await connection()
    expect(await refresh(app(), token)).toMatchObject(refusedGrant)
    expect(await ask(token, resourceOf(tenant))).toMatchObject(ended)
    expect(await refresh(clientId, access)).toMatchObject(refusedGrant)
    expect((await refresh(clientId, token)).status).toBe(200)
  })
})

describe('an access token', () => {
  test('is refused by other agents, organizations and origins and as an API key; a key is refused in its place', async () => {
    const other = await stand.tenant()
    const { tenant, access } = await connection()
    const { id } = (await tenant.call('POST', '/v1/agents', { name: 'Second' })).body
    for (const agentId of [id, other.agentId, newId()])
      expect(await ask(access, resourceOf({ ...tenant, agentId }))).toMatchObject(ended)
    const elsewhere = connected(stand.db, tenant, { origin: 'https://other.example.com' })
    expect(await ask(undefined, resourceOf(tenant), (await elsewhere).headers)).toMatchObject(ended)
    const challenged = await ask(undefined, resourceOf(tenant), { host: 'other.example.com' })
    expect(challenged.headers.get('www-authenticate')).toContain('https://app.example.com/')
    expect(await ask(access, `/v1/agents/${tenant.agentId}/mcp`)).toMatchObject({
      status: 401,
      body: { code: 'invalid_api_key' },
    })
    expect(await ask(access, '/v1/organization')).toMatchObject({ status: 405 })
    expect(await send('GET', '/v1/organization', undefined, { authorization: `Bearer ${access}` })).toMatchObject({
      status: 401,
    })
    expect(await ask(undefined, resourceOf(tenant), { 'x-api-key': tenant.apiKey })).toMatchObject({
      body: { code: 'missing_access_token' },
    })
  })

  test('ends with the person’s membership, and after an hour', async () => {
    const tenant = await stand.tenant()
    for (const end of [
      sql`update memberships set removed_at = now() where organization_id = ${tenant.organizationId}`,
      sql`update connection_tokens set expires_at = now()`,
    ]) {
      const { access, refresh: token, clientId } = await connection({}, tenant)
      await end.execute(stand.db)
      expect(await ask(access, resourceOf(tenant))).toMatchObject(ended)
      expect(await refresh(clientId, token)).toMatchObject(refusedGrant)
    }
  })

  test('of a removed member stays ended when they are invited again', async () => {
    const { tenant, access, person } = await connection()
    const organization = tenant.organizationId as OrganizationId
    const owner = await addPerson(stand.db, { organization, mail: `${newId()}@example.com`, role: 'owner' })
    const removal = { id: person.id, role: null, by: owner.id }
    await changeMember(stand.db.forOrganization(organization), organization, removal)
    await addPerson(stand.db, { organization, mail: person.mail, role: 'viewer' })
    expect(await ask(access, resourceOf(tenant))).toMatchObject(ended)
  })

  test('known to an instance is looked up again after 15 seconds, so a removed member’s ends within 30', async () => {
    const tenant = await stand.tenant()
    const { path, headers, person } = await connected(stand.db, tenant)
    const clock = manualClock()
    const app = mcpApp({ db: databaseAs('cuecard_mcp'), embedder: lexicalEmbedder(), now: clock.now })
    const call = callerOf(app, tenant.apiKey)
    const status = async () =>
      (await call('POST', path, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)).status
    expect(await status()).toBe(200)
    await sql`update memberships set removed_at = now() where person_id = ${person.id}`.execute(stand.db)
    expect(await status()).toBe(200)
    clock.advance(15_000)
    expect(await status()).toBe(401)
  })

  test('is stored only as a hash', async () => {
    const { access, refresh: token } = await connection()
    const { rows } = await sql<{ row: string }>`select row_to_json(t)::text as row from connection_tokens t`.execute(
      stand.db,
    )
    expect(rows.length).toBeGreaterThan(2)
    for (const secret of [access, token]) expect(JSON.stringify(rows)).not.toContain(secret)
  })
})

describe('the challenge of a 401', () => {
  test.each(['%00', '%22', 'x', '%0d%0aset-cookie:%20a=b', '%F0%9F%92%A5', '..%2f..', '%22,error=%22x', '%ED%A0%80'])(
    'is absent for an id that no agent can have: %s is not found',
    async (id) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await send('POST', `/v1/agents/${id}/connect/mcp`, '{}', headers)
      expect([answer.status, answer.body.code]).toEqual([404, 'route_not_found'])
      expect(answer.headers.get('www-authenticate')).toBeNull()
    },
  )

  test.each(['a"b.example', 'a", error="x', 'a\\"b'])(
    'quotes the host %s so that it stays within its quotes',
    async (host) => {
      const tenant = await stand.tenant()
      const answer = await ask(undefined, resourceOf(tenant), { host })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="[^"\\]+", scope="kb:read"$/)
    },
  )
})

describe('a code challenge', () => {
  test.each([
    ['absent', { code_challenge: undefined, code_challenge_method: undefined }],
    ['plain', { code_challenge: challenge, code_challenge_method: 'plain' }],
    ['plain by default', { code_challenge_method: undefined }],
    ['of another length', { code_challenge: challenge.slice(1) }],
    [
      'sent twice',
      { code_challenge: undefined, more: `&code_challenge=${challenge}&code_challenge=${challengeOf('x')}` },
    ],
  ])('that is %s is refused', async (_, { more = '', ...parameters }: Record<string, string | undefined>) => {
    const { tenant, browser } = await newMember()
    const answer = answerOf(await browser.get(authorizeUrl(tenant, app(), parameters) + more))
    expect([answer.get('error'), answer.get('state'), answer.get('iss')]).toEqual(['invalid_request', 's1', issuer])
  })
})

describe('the audience', () => {
  test('may end in a slash and have its id in upper case', async () => {
    const tenant = await stand.tenant()
    const resource = `${origin}/v1/agents/${tenant.agentId.toUpperCase()}/connect/mcp/`
    const { access, refresh: token, clientId } = await connection({ resource }, tenant)
    expect((await ask(access, resourceOf(tenant))).status).toBe(200)
    expect((await refresh(clientId, token, { resource })).status).toBe(200)
  })

  const wrong = (tenant: Tenant): (string | undefined)[] => [
    undefined,
    '',
    `https://evil.example/v1/agents/${tenant.agentId}/connect/mcp`,
    `${origin}/v1/agents/${tenant.agentId}/mcp`,
    `${resourceOf(tenant)}//`,
    `${resourceOf(tenant)}?x`,
    `${origin}/v1/agents/x/connect/mcp`,
    origin,
  ]
  test('that belongs to no agent of this origin is refused', async () => {
    const { tenant, browser } = await newMember()
    for (const resource of wrong(tenant))
      expect(answerOf(await browser.get(authorizeUrl(tenant, app(), { resource }))).get('error'), resource).toBe(
        'invalid_target',
      )
  })
})

test('an app can end its connection by either token, and not that of another app', async () => {
  for (const kind of ['access', 'refresh'] as const) {
    const made = await connection()
    const revoke = (client_id: string) => form('/connect/revoke', { token: made[kind], client_id })
    expect((await revoke(app())).status).toBe(200)
    expect((await refresh(made.clientId, made.refresh)).status).toBe(200)
    expect((await revoke(made.clientId)).status).toBe(200)
    expect(await ask(made.access, resourceOf(made.tenant))).toMatchObject(ended)
    expect((await revoke(made.clientId)).status).toBe(200)
  }
})

test('a person sees and ends only the apps that they connected', async () => {
  const tenant = await stand.tenant()
  const [mine, other] = [await connection({}, tenant), await connection({}, tenant)]
  const { rows } = await sql<{ id: string }>`select id from connections where person_id = ${mine.person.id}`.execute(
    stand.db,
  )
  const end = `/dashboard/settings/apps/${rows[0]!.id}/end`
  expect((await mine.person.browser.get('/dashboard/settings')).html.split(end).length).toBe(2)
  expect((await other.person.browser.get('/dashboard/settings')).html).not.toContain(end)
  expect((await other.person.browser.post(end)).status).toBe(404)
  expect((await (await signIn(connect.browser(), tenant.apiKey)).post(end)).status).toBe(404)
  expect((await mine.person.browser.submit(end)).text).toContain('127.0.0.1')
  expect(await ask(mine.access, resourceOf(tenant))).toMatchObject(ended)
  expect((await ask(other.access, resourceOf(tenant))).status).toBe(200)
})

describe('made-up tokens', () => {
  const tokenRequest = (client_id: string, refresh_token: string, address: string) =>
    form('/connect/token', { grant_type: 'refresh_token', client_id, refresh_token }, address)
  const flood = async (times: number, clientOf: (i: number) => string, address: string) => {
    const answers: Reply[] = []
    for (let i = 0; i < times; i++) answers.push(await tokenRequest(clientOf(i), `made-up-${i}`, address))
    return answers
  }

  test('are answered by a refusal in the form of OAuth, and delay no valid token of that address, of the same client or another', async () => {
    const [{ clientId, refresh: token }, other] = [await connection(), await connection()]
    const answers = await flood(30, () => clientId, '192.0.2.99')
    expect(answers.slice(0, 20)).toMatchObject(Array(20).fill(refusedGrant))
    for (const { status, body, headers } of answers.slice(-5)) {
      expect([status, body]).toEqual([429, { error: 'temporarily_unavailable', error_description: expect.any(String) }])
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
    expect((await tokenRequest(clientId, token, '192.0.2.99')).status).toBe(200)
    expect((await tokenRequest(other.clientId, other.refresh, '192.0.2.99')).status).toBe(200)
    expect(await tokenRequest(other.clientId, 'unknown', '192.0.2.99')).toMatchObject(refusedGrant)
  })

  test('cause at most 200 look-ups at once from an address, whatever clients it names, and none elsewhere waits', async () => {
    const handler = lambdaHandler(connectApp({ db: databaseAs('cuecard_connect'), now: manualClock().now }))
    const post = async (url: string, fields: Record<string, string>, sourceIp: string) => {
      const event = toEvent({ method: 'POST', url, sourceIp, body: `${new URLSearchParams(fields)}` }, ['$default'])!
      const result = (await invoke(handler, event, {
        functionName: 'own',
        timeoutSeconds: 29,
      })) as APIGatewayProxyStructuredResultV2
      return { status: result.statusCode, body: JSON.parse(result.body!) }
    }
    const made = (i: number) => ({
      grant_type: 'refresh_token',
      client_id: `https://${i}.example/x`,
      refresh_token: `${i}`,
    })
    const refusedForNow = { status: 429, body: { error: 'temporarily_unavailable' } }
    for (let i = 0; i < 200; i++)
      expect(await post('/connect/token', made(i), `2001:db8:99::${i.toString(16)}`)).toMatchObject(refusedGrant)
    for (const path of ['/connect/token', '/connect/revoke'])
      expect(await post(path, { ...made(200), token: 'x' }, '2001:db8:99::1')).toMatchObject(refusedForNow)
    const { clientId, refresh: token } = await connection()
    const sent = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token }
    expect((await post('/connect/token', sent, '2001:db8:98::1')).status).toBe(200)
  })

  test('do not count if they are found: a wrong verifier, another resource or a second use delays nobody', async () => {
    const { clientId, code } = await consented()
    for (let i = 0; i < 30; i++)
      expect(await exchange(clientId, code, { code_verifier: 'w'.repeat(43) })).toMatchObject(refusedGrant)
    expect((await exchange(clientId, code)).status).toBe(200)
  })
})

test('the sweeper purges expired codes and tokens, apps without any, and unused registrations', async () => {
  await sql`delete from connections`.execute(stand.db)
  await sql`delete from oauth_clients`.execute(stand.db)
  const kept = await connection()
  await connection()
  await register({ redirect_uris: [callback] }, '192.0.2.79')
  await register({ redirect_uris: [callback] }, '192.0.2.79')
  await sql`update connections set expires_at = now() where person_id <> ${kept.person.id}`.execute(stand.db)
  await sql`update connection_tokens set expires_at = now() where kind <> 'refresh'`.execute(stand.db)
  await sql`update oauth_clients set expires_at = now() where id = (select max(id::text)::uuid from oauth_clients)`.execute(
    stand.db,
  )
  await stand.sweep()
  const { rows } = await sql`select (select count(*)::int from connections) as connections,
    (select count(*)::int from connection_tokens) as tokens, (select count(*)::int from oauth_clients) as clients`.execute(
    stand.db,
  )
  expect(rows).toEqual([{ connections: 1, tokens: 1, clients: 1 }])
  expect((await refresh(kept.clientId, kept.refresh)).status).toBe(200)
})
