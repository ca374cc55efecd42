import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { documentsApp } from '../../functions/documents/app.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { chunk } from '../../shared/chunking/chunker.ts'
import type { Queue, WorkMessage } from '../../shared/queue.ts'
import { Random } from '../simulation/random.ts'
import { statements, useFaultyConnection } from '../support/database/faulty-connection.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { useStand } from '../support/stand/stand.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import { databaseAs, newWorker, sweeperWith } from '../support/stand/worker.ts'
import { isOnServer, isThorough } from '../support/tools/effort.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

const count = isOnServer ? 2000 : isThorough ? 200 : 15

test(`${count} documents created as fast as the API takes them all end completed, though a fifth of all goes wrong`, async () => {
  const random = new Random(11)
  const tenants = await Promise.all([stand.tenant(), stand.tenant(), stand.tenant()])
  const sent: WorkMessage[] = []
  let failedSends = 0
  /** Every fifth send fails. */
  const queue: Queue = {
    send(work) {
      if (random.chance(0.2)) {
        failedSends++
        return Promise.reject(new Error('the queue is away'))
      }
      sent.push(work)
      return Promise.resolve()
    },
    changeVisibility: () => Promise.resolve(),
  }
  const app = documentsApp({ presigner: unusedPresigner, db: databaseAs('cuecard_documents'), queue })
  provider.script([], () =>
    random.chance(0.2) ? random.pick(['too_many_requests', 'server_error', 'unavailable_retry_after'] as const) : 'ok',
  )
  const content = (i: number) =>
    `Document ${i} tells of the price of item ${i}.\n\nItem ${i} costs ${i} euros, delivery included, everywhere.`

  const created = new Map<string, number>()
  let next = 0
  async function create() {
    for (let i = next++; i < count; i = next++) {
      const tenant = tenants[i % tenants.length]!
      const response = await app.request(tenant.knowledgeBase, {
        method: 'POST',
        headers: { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ title: `Document ${i}`, content: content(i) }),
      })
      expect(response.status).toBe(201)
      created.set(((await response.json()) as { id: string }).id, i)
    }
  }

  let crashes = 0
  let rounds = 0
  let busy = 0
  async function work() {
    const open = sql<{ n: number }>`select count(*)::int as n from documents where status in ('pending', 'processing')`
    for (;;) {
      const batch = sent.splice(0, 10)
      if (batch.length === 0) {
        if (created.size === count && (await open.execute(stand.db)).rows[0]!.n === 0) return
        // A live worker’s lease does not run out.
        if (busy === 0) await pass()
        else await new Promise(setImmediate)
        if (++rounds > 100_000) throw new Error('documents that never end')
        continue
      }
      if (random.chance(0.6)) {
        crashes++
        const { commit, part, claim } = statements
        connection.lose(random.pick(['before', 'after']), random.pick([commit, part, claim]))
      }
      busy++
      const documents = batch.map(({ documentId, organizationId }) => ({ id: documentId, organizationId }))
      const options = { queue, ...(random.chance(0.5) && { callLimits: { inputs: 1, tokens: 1000 } }) }
      await newWorker(stand, provider, options)(documents).finally(() => busy--)
    }
  }

  /** Five minutes pass, and the sweeper comes. */
  async function pass() {
    const by = sql`interval '5 minutes'`
    await sql`update documents set lease_expires_at = lease_expires_at - ${by}, next_attempt_at = next_attempt_at - ${by},
      resend_at = resend_at - ${by}`.execute(stand.db)
    await sweep(sweeperWith(queue))
  }

  await Promise.all([create(), create(), create(), create(), work(), work(), work()])

  const { rows } = await sql<{
    id: string
    status: string
    error_code: string | null
    content: string
    stored: number
  }>`
    select id, status, error_code, content,
      (select count(*)::int from chunks c where c.document_id = d.id and c.revision <= d.active_revision and c.sketch is not null
        and exists (select from vectors v where v.document_id = d.id and v.id = c.vector_id)) as stored
    from documents d`.execute(stand.db)
  expect(rows.map((row) => row.id).sort()).toEqual([...created.keys()].sort())
  const unexpected = rows.filter(
    (row) => row.status !== 'completed' && !(row.status === 'error' && row.error_code === 'attempts_exhausted'),
  )
  expect(unexpected).toEqual([])
  for (const row of rows.filter((each) => each.status === 'completed')) {
    expect(row.content).toBe(content(created.get(row.id)!))
    expect(row.stored).toBe(chunk(row.content, { targetTokens: 12, overlapTokens: 0 }).length)
  }
  expect(await strayRows(stand.db)).toEqual([])
  const exhausted = rows.filter((row) => row.status === 'error').length
  expect(exhausted).toBeLessThanOrEqual(count / 100)
  expect(failedSends).toBeGreaterThan(count / 10)
  console.info('load', { count, failedSends, crashes, exhausted, providerCalls: provider.calls.length })
}, 900_000)
