import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { semaphore } from '../../shared/concurrency/semaphore.ts'
import type { Database } from '../../shared/database/database.ts'
import { newId } from '../../shared/ids.ts'
import { OutboundRefused } from '../../shared/outbound/addresses.ts'
import { OutboundFailed } from '../../shared/outbound/request.ts'
import { describeError, log } from '../../shared/telemetry/log.ts'
import { report } from '../../shared/telemetry/metrics.ts'
import { claimDeliveries, type Delivery, type DueWebhook, findDue, finish, type Outcome } from './outbox.ts'

export interface Deliverer {
  db: Database
  /** @returns the status of the response @throws OutboundRefused, OutboundFailed */
  send: (url: string, headers: Record<string, string>, body: string) => Promise<number>
  now?: () => Date
  random?: () => number
}

export const timeoutMilliseconds = 15_000
/** The time for a request and for storing its outcome. */
const lastClaimMilliseconds = timeoutMilliseconds + 5000
const lastLookMilliseconds = lastClaimMilliseconds + 5000
const lookEveryMilliseconds = 1000
/** A batch that takes longer moves from the quick to the late lane, and its webhook continues in the slow lane. */
const slowMilliseconds = 2000
const statementsAtOnce = 2

const hour = 3600
/** Seconds after each failed attempt. */
const delays = [5, 300, hour / 2, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
const maxSeconds = delays.reduce((sum, seconds) => sum + seconds)

/** Sends the due deliveries, and looks again each second while there is a webhook. @param remaining milliseconds until this process is stopped */
export async function deliver(
  { db, send, now = () => new Date(), random = Math.random }: Deliverer,
  remaining: () => number,
): Promise<{ delivered: number; failed: number }> {
  const busy = new Map<string, Promise<void>>()
  const lanes = { quick: semaphore(50), late: semaphore(100), slow: semaphore(50) }
  const statements = semaphore(statementsAtOnce)
  const counts = { delivered: 0, failed: 0 }
  let oldest = 0

  for (;;) {
    const { due, enabled } = await findDue(db, now())
    for (const webhook of due) {
      if (!webhook.is_failing) oldest = Math.max(oldest, webhook.seconds_late)
      if (!busy.has(webhook.webhook_id)) busy.set(webhook.webhook_id, serve(webhook))
    }
    if (enabled.length === 0 || remaining() <= lastLookMilliseconds) break
    await wait(lookEveryMilliseconds)
  }
  await Promise.all(busy.values())
  report({ WebhooksDelivered: counts.delivered, WebhooksFailed: counts.failed, OldestDeliverySeconds: oldest })
  return counts

  async function serve(webhook: DueWebhook): Promise<void> {
    try {
      let isSlow = webhook.is_failing
      for (let isEmpty = false; !isEmpty && remaining() > lastClaimMilliseconds; ) {
        const freePermit = await lanes[isSlow ? 'slow' : 'quick'].acquire()
        const sent = sendBatch(webhook).finally(freePermit)
        const isLate = await Promise.race([sent.then(() => false), wait(slowMilliseconds, true)])
        if (isLate && !isSlow) await lanes.late.run(() => Promise.all([freePermit(), sent]))
        isEmpty = !(await sent)
        isSlow = isLate
      }
    } catch (error) {
      const { organization_id, webhook_id } = webhook
      log.error('webhook_not_served', { organization_id, webhook_id, error: describeError(error) })
    } finally {
      busy.delete(webhook.webhook_id)
    }
  }

  /** @returns true if there was anything to send */
  async function sendBatch(webhook: DueWebhook): Promise<boolean> {
    if (remaining() <= lastClaimMilliseconds) return false
    const token = newId()
    const claimed = await statements.run(() => claimDeliveries(db, webhook, token, now()))
    if (claimed.length === 0) return false
    const outcomes = await Promise.all(claimed.map(attempt))
    await statements.run(() => finish(db, webhook, token, outcomes, now()))
    const delivered = outcomes.filter(({ status }) => status === 'delivered').length
    counts.delivered += delivered
    counts.failed += outcomes.length - delivered
    return true
  }

  async function attempt(delivery: Delivery): Promise<Outcome> {
    const { id, subject_id, type, data, created_at } = delivery
    const body = JSON.stringify({ type, timestamp: created_at.toISOString(), data })
    const answer = await send(delivery.url, headersOf(delivery, body, now()), body).catch(toFault)
    const status = typeof answer === 'number' ? answer : null
    const told = { id, subject_id, response_status: status }
    if (status !== null && status >= 200 && status < 300)
      return { ...told, status: 'delivered', next_attempt_at: null, error: null }
    const error = typeof answer === 'string' ? answer : faultOf(answer)
    const seconds = status === 410 ? undefined : secondsToNext(delivery)
    if (seconds === undefined) return { ...told, status: 'failed', next_attempt_at: null, error }
    return { ...told, status: 'pending', next_attempt_at: after(seconds).toISOString(), error }
  }

  /** Undefined once three days of attempts are over. */
  function secondsToNext({ attempts, queued_at }: Delivery): number | undefined {
    const isOver = now().getTime() - queued_at.getTime() >= maxSeconds * 1000
    const seconds = delays[attempts - 1]
    return isOver || seconds === undefined ? undefined : seconds * (1 + random() / 10)
  }

  function after(seconds: number): Date {
    return new Date(now().getTime() + seconds * 1000)
  }
}

/** Signs with both secrets for a day after a rotation. */
function headersOf(delivery: Delivery, body: string, now: Date): Record<string, string> {
  const { id, secret, previous_secret, previous_until } = delivery
  const secrets = previous_secret && previous_until! > now ? [secret, previous_secret] : [secret]
  return {
    'content-type': 'application/json',
    'user-agent': 'Cuecard-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
    'webhook-signature': secrets.map((each) => new Webhook(each, { format: 'raw' }).sign(id, now, body)).join(' '),
  }
}

function faultOf(status: number): string {
  return `The receiver answered ${status}${status >= 300 && status < 400 ? ', and redirects are not followed' : ''}`
}

function toFault(error: unknown): string {
  if (error instanceof OutboundRefused) return `The address ${error.message}`
  if (error instanceof OutboundFailed) return error.message
  throw error
}
