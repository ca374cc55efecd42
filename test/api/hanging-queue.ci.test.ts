import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { documentsApp } from '../../functions/documents/app.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { lambdas } from '../../infra/wiring.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import type { Message } from '../../shared/work/message.ts'
import type { Queue } from '../../shared/work/outbox.ts'
import { configuredQueue, sqsQueue } from '../../shared/work/sqs-queue.ts'
import { listen } from '../support/http/loopback.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import { databaseAs, keptQueue, newWorker, sweeperWith } from '../support/stand/worker.ts'

// A queue that accepts every request and answers none.
const provider = useFakeProvider()
const stand = useStand()
const arrivals: string[] = []
let silent: Awaited<ReturnType<typeof listen>>
let queue: Queue

beforeAll(async () => {
  silent = await listen((request) => void arrivals.push(String(request.headers['x-amz-target'])))
  process.env.QUEUE_URL = `${silent.origin}/000000000000/embedding`
  process.env.AWS_ENDPOINT_URL_SQS = silent.origin
  queue = configuredQueue('embedding')
})
beforeEach(() => {
  arrivals.length = 0
})
afterAll(() => silent?.close())

/** Calls the documents Lambda, which fails after its time-out. */
async function call(tenant: Tenant, method: string, path: string, body: object, via = queue) {
  const handler = lambdaHandler(
    documentsApp({ presigner: unusedPresigner, db: databaseAs('cuecard_documents'), queue: via }),
  )
  const headers = { 'content-type': 'application/json', 'x-api-key': tenant.apiKey }
  const event = toEvent({ method, url: path, headers, body: JSON.stringify(body) }, lambdas.documents.routes)!
  const { timeoutSeconds } = lambdas.documents
  const result = await invoke(handler, event, { functionName: 'documents', timeoutSeconds })
  return { status: result.statusCode, body: JSON.parse(result.body!) }
}

async function swept(): Promise<string[]> {
  const kept = keptQueue()
  await sweep(sweeperWith(kept.queue))
  return kept.sent.map((each) => each.id)
}

test('POST and PATCH answer in time, and the sweeper sends their messages', async () => {
  const tenant = await stand.tenant()
  const created = await call(tenant, 'POST', tenant.knowledgeBase, { title: 'T', content: 'One.' })
  expect(created).toMatchObject({ status: 201, body: { status: 'pending' } })
  expect(await swept()).toEqual([created.body.id])
  const path = `${tenant.knowledgeBase}/${created.body.id}`
  expect(await call(tenant, 'PATCH', path, { content: 'Two.' })).toMatchObject({ status: 200 })
  expect(await swept()).toEqual([created.body.id])
  expect(new Set(arrivals)).toEqual(new Set(['AmazonSQS.SendMessageBatch']))
}, 90_000)

test('a sweep of a thousand documents ends in time, and leaves all of them to the next sweep', async () => {
  const tenant = await stand.tenant()
  await sql`
    insert into documents (organization_id, id, agent_id, title, content, content_hash, status, managed_by, resend_at)
    select ${tenant.organizationId}, gen_random_uuid(), ${tenant.agentId}, 'T', 'x', '\\x00', 'pending', 'service', now()
    from generate_series(1, 1000)`.execute(stand.db)
  const { timeoutSeconds } = lambdas.sweeper
  const handler = (_: object, context: { getRemainingTimeInMillis(): number }) =>
    sweep(sweeperWith(queue), context.getRemainingTimeInMillis)
  const report = await invoke(handler, {}, { functionName: 'sweeper', timeoutSeconds })
  expect(report).toMatchObject({ resent: 0, send_failures: 1000 })
  // After a few sends it stops: at most two rounds, each tried twice.
  expect(arrivals.length).toBeLessThanOrEqual(100)
  expect(await swept()).toHaveLength(1000)
}, 90_000)

test('a sweep whose time is nearly up sends no more, and leaves the rest to the next', async () => {
  const tenant = await stand.tenant()
  for (let i = 0; i < 3; i++) await call(tenant, 'POST', tenant.knowledgeBase, { title: 'T', content: `Text ${i}.` })
  const kept = keptQueue()
  const report = await sweep(sweeperWith(kept.queue), () => 14_000)
  expect(report).toMatchObject({ resent: 0, send_failures: 3 })
  expect(kept.sent).toEqual([])
  expect(await swept()).toHaveLength(3)
})

test('a worker ends a batch in time when it postpones a document and when it fails', async () => {
  const tenant = await stand.tenant()
  const make = async (content: string) => {
    const { body } = await call(tenant, 'POST', tenant.knowledgeBase, { title: 'T', content }, keptQueue().queue)
    return { id: body.id as string, organizationId: tenant.organizationId }
  }
  const busy = await make('Busy.')
  provider.script(['too_many_requests'])
  expect(await newWorker(stand, provider, { queue, random: () => 0 })([busy])).toEqual({ batchItemFailures: [] })
  const bug = await make('A bug.')
  const embedder = { model: 'm', embed: () => Promise.reject(new TypeError('a fault of ours')) }
  expect(await newWorker(stand, provider, { queue, embedder })([bug])).toEqual({
    batchItemFailures: [{ itemIdentifier: bug.id }],
  })
  expect(new Set(arrivals)).toEqual(new Set(['AmazonSQS.SendMessageBatch', 'AmazonSQS.ChangeMessageVisibility']))
}, 30_000)

test('the wait for credentials is no longer than that for the queue', async () => {
  const work = { organizationId: 'o', kind: 'document', id: 'd' } as Message
  await expect(sqsQueue(`${silent.origin}/queue`, () => new Promise(() => {})).send(work)).rejects.toThrow(Unavailable)
}, 30_000)
