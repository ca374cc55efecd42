import { setTimeout as sleep } from 'node:timers/promises'

export interface Pacing {
  maxRows?: number | undefined
  pause?: ((milliseconds: number) => Promise<unknown>) | undefined
}

/** The share of time that is spent working. */
const share = 0.25
/** Time limit of a transaction: writers may have to wait as long for a row. */
const batchMilliseconds = 100

/** Paces work on many rows beside traffic: adapts the size of batches to their time, and pauses between them. */
export class Pacer {
  readonly #maxRows: number
  readonly #pause: (milliseconds: number) => Promise<unknown>
  #limit: number
  #elapsed = 0

  constructor({ maxRows = 1000, pause = sleep }: Pacing) {
    this.#maxRows = maxRows
    this.#pause = pause
    this.#limit = Math.min(50, maxRows)
  }

  /** @param batch a transaction on at most `limit` rows */
  async run<Result>(batch: (limit: number) => Promise<Result>): Promise<Result> {
    const started = performance.now()
    const result = await batch(this.#limit)
    this.#elapsed = performance.now() - started
    const fitting = Math.round(this.#limit * Math.min(2, Math.max(0.5, batchMilliseconds / this.#elapsed)))
    this.#limit = Math.min(this.#maxRows, Math.max(1, fitting))
    return result
  }

  /** Pauses after a batch in proportion to its time. */
  async pause(): Promise<void> {
    await this.#pause(this.#elapsed * (1 / share - 1))
  }
}
