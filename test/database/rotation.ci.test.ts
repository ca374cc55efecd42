import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke, type LambdaHandler } from '../../infra/local/lambda.ts'
import type { DatabaseUser } from '../../infra/wiring.ts'
import { secret } from '../../shared/aws/secrets.ts'
import { useEndpoint } from '../../shared/database/database.ts'
import { log } from '../../shared/telemetry/log.ts'
import { startAwsServices } from '../support/aws/aws-services.ts'
import { startNeonProxy } from '../support/database/neon-proxy.ts'
import { startKeyedProvider } from '../support/provider/keyed-provider.ts'
import { entryOf } from '../support/stand/entry.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { workMessage } from '../support/stand/worker.ts'
import { gateFor, openGate } from '../support/time/gate.ts'
import { isOnServer } from '../support/tools/effort.ts'

const stand = useStand()
let proxy: Awaited<ReturnType<typeof startNeonProxy>>
let provider: Awaited<ReturnType<typeof startKeyedProvider>>
let aws: Awaited<ReturnType<typeof startAwsServices>>
const logins: string[] = []
/** The secrets of a test, which no log may have. */
const secrets: string[] = []
const logged: string[] = []

beforeAll(async () => {
  proxy = await startNeonProxy(process.env.DATABASE_ENDPOINT!)
  provider = await startKeyedProvider()
})
beforeEach(async () => {
  aws = await startAwsServices()
  process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = aws.origin
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((chunk) => logged.push(String(chunk)) > 0)
  log.setLogLevel('DEBUG')
})
afterEach(async () => {
  vi.restoreAllMocks()
  log.setLogLevel('SILENT')
  proxy.beforeRefusal = openGate
  provider.beforeRejection = openGate
  await aws.close()
  const output = logged.splice(0).join('')
  for (const secret of secrets.splice(0)) expect(output).not.toContain(secret)
})
afterAll(async () => {
  for (const user of logins) await sql`drop role if exists ${sql.id(user)}`.execute(stand.db)
  useEndpoint(process.env.DATABASE_ENDPOINT!)
  await proxy.close()
  await provider.close()
})

const run = (statement: RawBuilder<unknown>) => statement.execute(stand.db)

