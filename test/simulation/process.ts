import { AsyncLocalStorage } from 'node:async_hooks'

/** The fate of a call to the outside: it succeeds, or it is lost or the process dies, before or after it takes effect. */
export type Fate = 'ok' | 'lost_before' | 'lost_after' | 'die_before' | 'die_after'

/** A place where a process waits for the world outside. */
export interface Point {
  kind: 'sql' | 'send' | 'provider' | 'bucket' | 'extraction'
  process: Process
  /** Lets the process go on, as the fate and, of the provider, its answer have it. */
  pass(fate: Fate, answer?: string): Promise<void>
}

const current = new AsyncLocalStorage<Process>()

/** One run of a Lambda. It stops at every point until `pass` is called, so the simulation decides which process continues. */
export class Process {
  readonly name: string
  readonly points: Point[] = []
  isDead = false
  ended: { value: unknown } | { error: unknown } | undefined

  constructor(name: string, run: () => Promise<unknown>) {
    this.name = name
    const end = (ended: Process['ended']) => {
      this.ended = ended
    }
    current.run(this, run).then(
      (value) => end({ value }),
      (error) => end({ error }),
    )
  }

  get isRunning(): boolean {
    return !this.isDead && !this.ended
  }

  die(): void {
    this.isDead = true
    this.points.length = 0
  }

  /** Resolves when the process waits at one of its points, or has ended. */
  async settled(): Promise<void> {
    do await turn()
    while (this.isRunning && this.points.length === 0)
    await turn()
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Runs `run` when the current process may continue, or at once outside of any process. */
export function reach<T>(kind: Point['kind'], run: (answer?: string) => Promise<T>, lost: () => Error): Promise<T> {
  const process = current.getStore()
  if (!process) return run()
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  if (process.isDead) return promise
  const point: Point = {
    kind,
    process,
    async pass(fate, answer) {
      process.points.splice(process.points.indexOf(point), 1)
      if (fate === 'die_before') return process.die()
      if (fate === 'lost_before') return reject(lost())
      try {
        const result = await run(answer)
        if (fate === 'die_after') return process.die()
        if (fate === 'lost_after') return reject(lost())
        resolve(result)
      } catch (error) {
        reject(error)
      }
    },
  }
  process.points.push(point)
  return promise
}
