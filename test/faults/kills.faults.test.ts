import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { useStandProcesses } from '../support/stand/stand-process.ts'
import { databases, killCount, seed, tell } from './effort.ts'
import { repeatedPayments } from './ledger.ts'
import { after, System } from './system.ts'
import { Work } from './work.ts'

const provider = useFakeProvider()
const { home, start } = useStandProcesses()

describe.each(databases)('on the %s database', (name, server) => {
  test(`${killCount} kills at random moments lose nothing acknowledged and double nothing, and the system recovers by itself`, async () => {
    const random = new Random(seed)
    const system = await System.create(await home({ server }), start, { EMBEDDING_BASE_URL: provider.baseUrl })
    provider.script([], () => {
      system.events.dispatchEvent(new Event('embedding'))
      return 'ok'
    })
    const work = new Work(system, random)
    /** The number of calls to the provider before each kill. */
    const kills: number[] = []
    while (kills.length < killCount) {
      const moment = random.weighed({ start: 2, sent: 3, answered: 3, embedding: 4 })
      if (moment === 'start') {
        system.launch()
        await delay(random.below(2_500))
      } else {
        await system.start()
        await work.until(after(system.events, moment, 1 + random.below(10)))
        await delay(random.below(20))
      }
      await system.kill()
      kills.push(provider.calls.length)
    }

    const killed = performance.now()
    await system.start()
    const serving = performance.now()
    await work.end()
    expect(await work.rest()).toEqual([])
    const payments = repeatedPayments(provider.calls, kills)
    expect(payments.unexplained).toEqual([])
    tell(`kills on the ${name} database`, {
      seed,
      kills: kills.length,
      ...work.figures,
      texts: payments.texts,
      'paid again after a kill': payments.again,
      'ms from the last kill until it serves': Math.round(serving - killed),
      'ms until it rests': Math.round(performance.now() - killed),
    })
    expect(await system.stop()).toBe(0)
  }, 3_600_000)
})
