import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { organizationApp } from '../../functions/organization/app.ts'
import type { Limits } from '../../shared/organizations/limits.ts'
import { useRequestCount } from '../support/database/request-count.ts'
import { inTransaction } from '../support/http/provoking.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { limit, limitedTenant } from '../support/stand/tenant.ts'
import { databaseAs } from '../support/stand/worker.ts'

const stand = useStand()
const requestsDuring = useRequestCount({ reports: true })

/** The lowest rate, so that the bucket hardly refills while a test runs. */
const slow = { requests_per_second: 1, request_burst: 20 }

const limited = (limits: Partial<Limits>) => limitedTenant(stand, limits)

/** An instance of a Lambda, with a clock that stands still until it is moved. */
function newInstance(tenant: Tenant) {
  let milliseconds = Date.now()
  const app = organizationApp({ db: databaseAs('cuecard_organization'), now: () => milliseconds })
  const call = callerOf(app, tenant.apiKey)
  const get = () => call('GET', '/v1/organization')
  return {
    get,
    patch: (body: unknown) => call('PATCH', '/v1/organization', body),
    wait(seconds: number) {
      milliseconds += 1000 * seconds
    },
    /** The number of requests that it admits before it refuses one. */
    async admitted() {
      for (let count = 0; ; count++) if ((await get()).status === 429) return count
    },
  }
}

/** The requests that the database has counted. */
const counted = ({ organizationId }: Tenant) =>
  stand.db.selectFrom('request_meters').select('requests').where('organization_id', '=', organizationId).execute()

/** Imitates the passing of time on the database's clock. */
const later = (tenant: Tenant, seconds: number) =>
  sql`update request_meters set full_at = full_at - make_interval(secs => ${seconds})
    where organization_id = ${tenant.organizationId}`.execute(stand.db)

describe('an organization that sends too many requests', () => {
  test('is refused with the time to wait and the limit, after its burst', async () => {
    const instance = newInstance(await limited({ requests_per_second: 2, request_burst: 7 }))
    const began = performance.now()
    const admitted = await instance.admitted()
    expect(admitted).toBeGreaterThanOrEqual(7)
    expect(admitted).toBeLessThanOrEqual(7 + Math.ceil((performance.now() - began) / 500))
    const { status, body, headers } = await instance.get()
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(body.detail).toBe('The organization sends more than 2 requests a second.')
    expect(headers).toMatchObject({
      'retry-after': '1',
      ratelimit: '"requests";r=0;t=1',
      'ratelimit-policy': '"requests";q=7;w=4',
    })
  })

  test('is admitted again at its rate', async () => {
    const tenant = await limited({ requests_per_second: 1, request_burst: 7 })
    const instance = newInstance(tenant)
    await instance.admitted()
    expect((await instance.get()).status).toBe(429)
    instance.wait(3)
    await later(tenant, 3)
    expect(await instance.admitted()).toBeGreaterThanOrEqual(2)
  })

  test('is refused without asking the database', async () => {
    const instance = newInstance(await limited(slow))
    await instance.admitted()
    expect(
      await requestsDuring(async () => {
        for (let i = 0; i < 20; i++) expect((await instance.get()).status).toBe(429)
      }),
    ).toBe(0)
  })

  test('gets at most its burst and ten more requests from each of many instances', async () => {
    const tenant = await limited(slow)
    const began = performance.now()
    let admitted = 0
    for (let i = 0; i < 4; i++) admitted += await newInstance(tenant).admitted()
    const cameBack = Math.ceil((performance.now() - began) / 1000)
    expect(admitted).toBeGreaterThanOrEqual(slow.request_burst)
    expect(admitted).toBeLessThanOrEqual(slow.request_burst + 4 * 10 + cameBack)
  })

  test('owes excess requests: the next instance admits one, and then learns of the others', async () => {
    const tenant = await limited(slow)
    for (let i = 0; i < 3; i++) await newInstance(tenant).admitted()
    expect(await newInstance(tenant).admitted()).toBe(1)
  })

  test('has a full bucket after a change of its limits, whatever it owed before', async () => {
    const tenant = await limited(slow)
    const instances = Array.from({ length: 3 }, () => newInstance(tenant))
    for (const instance of instances) await instance.admitted()
    await limit(stand.db, tenant.organizationId, { requests_per_second: 20, request_burst: 400 })
    for (const instance of instances) {
      instance.wait(6)
      for (let i = 0; i < 25; i++) expect((await instance.get()).status).toBe(200)
    }
  })

  test('causes one look-up in five seconds while it is refused', async () => {
    const tenant = await limited({ ...slow, request_burst: 50 })
    const instance = newInstance(tenant)
    await instance.get()
    await later(tenant, -100)
    instance.wait(1)
    await instance.get()
    const askedIn = (seconds: number) => {
      instance.wait(seconds)
      return requestsDuring(async () => {
        for (let i = 0; i < 10; i++) expect((await instance.get()).status).toBe(429)
      })
    }
    expect([await askedIn(4), await askedIn(1.5), await askedIn(4), await askedIn(1.5)]).toEqual([0, 1, 0, 1])
  })

  test('is not refused for requests that reached no database, if they came slowly', async () => {
    const tenant = await limited({ requests_per_second: 50, request_burst: 20 })
    const instance = newInstance(tenant)
    for (let i = 0; i < 50; i++) {
      expect((await instance.patch({ wrong: true })).status).toBe(422)
      instance.wait(0.2)
      await later(tenant, 0.2)
    }
    for (let i = 0; i < 15; i++) expect((await instance.get()).status).toBe(200)
    expect((await newInstance(tenant).get()).status).toBe(200)
  })

  test('is refused for such requests too, if they come fast', async () => {
    const instance = newInstance(await limited(slow))
    await instance.get()
    const statuses: number[] = []
    for (let i = 0; i < 40; i++) statuses.push((await instance.patch({ wrong: true })).status)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(40 - slow.request_burst - 5)
  })

  test('owes nothing after the clock is set back', async () => {
    const tenant = await limited(slow)
    await newInstance(tenant).get()
    await later(tenant, -3600)
    const instance = newInstance(tenant)
    for (let i = 0; i < 5; i++) expect((await instance.get()).status).toBe(200)
  })

  test('is counted across the functions', async () => {
    const tenant = await limited({ requests_per_second: 1, request_burst: 2 })
    const statuses = new Set<number>()
    for (const path of ['/v1/agents', tenant.knowledgeBase, '/v1/organization', '/v1/organization'])
      statuses.add((await tenant.call('GET', path)).status)
    expect(statuses).toContain(429)
  })
})

