import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { beforeEach } from 'vitest'
import { deliver } from '../../../functions/delivery/deliver.ts'
import type { Database } from '../../../shared/database/database.ts'
import { OutboundFailed } from '../../../shared/outbound/request.ts'
import type { Tenant, TestStand } from '../stand/stand.ts'
import { databaseAs } from '../stand/worker.ts'

interface Received {
  url: string
  id: string
  at: Date
  signatures: string[]
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect of it
  event: any
}

type Answer = (received: Received) => number | Promise<number>

/** A delivery Lambda on a clock that the test moves, and a receiver behind every address. Each test begins without organizations. */
export function useReceiver(stand: { db: Database }) {
  const received: Received[] = []
  let now = Date.now()
  let answer: Answer = () => 204
  /** Sends due deliveries, and those that these make due. @param remaining milliseconds of the Lambda: these allow one poll */
  const run = async (remaining: () => number = () => 21_000) =>
    await deliver(
      {
        db: databaseAs('cuecard_delivery'),
        now: () => new Date(now),
        random: () => 0,
        send: async (url, headers, body) => {
          const signatures = headers['webhook-signature']!.split(' ')
          const at = new Date(Number(headers['webhook-timestamp']) * 1000)
          const each = { url, id: headers['webhook-id']!, at, signatures, body, event: JSON.parse(body) }
          received.push(each)
          return await answer(each)
        },
      },
      remaining,
    )
  beforeEach(async () => {
    await sql`truncate organizations cascade`.execute(stand.db)
    received.length = 0
    answer = () => 204
    // The time is ahead of the database's clock, so that work due during the test is due now.
    now = Date.now() + 30_000
  })
  return {
    received,
    run,
    answers(next: Answer) {
      answer = next
    },
    pass(seconds: number) {
      now += seconds * 1000
    },
    get now() {
      return new Date(now)
    },
  }
}

export const away = () => Promise.reject(new OutboundFailed('The connection failed (ECONNREFUSED)'))

export function isSignedWith(secret: string, { id, at, body, signatures }: Received): boolean {
  return signatures.includes(new Webhook(secret).sign(id, at, body))
}

export async function makeWebhook({ call }: Tenant, events: string[], url = 'https://shop.example/') {
  const { body } = await call('POST', '/v1/webhooks', { url, events })
  const path = `/v1/webhooks/${body.id}`
  const deliveries = async () => (await call('GET', `${path}/deliveries?limit=100`)).body.data
  return { id: body.id as string, secret: body.secret as string, path, deliveries }
}

/** A webhook of a new organization. */
export async function newWebhook(stand: TestStand, events = ['document.completed'], url?: string) {
  const tenant = await stand.tenant()
  return { tenant, ...(await makeWebhook(tenant, events, url)) }
}

/** Records an event as the schema's own functions do. */
export const tellOn =
  (stand: TestStand) =>
  ({ organizationId }: Tenant, subject: string, data: object = {}, event = 'document.completed') =>
    sql`select tell(${organizationId}, ${event}, ${subject}, ${JSON.stringify(data)})`.execute(stand.db)
