import { beforeAll } from 'vitest'
import type { Answer, TestStand } from '../../support/stand/stand.ts'
import type { FuzzRequest } from './generate/request.ts'
import { faultOf } from './judge.ts'
import { Ledger } from './ledger.ts'
import { changedTables, watchRows } from './rows.ts'
import { prepared, type Sent } from './send.ts'
import { makeWorld } from './world.ts'

/** The tables that a read may write. */
const readersTables = ['query_vectors', 'question_log']

/** Makes an exchange with its own world. */
export function useExchange(stand: TestStand) {
  let exchange: Awaited<ReturnType<typeof openExchange>>
  beforeAll(async () => {
    exchange = await openExchange(stand)
  })
  return () => exchange
}

/** Sends requests to a world, and keeps account of its rows. */
async function openExchange(stand: TestStand) {
  const world = await makeWorld(stand)
  const rows = await watchRows(stand.pool)
  let original = await rows.stamps()
  let current = original
  let ledger = new Ledger(world)

  return {
    /** Sends one request. @throws Error if the answer is wrong */
    async send(request: FuzzRequest): Promise<Answer> {
      const sent = prepared(stand, ledger, request)
      let answer = await stand.send(sent.event)
      // A busy machine sometimes answers so; a request that causes it gets the same answer again.
      if (answer.status === 503) answer = await stand.send(sent.event)
      const after = await rows.stamps()
      const changed = changedTables(current, after)
      current = after
      const fault = faultOf(ledger, sent, answer) ?? faultOfChange(changed, request, answer.status)
      if (fault) throw new Error(`${describe(sent)} → ${JSON.stringify(answer).slice(0, 600)}: ${fault}`)
      ledger.record(sent, answer)
      return answer
    },
    get ledger() {
      return ledger
    },
    /** Accepts changes of rows that no request made. */
    async look(): Promise<void> {
      current = await rows.stamps()
    },
    /** Restores the rows of the start. */
    async restore(): Promise<void> {
      ledger = new Ledger(world)
      const changed = changedTables(original, await rows.stamps())
      if (changed.length > 0) original = await rows.restore(changed)
      current = original
    },
  }
}

function faultOfChange(changed: string[], { operation, kind }: FuzzRequest, status: number): string | undefined {
  if (status >= 400 && changed.length > 0) return `is refused, but has changed ${changed}`
  const isReading = !operation.permission?.endsWith(':write') && kind !== 'hostile'
  const unexpected = changed.filter((name) => !readersTables.includes(name))
  return isReading && unexpected.length > 0 ? `only reads, but has changed ${unexpected}` : undefined
}

function describe({ event, body }: Sent): string {
  const { method } = event.requestContext.http
  const sent = JSON.stringify(body) ?? event.body ?? ''
  return `${method} ${event.rawPath}?${event.rawQueryString} ${JSON.stringify(event.headers)} ${sent.slice(0, 600)}`
}
