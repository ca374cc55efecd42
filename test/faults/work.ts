import { expect } from 'vitest'
import { Random } from '../simulation/random.ts'
import { audit, inWork } from './audit.ts'
import { Client } from './client.ts'
import { isLongRun, passLeases } from './effort.ts'
import { Ledger } from './ledger.ts'
import type { System } from './system.ts'

const clientCount = 3

/** Clients that use a system until they are stopped. */
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

  /** @throws a client's error, rather than wait forever */
  async until(moment: Promise<void>): Promise<void> {
    await Promise.race([moment, this.#done])
  }

  /** Ends the clients. In the long run time then passes by itself; else the server's leases and waits are moved into the past. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#done
    if (isLongRun) return
    await passLeases(await this.#system.database())
    await this.#system.stop()
    await this.#system.start()
  }

  /** The clients repeat unanswered requests, and the system finishes its work. @returns the differences from their answers */
  async rest(): Promise<string[]> {
    for (const client of this.#clients) await client.settle()
    await expect.poll(() => inWork(this.#system, this.ledger), { timeout: 1_200_000, interval: 500 }).toBe(0)
    return await audit(this.#system, this.ledger)
  }

  get figures(): Record<string, number> {
    return { documents: this.ledger.acknowledged.length, ...this.ledger.counts }
  }
}
