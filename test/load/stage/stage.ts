import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Database } from '../../../shared/database/database.ts'
import type { Order } from '../generator/process.ts'
import type { Caller, Load, Mix, Sample, Stream } from '../generator/stream.ts'
import { type Backlog, drain, watchBacklog } from './backlog.ts'
import { makeCaller } from './callers.ts'
import { openProvider, type Provider } from './provider.ts'
import { type Server, startRunningStand } from './running-stand.ts'

/** A stand that runs, its callers and its provider. */
export interface Stage {
  db: Database
  provider: Provider
  /** One small organization, which is measured apart. */
  quiet: Caller
  /** Those whom the stand serves otherwise. */
  others: readonly Caller[]
  greedy: Caller
  /**
   * Sends all streams at once, each from a process of its own, and waits until all is answered and every document ready.
   * @param onAnswered called between the two
   */
  play<Name extends string>(streams: Record<Name, Played>, onAnswered?: () => void): Promise<Play<Name>>
  close(): Promise<void>
}

export interface Played {
  callers: readonly Caller[]
  mix: Mix
  load: Load
}

export interface Play<Name extends string = string> {
  samples: Record<Name, Sample[]>
  begunAt: Date
  worstBacklog: Backlog
  /** From the last answer until every document was ready; undefined where some were left after `maxDrainSeconds`. */
  drainSeconds: number | undefined
}

const usualOthers = 4
const requestTimeoutSeconds = 30
const maxDrainSeconds = 60

/** @param otherCallers how many */
export async function openStage(server: Server, otherCallers = usualOthers): Promise<Stage> {
  const provider = await openProvider()
  const stand = await startRunningStand(server, provider.baseUrl).catch(async (error) => {
    await provider.close()
    throw error
  })
  const { origin, db } = stand
  const close = async () => {
    await stand.close()
    await provider.close()
  }
  let plays = 0

  async function playAll<Name extends string>(
    streams: Record<Name, Played>,
    onAnswered?: () => void,
  ): Promise<Play<Name>> {
    const seed = ++plays * 100
    const begunAt = new Date(Date.now() + startMilliseconds)
    const backlog = watchBacklog(db)
    const names = Object.keys(streams) as Name[]
    try {
      const sending = names.map((name, i) => {
        const stream = { ...streams[name], origin, seed: seed + i, timeoutSeconds: requestTimeoutSeconds }
        return sendFromProcess(stream, begunAt)
      })
      const samples = await Promise.all(sending)
      onAnswered?.()
      const drainSeconds = await drain(db, maxDrainSeconds)
      return {
        samples: Object.fromEntries(names.map((name, i) => [name, samples[i]!])) as Record<Name, Sample[]>,
        begunAt,
        worstBacklog: backlog.worst,
        drainSeconds,
      }
    } finally {
      await backlog.stop()
    }
  }

  try {
    const made: Caller[] = []
    for (let n = 0; n < otherCallers + 2; n++) made.push(await makeCaller(db, origin))
    const [quiet, greedy, ...others] = made as [Caller, Caller, ...Caller[]]
    if ((await drain(db, maxDrainSeconds)) === undefined) throw new Error('the first documents did not become ready')
    return { db, provider, quiet, others, greedy, play: playAll, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** In which the processes of the generator have started. */
const startMilliseconds = 1_000

async function sendFromProcess(stream: Stream, begunAt: Date): Promise<Sample[]> {
  const child = fork(join(import.meta.dirname, '../generator/process.ts'))
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the generator ended with ${code}`)))
  failed.catch(() => {})
  child.send({ stream, beginAt: begunAt.getTime() } satisfies Order)
  const [samples] = await Promise.race([once(child, 'message'), failed])
  return samples as Sample[]
}