test('counting calls the database once in ten requests', async () => {
  const tenant = await stand.tenant()
  const instance = newInstance(tenant)
  await instance.get()
  expect(
    await requestsDuring(async () => {
      for (let i = 0; i < 25; i++) expect((await instance.get()).status).toBe(200)
    }),
  ).toBe(25 + 2)
  const { body } = await tenant.call('GET', '/v1/organization/usage')
  expect(body.use.requests_today).toBeGreaterThanOrEqual(21)
})

test('uncounted requests are counted with the next one', async () => {
  const tenant = await limited({ requests_per_second: 1, request_burst: 30 })
  const instance = newInstance(tenant)
  await instance.get()
  await sql`delete from request_meters where organization_id = ${tenant.organizationId}`.execute(stand.db)
  for (let i = 0; i < 4; i++) await instance.get()
  instance.wait(1)
  await instance.get()
  expect(await counted(tenant)).toEqual([{ requests: '5' }])
})

test.skipIf(!process.env.DATABASE_URL)(
  'a request does not wait for the locked meter, and is counted with the next one (needs two sessions)',
  async () => {
    const tenant = await stand.tenant()
    const instance = newInstance(tenant)
    await instance.get()
    await inTransaction(stand, async (client) => {
      await client.query('select from request_meters where organization_id = $1 for update', [tenant.organizationId])
      instance.wait(2)
      expect((await instance.get()).status).toBe(200)
    })
    instance.wait(2)
    await instance.get()
    expect(await counted(tenant)).toEqual([{ requests: '3' }])
  },
)

test('requests of an organization that has been deleted are not counted', async () => {
  const tenant = await stand.tenant()
  const instance = newInstance(tenant)
  await instance.get()
  await sql`delete from organizations where id = ${tenant.organizationId}`.execute(stand.db)
  instance.wait(2)
  expect((await instance.get()).status).toBe(401)
  expect(await counted(tenant)).toEqual([])
})

test('a statement without an organization counts nothing', async () => {
  const { rows } = await sql`select * from count_requests(1, 0, 1)`.execute(databaseAs('cuecard_search'))
  expect(rows).toEqual([])
})
