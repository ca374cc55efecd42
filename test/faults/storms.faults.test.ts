import { describe, expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { type Line, useFakeProvider } from '../support/provider/fake-provider.ts'
import { useStandProcesses } from '../support/stand/stand-process.ts'
import { databases, isLongRun, seed, tell } from './effort.ts'
import { repeatedPayments, textOf } from './ledger.ts'
import { after, System } from './system.ts'
import { Work } from './work.ts'

const provider = useFakeProvider()
const { home, start } = useStandProcesses()
const chunksOfText = textOf('', 0).split('\n\n').length
/** Requests of the clients while a storm lasts. */
const requests = isLongRun ? 2_000 : 90

/** Causes a fault until it returns. */
type Storm = (system: System, random: Random) => Promise<void>
type Ports = Awaited<ReturnType<System['ports']>>

const cut =
  (meanBytes: number, ...names: (keyof Ports)[]): Storm =>
  async (system, random) => {
    const ports = await system.ports()
    system.order({ cut: { ports: names.map((name) => ports[name]), meanBytes, seed: random.below(2 ** 31) } })
    await after(system.events, 'sent', requests)
  }
const cutDatabase = cut(12_000, 'database', 'server')

const databaseAway: Storm = async (system, random) => {
  const { database, server } = await system.ports()
  for (let i = 0; i < 3; i++) {
    // The functions, or a component between, cannot reach it.
    system.order({ away: [server > 0 && random.chance(0.5) ? server : database] })
    await after(system.events, 'answered', requests / 6)
    system.order({ away: [] })
    await after(system.events, 'embedding', 5)
  }
}

const queueAway: Storm = async (system) => {
  const { queue } = await system.ports()
  system.order({ away: [queue] })
  await after(system.events, 'answered', requests)
}

type Ending = Exclude<Line, (...call: never[]) => unknown>

const told = (system: System, line: Ending): Ending => {
  system.events.dispatchEvent(new Event('embedding'))
  return line
}

const faults: Ending[] = [
  ...(['hang', 'break_off', 'too_few', 'zeros', 'no_json'] as const),
  ...(['server_error', 'gateway_timeout', 'too_many_requests'] as const),
  { status: 429, headers: { 'retry-after': '1000000000' }, body: '{}' },
  { status: 200, body: ' ', tail: 'drip' },
  { status: 200, body: '{"data":[', tail: 'flood' },
]

const providerInTrouble: Storm = async (system, random) => {
  provider.script([], () => told(system, random.chance(0.3) ? 'ok' : random.pick(faults)))
  await after(system.events, 'sent', requests)
}

const providerAway: Storm = async (system) => {
  system.order({ away: [Number(new URL(provider.baseUrl).port)] })
  await after(system.events, 'sent', requests)
}

const storms: [string, Storm][] = [
  ['the connections to the database are cut, between and inside statements', cutDatabase],
  ['the database is away, and comes back', databaseAway],
  ['the connections to the queue are cut', cut(2_000, 'queue')],
  ['the queue is away, and its messages are lost', queueAway],
  ['the provider hangs, drips, floods, breaks off, and wants to be left alone for thirty years', providerInTrouble],
  ['the provider is away', providerAway],
]

describe.each(databases)('on the %s database', (name, server) => {
  test.each(storms)(
    'when %s, nothing acknowledged is lost and nothing is doubled',
    async (what, storm) => {
      const random = new Random(seed)
      const env = { EMBEDDING_BASE_URL: provider.baseUrl, EMBEDDING_TIMEOUT_SECONDS: '1' }
      const system = await System.create(await home({ server }), start, env)
      const calm = () => provider.script([], () => told(system, 'ok'))
      calm()
      await system.start()
      const work = new Work(system, random)
      await work.until(after(system.events, 'answered', 20))
      await work.until(storm(system, random))
      system.order({ cut: { ports: [], meanBytes: 0, seed: 0 }, away: [] })
      calm()
      const { cuts } = system
      const restarted = provider.calls.length
      await work.end()
      expect(await work.rest()).toEqual([])
      const payments = repeatedPayments(provider.calls, [restarted])
      const unexplained = payments.unexplained.length
      tell(`${what}, on the ${name} database`, { seed, cuts, ...work.figures, ...payments, unexplained })
      if (storm === cutDatabase) expect(payments.again).toBeLessThanOrEqual(chunksOfText * cuts)
      expect(await system.stop()).toBe(0)
    },
    3_600_000,
  )
})
