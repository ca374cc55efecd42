import { expect } from 'vitest'
import { Random } from '../simulation/random.ts'
import { audit, inWork } from './audit.ts'
import { Client } from './client.ts'
import { isLongRun, passLeases } from './effort.ts'
import { Ledger } from './ledger.ts'
import type { System } from './system.ts'

const clientCount = 3

/** Clients at work on a system until they are told to rest. */
export class Work {
  readonly ledger = new Ledger()
  readonly #system: System
  readonly #clients: Client[]
  readonly #done: Promise<unknown>
  #isOver = false

  constructor(system: System, random: Random) {
    this.#system = system
    const newClient = () => new Client(system, this.ledger, new Random(random.below(2 ** 31)))
    this.#clients = Array.from({ length: clientCount }, newClient)
    this.#done = Promise.all(this.#clients.map((client) => client.work(() => this.#isOver)))
    this.#done.catch(() => {})
  }

  /** @throws what a client has thrown, rather than wait for ever for what it will not do */
  async until(moment: Promise<void>): Promise<void> {
    await Promise.race([moment, this.#done])
  }

  /** The clients end. In the long run time then passes by itself; else what a server's leases and waits are for is over. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#done
    if (isLongRun) return
    await passLeases(await this.#system.database())
    await this.#system.stop()
    await this.#system.start()
  }

  /** The clients ask again for what was not answered, and the system finishes what it has. @returns what is not as they were told */
  async rest(): Promise<string[]> {
    for (const client of this.#clients) await client.settle()
    await expect.poll(() => inWork(this.#system, this.ledger), { timeout: 1_200_000, interval: 500 }).toBe(0)
    return await audit(this.#system, this.ledger)
  }

  get figures(): Record<string, number> {
    return { documents: this.ledger.acknowledged.length, ...this.ledger.counts }
  }
}
