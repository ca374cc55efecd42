import type { Database } from '../database/database.ts'
import { describeError, log } from '../telemetry/log.ts'
import { report } from '../telemetry/metrics.ts'
import { idsOf, type Message } from './message.ts'
import { leaveToSweeper } from './sweep.ts'

export interface Queue {
  /** @throws Unavailable when the queue does not accept the message within two seconds */
  send(work: Message, delaySeconds?: number): Promise<void>
  /** Redelivers a received message, which the caller reports as failed, after this time. @throws Unavailable */
  changeVisibility(receiptHandle: string, afterSeconds: number): Promise<void>
}

export type Sender = Pick<Queue, 'send'>

/** The database that stores work, and the queue that announces it. */
export interface Outbox {
  db: Database
  /** Undefined where there is no queue. */
  queue: Sender | undefined
}

/** Sends after the commit; the next sweep resends a message that fails here. @returns true if it was sent */
export async function enqueue(outbox: Outbox, work: Message, delaySeconds = 0): Promise<boolean> {
  return (await enqueueAll(outbox, [work], delaySeconds)) === 1
}

/** Sends messages of one kind and organization, as `enqueue` sends one. @returns how many were sent */
export async function enqueueAll({ db, queue }: Outbox, works: Message[], delaySeconds = 0): Promise<number> {
  const isSent = await Promise.all(works.map((work) => queue !== undefined && sendOrLog(queue, work, delaySeconds)))
  const unsent = works.filter((_, i) => !isSent[i])
  await leaveToSweeper(db, unsent)
  return works.length - unsent.length
}

/** Logs and counts a failure, since the row still says that there is work to do. @returns true if it was sent */
export async function sendOrLog(queue: Sender, work: Message, delaySeconds = 0): Promise<boolean> {
  try {
    await queue.send(work, delaySeconds)
    return true
  } catch (error) {
    report({ SendFailures: 1 })
    log.warn('send_failed', { ...idsOf(work), error: describeError(error) })
    return false
  }
}
