import { expect, test } from 'vitest'
import { organizationApp } from '../../functions/organization/app.ts'
import { createKey } from '../../infra/admin/keys.ts'
import { BoundedMap } from '../../shared/bounded-map.ts'
import { newKey } from '../../shared/http/api-keys.ts'
import { unknownCredentials } from '../../shared/http/unknown-credentials.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { permissions } from '../../shared/organizations/permissions.ts'
import { useRequestCount } from '../support/database/request-count.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { useStand } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'

const stand = useStand()
const requestsDuring = useRequestCount()

/** An instance of a Lambda, with a clock that stands still until it is moved. */
function newInstance() {
  let milliseconds = Date.now()
  const app = organizationApp({ db: databaseAs('cuecard_organization'), now: () => milliseconds })
  return {
    get: (key: string, sourceIp?: string) => callerOf(app, key, sourceIp)('GET', '/v1/organization'),
    wait(seconds: number) {
      milliseconds += 1000 * seconds
    },
  }
}

test('a flood of unknown keys from an address reaches the database twenty times, and then twice a second', async () => {
  const { get, wait } = newInstance()
  const statuses: number[] = []
  const flood = () =>
    requestsDuring(async () => {
      for (let i = 0; i < 50; i++) statuses.push((await get(newKey())).status)
    })
  expect(await flood()).toBe(20)
  expect(statuses).toEqual([...Array(20).fill(401), ...Array(30).fill(429)])
  wait(3)
  expect(await flood()).toBe(6)
})

test('an unknown key is remembered for ten seconds without a look-up', async () => {
  const { get, wait } = newInstance()
  const key = newKey()
  const ask = () =>
    requestsDuring(async () => {
      for (let i = 0; i < 10; i++)
        expect(await get(key)).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
    })
  expect(await ask()).toBe(1)
  wait(11)
  expect(await ask()).toBe(1)
})

test('during a flood from an address, keys known before are served and other keys from that address wait', async () => {
  const { get, wait } = newInstance()
  const known = await stand.tenant()
  const other = await stand.tenant()
  await get(known.apiKey)
  for (let i = 0; i < 20; i++) await get(newKey())
  expect((await get(known.apiKey)).status).toBe(200)
  const { status, body, headers } = await get(other.apiKey)
  expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
  expect(headers).toMatchObject({
    'retry-after': '1',
    ratelimit: '"keys";r=0;t=1',
    'ratelimit-policy': '"keys";q=20;w=10',
  })
  wait(16)
  for (let i = 0; i < 20; i++) await get(newKey())
  expect((await get(known.apiKey)).status).toBe(200)
  wait(1)
  expect((await get(other.apiKey)).status).toBe(200)
})

test('unknown keys from one address cause no 429 at another', async () => {
  const { get, wait } = newInstance()
  const { organizationId } = await stand.tenant()
  const made = { organizationId: organizationId as OrganizationId, name: 'new', permissions: [...permissions] }
  let refused = 0
  for (let customer = 0; customer < 3; customer++) {
    const { key } = await createKey(stand.db, made)
    for (let i = 0; i < 30; i++) if ((await get(newKey(), '203.0.113.1')).status === 429) refused++
    expect((await get(key, '203.0.113.2')).status).toBe(200)
    wait(1)
  }
  expect(refused).toBeGreaterThan(50)
})

test('an IPv6 address counts as its whole network', async () => {
  const { get } = newInstance()
  for (let i = 0; i < 20; i++) await get(newKey(), `2001:db8:0:1::${i.toString(16)}`)
  expect((await get(newKey(), '2001:db8:0:1:ffff::1')).status).toBe(429)
  expect((await get(newKey(), '2001:db8::1:0:0:0:1')).status).toBe(429)
  expect((await get(newKey(), '2001:db8:0:2::1')).status).toBe(401)
})

test('all addresses together cause a thousand look-ups, and then a hundred a second', () => {
  let milliseconds = 0
  const credentials = unknownCredentials(() => milliseconds)
  /** The number of look-ups in a flood from many addresses. */
  const flood = (times: number) => {
    let lookups = 0
    for (let i = 0; i < times; i++) {
      const address = `10.${i % 2}.${i >> 8}.${i % 256}`
      try {
        credentials.requireLookup(address)
      } catch {
        continue
      }
      lookups++
      credentials.add(newKey(), address)
    }
    return lookups
  }
  expect(flood(1010)).toBe(1000)
  milliseconds = 100
  expect(flood(20)).toBe(10)
})

test('the cache of keys is bounded: one more drops the oldest', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 1).set('a', 2).set('c', 1)
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 1],
  ])
})
