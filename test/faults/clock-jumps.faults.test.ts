import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { useStandProcesses } from '../support/stand/stand-process.ts'
import { databases, seed, tell } from './effort.ts'
import { after, System } from './system.ts'
import { Work } from './work.ts'

const provider = useFakeProvider()
const { home, start } = useStandProcesses()
const hour = 3_600_000
const day = 24 * hour

describe.each(databases)('on the %s database', (name, server) => {
  test('while the wall clock of the process jumps back and forth, nothing acknowledged is lost or doubled', async () => {
    const random = new Random(seed)
    const env = { EMBEDDING_BASE_URL: provider.baseUrl }
    const system = await System.create(await home({ server }), start, env)
    await system.start()
    const work = new Work(system, random)
    // The embedded database has the clock of its process: a day is as long as an Idempotency-Key is kept.
    const shifts = [-hour, hour, 0, ...(server ? [-day, day] : [])]
    const jumps = 8
    for (let i = 0; i < jumps; i++) {
      system.order({ clockShift: random.pick(shifts) })
      await work.until(after(system.events, 'answered', 12))
    }
    system.order({ clockShift: 0 })
    await work.end()
    expect(await work.rest()).toEqual([])
    tell(`jumps of the clock on the ${name} database`, { seed, jumps, ...work.figures })
    expect(await system.stop()).toBe(0)
  }, 3_600_000)

  test('a wall clock that is set back neither keeps a revoked key valid nor the provider unused', async () => {
    const env = { EMBEDDING_BASE_URL: provider.baseUrl }
    const system = await System.create(await home({ server }), start, env)
    await system.start()
    provider.script([], 'unauthorized')
    const created = await system.call('POST', '', { title: 'T', content: 'The workshop mends bicycles.' })
    const read = async () => (await system.call('GET', `/${created?.body.id}`))?.body
    await expect.poll(async () => (await read()).waiting?.attempts, { timeout: 60_000 }).toBeGreaterThan(0)
    system.order({ clockShift: -day })
    provider.script([], 'ok')
    const db = await system.database()
    // The row waits by the database's clock, which its client may cut short; the circuit breaker by the process's.
    const retried = async () => {
      const { status } = await read()
      if (status === 'pending') await system.call('PATCH', `/${created?.body.id}`, { status: 'pending' })
      return status
    }
    await expect.poll(retried, { timeout: 120_000, interval: 1_000 }).toBe('completed')
    await sql`update api_keys set revoked_at = now()`.execute(db)
    const status = async () => (await system.call('GET', ''))?.status
    await expect.poll(status, { timeout: 30_000, interval: 500 }).toBe(401)
    expect(await system.stop()).toBe(0)
  }, 600_000)
})
