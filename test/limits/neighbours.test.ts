import { neonConfig } from '@neondatabase/serverless'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { organizationApp } from '../../functions/organization/app.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { limit } from '../support/stand/tenant.ts'
import { databaseAs } from '../support/stand/worker.ts'

const stand = useStand()

const concurrency = 10
const slowMilliseconds = 400
const stepMilliseconds = 100

/** A Lambda's instance, which serves one request at a time. Its clock runs only meanwhile. */
interface Instance {
  freeAt: number
  serve: (tenant: Tenant, at: number, milliseconds: number) => Promise<number>
}

let serving: { now: number; milliseconds: number } | undefined
neonConfig.fetchFunction = (url: string, init: RequestInit) => {
  if (serving && !String(init.body).includes('count_requests')) serving.now += serving.milliseconds
  return fetch(url, init)
}
afterAll(() => {
  neonConfig.fetchFunction = undefined
})

function newInstance(): Instance {
  const clock = { now: 0, milliseconds: 0 }
  const app = organizationApp({ db: databaseAs('cuecard_organization'), now: () => clock.now })
  return {
    freeAt: 0,
    async serve({ apiKey }, at, milliseconds) {
      serving = Object.assign(clock, { now: at, milliseconds })
      const { status } = await callerOf(app, apiKey)('GET', '/v1/organization')
      serving = undefined
      this.freeAt = clock.now + 2
      return status
    },
  }
}

test('an organization’s slow requests do not crowd out another’s in a Lambda', async () => {
  process.env.RESERVED_CONCURRENCY = `${concurrency}`
  const lambda = Array.from({ length: concurrency }, newInstance)
  delete process.env.RESERVED_CONCURRENCY
  const [greedy, other] = [await stand.tenant(), await stand.tenant()]
  for (const { organizationId } of [greedy, other])
    await limit(stand.db, organizationId, { requests_per_second: 25, request_burst: 25 })
  const freeInstances = (at: number) => lambda.filter(({ freeAt }) => freeAt <= at)

  let known = { at: 0, realTime: performance.now() }
  /** Sets the database's clock, which runs in real time, to that of the instances. */
  async function setClock(at: number) {
    const ahead = at - known.at - (performance.now() - known.realTime)
    known = { at, realTime: performance.now() }
    await sql`update request_meters set full_at = full_at - make_interval(secs => ${ahead / 1000})`.execute(stand.db)
  }

  const statuses: number[] = []
  for (let at = 0; at < 3_000; at += stepMilliseconds) {
    for (const instance of freeInstances(at)) {
      await setClock(at)
      await instance.serve(greedy, at, slowMilliseconds)
    }
    await setClock(at + 5)
    const free = freeInstances(at + 5)[0]
    statuses.push(free ? await free.serve(other, at + 5, 5) : 503)
  }
  const afterBurst = statuses.slice(1000 / stepMilliseconds)
  expect(afterBurst.filter((status) => status === 200).length).toBeGreaterThanOrEqual(0.9 * afterBurst.length)
})
