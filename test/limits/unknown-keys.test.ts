import { expect, test } from 'vitest'
import { organizationApp } from '../../functions/organization/app.ts'
import { newKey } from '../../shared/http/api-keys.ts'
import { callerOf } from '../support/own-app.ts'
import { useRequestCount } from '../support/request-count.ts'
import { useStand } from '../support/stand.ts'
import { databaseAs } from '../support/worker.ts'

const stand = useStand()
const requestsDuring = useRequestCount()

/** An instance of a Lambda, with a clock that stands still until it is moved. */
function newInstance() {
  let milliseconds = Date.now()
  const app = organizationApp({ db: databaseAs('cuecard_organization'), now: () => milliseconds })
  return {
    get: (key: string) => callerOf(app, key)('GET', '/v1/organization'),
    wait(seconds: number) {
      milliseconds += 1000 * seconds
    },
  }
}

test('a flood of unknown keys reaches the database twenty times, and then twice a second', async () => {
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

test('a key that is unknown is so without a look-up, for ten seconds', async () => {
  const { get, wait } = newInstance()
  const key = newKey()
  const ask = (times: number) =>
    requestsDuring(async () => {
      for (let i = 0; i < times; i++)
        expect(await get(key)).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
    })
  expect(await ask(40)).toBe(1)
  wait(11)
  expect(await ask(40)).toBe(1)
})

test('during a flood those whose key was known before are served, and others wait', async () => {
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
