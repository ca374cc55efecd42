import { setTimeout as sleep } from 'node:timers/promises'

export interface Pacing {
  /** The share of time, between 0 and 1, that is spent working. */
  share?: number | undefined
  /** Time limit of a transaction: writers may have to wait as long for a row. */
  batchMilliseconds?: number | undefined
  maxRows?: number | undefined
  pause?: ((milliseconds: number) => Promise<unknown>) | undefined
}

/** Paces work on many rows beside traffic: adapts the size of batches to their time, and pauses between them. */
export class Pacer {
  readonly #share: number
  readonly #batchMilliseconds: number
  readonly #maxRows: number
  readonly #pause: (milliseconds: number) => Promise<unknown>
  #limit: number
  #elapsed = 0

  constructor({ share = 0.5, batchMilliseconds = 100, maxRows = 1000, pause = sleep }: Pacing) {
    this.#share = share
    this.#batchMilliseconds = batchMilliseconds
    this.#maxRows = maxRows
    this.#pause = pause
    this.#limit = Math.min(50, maxRows)
  }

  /** @param batch a transaction on at most `limit` rows */
  async run<Result>(batch: (limit: number) => Promise<Result>): Promise<Result> {
    const started = performance.now()
    const result = await batch(this.#limit)
    this.#elapsed = performance.now() - started
    const fitting = Math.round(this.#limit * Math.min(2, Math.max(0.5, this.#batchMilliseconds / this.#elapsed)))
    this.#limit = Math.min(this.#maxRows, Math.max(1, fitting))
    return result
  }

  /** Pauses after a batch in proportion to its time. */
  async pause(): Promise<void> {
    await this.#pause(this.#elapsed * (1 / this.#share - 1))
  }
}