/** Makes one more login of a role, as the runbook does, and puts its URL into the secret. @returns the user */
async function rotateDatabase(role: DatabaseUser): Promise<string> {
  const user = `cuecard_${role}_${randomBytes(4).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  await sql`create role ${sql.id(user)} login password ${sql.lit(password)} in role ${sql.id(`cuecard_${role}`)}`.execute(
    stand.db,
  )
  logins.push(user)
  secrets.push(password)
  const url = new URL(process.env.DATABASE_URL!)
  url.username = user
  url.password = password
  aws.secrets.set(`database-${role}`, url.href)
  return user
}

/** Puts one more key of the provider into the secret. @returns the key */
function rotateProviderKey(): string {
  const key = `sk-${randomBytes(12).toString('hex')}`
  secrets.push(key)
  provider.keys.add(key)
  aws.secrets.set('provider', key)
  return key
}

let loads = 0
/** The handler of a Lambda whose module loads now, with the settings of a deployed one. */
async function instanceOf(name: DatabaseUser) {
  const env = {
    DATABASE_URL: '',
    DATABASE_SECRET: `database-${name}`,
    DATABASE_ENDPOINT: proxy.origin,
    EMBEDDING_BASE_URL: provider.baseUrl,
    EMBEDDING_SECRET: 'provider',
    POWERTOOLS_LOG_LEVEL: 'DEBUG',
  }
  for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value)
  const { handler } = await import(`${pathToFileURL(entryOf(name)).href}?${loads++}`).finally(vi.unstubAllEnvs)
  const settings = { functionName: name, timeoutSeconds: 60 }
  return (event: unknown) => invoke(handler as LambdaHandler<unknown, unknown>, event, settings)
}

/** One HTTP request of the tenant to an instance. */
type Instance = (event: unknown) => unknown
async function request(instance: Instance, { apiKey }: Tenant, method: string, url: string, body?: object) {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const routes = stand.functions.routes.map(({ route }) => route)
  const event = toEvent({ method, url, headers, ...(body && { body: JSON.stringify(body) }) }, routes)
  const result = (await instance(event)) as APIGatewayProxyStructuredResultV2
  return { status: result.statusCode, headers: result.headers, body: JSON.parse(result.body ?? 'null') }
}

const unavailable = { status: 503, headers: { 'retry-after': '5' }, body: { code: 'temporarily_unavailable' } }

/** Creates documents. @returns an event with a message for each */
async function batchOf(count: number, tenant: Tenant) {
  const created = Array.from({ length: count }, (_, i) =>
    tenant.call('POST', tenant.knowledgeBase, { title: `${i}`, content: `Document number ${i}.` }),
  )
  const ids = (await Promise.all(created)).map(({ body }) => body.id as string)
  const bodyOf = (id: string) => workMessage({ organizationId: tenant.organizationId, id })
  return { Records: ids.map((id) => ({ messageId: id, receiptHandle: id, body: bodyOf(id) })) }
}

async function statuses({ call, knowledgeBase }: Tenant): Promise<string[]> {
  const { body } = await call('GET', knowledgeBase)
  return body.data.map((document: { status: string }) => document.status)
}

describe('the database’s login', () => {
  test('is fetched before the first request, while the module loads, and kept', async () => {
    const tenant = await stand.tenant()
    await rotateDatabase('documents')
    const instance = await instanceOf('documents')
    expect(aws.asked).toEqual(['database-documents'])
    for (let i = 0; i < 3; i++)
      expect(await request(instance, tenant, 'GET', tenant.knowledgeBase)).toMatchObject({ status: 200 })
    expect(aws.asked).toEqual(['database-documents'])
  })

  const endings: [string, (user: string) => unknown][] = [
    ['has another password', (user) => run(sql`alter role ${sql.id(user)} password 'another'`)],
    ['is gone', (user) => run(sql`drop role ${sql.id(user)}`)],
    ['is closed by a rotation', (user) => run(sql`alter role ${sql.id(user)} nologin password null`)],
    ['was of a project that is deleted', (user) => proxy.deleted.add(user)],
  ]
  // On a server, open sessions continue.
  if (!isOnServer) endings.push(['may no longer log in', (user) => run(sql`alter role ${sql.id(user)} nologin`)])

  test.each(endings)(
    'that %s is replaced with one fetch, and the request that meets it is answered',
    async (_, shutOut) => {
      const tenant = await stand.tenant()
      const user = await rotateDatabase('documents')
      const instance = await instanceOf('documents')
      await request(instance, tenant, 'GET', tenant.knowledgeBase)
      await rotateDatabase('documents')
      await shutOut(user)
      const created = await request(instance, tenant, 'POST', tenant.knowledgeBase, { title: 'T', content: 'text' })
      expect(created).toMatchObject({ status: 201 })
      const listed = { status: 200, body: { data: [{ id: created.body.id }] } }
      expect(await request(instance, tenant, 'GET', tenant.knowledgeBase)).toMatchObject(listed)
      expect(aws.asked).toEqual(['database-documents', 'database-documents'])
    },
  )

  test('that is replaced lets a search forget what it keeps, since the database may be a restored one', async () => {
    const tenant = await stand.tenant()
    const { body } = await tenant.call('POST', tenant.knowledgeBase, {
      title: 'Hours',
      content: 'On Sunday we are closed.',
    })
    await stand.deliver()
    const user = await rotateDatabase('search')
    const instance = await instanceOf('search')
    const find = async () => {
      const asked = { query: 'sunday', mode: 'keyword' }
      return (await request(instance, tenant, 'POST', `${tenant.knowledgeBase}/search`, asked)).body.data[0]
    }
    expect(await find()).toMatchObject({ content: 'On Sunday we are closed.' })
    // Another history has led to the same version.
    await run(sql`update chunks set content = 'On Sunday we are open.' where document_id = ${body.id}`)
    await run(sql`update packs set title = 'Restored' where document_id = ${body.id}`)
    expect(await find()).toMatchObject({ content: 'On Sunday we are closed.', document_title: 'Hours' })
    await rotateDatabase('search')
    await run(sql`drop role ${sql.id(user)}`)
    await find()
    expect(await find()).toMatchObject({ content: 'On Sunday we are open.', document_title: 'Restored' })
  })

  test('that many deliveries find outdated at once is fetched once for all', async () => {
    const tenant = await stand.tenant()
    const user = await rotateDatabase('embedding')
    rotateProviderKey()
    const instance = await instanceOf('embedding')
    expect(await instance(await batchOf(1, tenant))).toEqual({ batchItemFailures: [] })
    await rotateDatabase('embedding')
    await run(sql`drop role ${sql.id(user)}`)
    proxy.beforeRefusal = gateFor(2)
    // Documents of one organization are claimed together.
    const other = await stand.tenant()
    const Records = [...(await batchOf(3, tenant)).Records, ...(await batchOf(2, other)).Records]
    expect(await instance({ Records })).toEqual({ batchItemFailures: [] })
    expect(await statuses(tenant)).toEqual(Array(4).fill('completed'))
    expect(await statuses(other)).toEqual(Array(2).fill('completed'))
    expect(aws.asked.filter((id) => id === 'database-embedding')).toHaveLength(2)
  })

  test('that is refused while the secret has no other gives a 503, and the next one is fetched', async () => {
    const tenant = await stand.tenant()
    const user = await rotateDatabase('documents')
    const instance = await instanceOf('documents')
    await request(instance, tenant, 'GET', tenant.knowledgeBase)
    await run(sql`drop role ${sql.id(user)}`)
    expect(await request(instance, tenant, 'GET', tenant.knowledgeBase)).toMatchObject(unavailable)
    await rotateDatabase('documents')
    expect(await request(instance, tenant, 'GET', tenant.knowledgeBase)).toMatchObject({ status: 200 })
  })

  test('that the driver cannot read gives a 503, and stays out of the log', async () => {
    const tenant = await stand.tenant()
    const instance = await instanceOf('documents')
    secrets.push('pass/word')
    aws.secrets.set('database-documents', 'postgres://user:pass/word@host:port/neondb')
    expect(await request(instance, tenant, 'GET', tenant.knowledgeBase)).toMatchObject(unavailable)
    expect(logged.join('')).toContain('database_unavailable')
  })
})

describe('the provider’s key', () => {
  test('that was revoked is replaced with one fetch, and the search that meets it is answered', async () => {
    const tenant = await stand.tenant()
    await rotateDatabase('search')
    const key = rotateProviderKey()
    const instance = await instanceOf('search')
    const search = (query: string) => request(instance, tenant, 'POST', `${tenant.knowledgeBase}/search`, { query })
    const answered = { status: 200, body: { degraded: null } }
    expect(await search('hours')).toMatchObject(answered)
    rotateProviderKey()
    provider.keys.delete(key)
    expect([await search('prices'), await search('rooms')]).toMatchObject([answered, answered])
    expect(aws.asked.filter((id) => id === 'provider')).toHaveLength(2)
  })

  test('that many deliveries find revoked at once is fetched once for all of them', async () => {
    const tenant = await stand.tenant()
    await rotateDatabase('embedding')
    const key = rotateProviderKey()
    const instance = await instanceOf('embedding')
    await instance(await batchOf(1, tenant))
    rotateProviderKey()
    provider.keys.delete(key)
    // They share a call; when it is rejected, each is embedded alone.
    expect(await instance(await batchOf(5, tenant))).toEqual({ batchItemFailures: [] })
    expect(await statuses(tenant)).toEqual(Array(6).fill('completed'))
    expect(aws.asked.filter((id) => id === 'provider')).toHaveLength(2)
  })

  test('that is refused while the secret has no other makes a search by meaning 503', async () => {
    const tenant = await stand.tenant()
    await rotateDatabase('search')
    provider.keys.delete(rotateProviderKey())
    const instance = await instanceOf('search')
    const byMeaning = { query: 'hours', mode: 'semantic' }
    const search = await request(instance, tenant, 'POST', `${tenant.knowledgeBase}/search`, byMeaning)
    expect(search).toMatchObject({ ...unavailable, headers: { 'retry-after': '15' } })
  })
})

test('a secret that two callers find rejected at once is fetched once, and a late caller with the old one gets the new', async () => {
  const get = secret({ id: 'provider' })
  const old = rotateProviderKey()
  expect(await Promise.all([get(), get()])).toEqual([old, old])
  const fresh = rotateProviderKey()
  expect(await Promise.all([get(old), get(old)])).toEqual([fresh, fresh])
  expect(await get(old)).toBe(fresh)
  expect(aws.asked).toEqual(['provider', 'provider'])
})

test('a secret whose early fetch fails is fetched again once for all callers that wait for it', async () => {
  const { asked, secrets } = aws
  const key = rotateProviderKey()
  secrets.get = (id) => (asked.length === 1 ? undefined : Map.prototype.get.call(secrets, id))
  const get = secret({ id: 'provider' })
  expect(await Promise.all([get(), get()])).toEqual([key, key])
  expect(asked).toEqual(['provider', 'provider'])
})

describe('while Secrets Manager', () => {
  test.each([
    ['fails', { status: 500 }],
    ['throttles', { status: 400, code: 'ThrottlingException' }],
    ['breaks the connection', {}],
  ])('%s, a secret is asked for three times', async (_, failure) => {
    const { asked, failures } = aws
    const key = rotateProviderKey()
    failures.push(failure, failure)
    expect(await secret({ id: 'provider' })()).toBe(key)
    failures.push(failure, failure, failure)
    const get = secret({ id: 'provider' })
    await vi.waitUntil(() => failures.length === 0, 10_000)
    expect(asked).toHaveLength(6)
    expect(await get()).toBe(key)
  })

  test('refuses, a secret is asked for once', async () => {
    const { asked, failures } = aws
    failures.push({ status: 400, code: 'com.amazonaws#AccessDeniedException' })
    const key = rotateProviderKey()
    expect(await secret({ id: 'provider' })()).toBe(key)
    expect(asked).toHaveLength(2)
  })

  test('cannot be reached, the embedding Lambda loads and leaves its messages in the queue', async () => {
    const tenant = await stand.tenant()
    const batch = await batchOf(2, tenant)
    await aws.close()
    const instance = await instanceOf('embedding')
    const batchItemFailures = batch.Records.map(({ messageId }) => ({ itemIdentifier: messageId }))
    expect(await instance(batch)).toEqual({ batchItemFailures })
    expect(await statuses(tenant)).toEqual(['pending', 'pending'])
  })

  test('has no value yet, requests get a 503, and are answered as soon as it has one', async () => {
    const tenant = await stand.tenant()
    const instance = await instanceOf('documents')
    expect(await request(instance, tenant, 'GET', tenant.knowledgeBase)).toMatchObject(unavailable)
    await rotateDatabase('documents')
    expect(await request(instance, tenant, 'GET', tenant.knowledgeBase)).toMatchObject({ status: 200 })
  })
})
