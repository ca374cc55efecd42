import { type Message, PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import { credentials, region } from '../../infra/local/lambda.ts'
import { migrationNames } from '../../infra/migrations/migrate.ts'
import { databaseUsers, type QueueName } from '../../infra/wiring.ts'
import type { FormUpload } from '../../shared/files/presigner.ts'
import { deploy } from '../support/aws/deployed-system.ts'
import { makeTenant } from '../support/stand/tenant.ts'

let system: Awaited<ReturnType<typeof deploy>>
let sqs: SQSClient

beforeAll(async () => {
  system = await deploy()
  sqs = new SQSClient({ endpoint: system.sqsEndpoint, region, credentials })
})
afterAll(async () => {
  sqs?.destroy()
  await system?.close()
})

async function tenant() {
  const { apiKey: key, ...made } = await makeTenant(system.owner)
  system.secrets.push(key)
  return { ...made, key }
}

async function receive(queue: QueueName = 'embedding'): Promise<Message[]> {
  const request = new ReceiveMessageCommand({ QueueUrl: system.queues[queue].queueUrl, MaxNumberOfMessages: 10 })
  return (await sqs.send(request)).Messages ?? []
}

/** Takes the one message of a queue to its Lambda. */
async function deliver(queue: QueueName) {
  const Records = (await receive(queue)).map(({ MessageId, ReceiptHandle, Body }) => ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: { ApproximateReceiveCount: '1' },
  }))
  expect(Records).toHaveLength(1)
  expect(await system.invoke(queue, { Records })).toEqual({ batchItemFailures: [] })
}

/** Posts the form like a browser. @returns the status */
async function post({ url, fields }: FormUpload, file: string): Promise<number> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([file]))
  return (await fetch(url, { method: 'POST', body: form })).status
}

const content = 'On Sunday we are closed.'

test('the bundle that migrates brings an empty database to the newest schema, makes each login, and changes nothing in a second run', () => {
  expect(system.migrated).toEqual([
    { applied: expect.arrayContaining([...migrationNames]), made: databaseUsers },
    { applied: [], made: [] },
  ])
})

test('a document goes through the bundles from POST over SQS to a search', async () => {
  const { key, knowledgeBase } = await tenant()
  const created = await system.http('POST', knowledgeBase, key, { title: 'Hours', content })
  expect(created).toMatchObject({ status: 201, body: { status: 'pending' } })
  await deliver('embedding')

  const path = String(created.headers.location)
  const document = await system.http('GET', path, key)
  expect(document).toMatchObject({ status: 200, body: { status: 'completed', chunk_count: 1 } })
  const chunks = await system.http('GET', `${path}/chunks`, key)
  expect(chunks).toMatchObject({ status: 200, body: { data: [{ content }] } })
  const found = await system.http('POST', `${knowledgeBase}/search`, key, { query: 'Are you closed on Sunday?' })
  expect(found).toMatchObject({ status: 200, body: { data: [{ document_id: created.body.id, content }] } })
})

test('a file goes through the bundles from the dashboard over S3 to a search, and is gone with its document', async () => {
  const { key, agentId, knowledgeBase } = await tenant()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const form = (url: string, fields: Record<string, string>, cookie = '') =>
    system.send({ method: 'POST', url, headers: { ...headers, cookie }, body: `${new URLSearchParams(fields)}` })
  const { cookies = [] } = await form('/dashboard/sign-in', { key })
  const cookie = cookies.map((set) => set.split(';')[0]).join('; ')
  const file = { name: 'Öffnungszeiten.txt', bytes: `${content.length}` }
  const announced = await form(`/dashboard/agents/${agentId}/documents/files`, file, cookie)
  const { documentId, ...upload } = JSON.parse(announced.body!)
  expect(await post(upload, content)).toBe(204)
  await form(`/dashboard/agents/${agentId}/documents/${documentId}/uploaded`, {}, cookie)
  await deliver('extraction')
  await deliver('embedding')

  const found = await system.http('POST', `${knowledgeBase}/search`, key, { query: 'Are you closed on Sunday?' })
  expect(found).toMatchObject({ status: 200, body: { data: [{ document_id: documentId, content }] } })

  const url = `/dashboard/agents/${agentId}/documents/${documentId}/file`
  const { headers: answered } = await system.send({ method: 'GET', url, headers: { cookie } })
  const download = async () => await (await fetch(String(answered?.location))).text()
  expect(await download()).toBe(content)
  await system.http('DELETE', `${knowledgeBase}/${documentId}`, key)
  await system.invoke('sweeper', {})
  expect(await download()).toContain('NoSuchKey')
})

test('the other bundles respond too', async () => {
  const { key, organizationId } = await tenant()
  expect(await system.http('GET', '/v1/organization', key)).toMatchObject({ status: 200, body: { id: organizationId } })
  const agents = { status: 200, body: { data: [{ name: 'Agent' }] } }
  expect(await system.http('GET', '/v1/agents', key)).toMatchObject(agents)
  expect(await system.http('GET', '/v1/nowhere')).toMatchObject({ status: 404, body: { code: 'route_not_found' } })
})

test('the sweeper’s bundle resends messages that the queue has lost', async () => {
  const { key, knowledgeBase } = await tenant()
  const { body: document } = await system.http('POST', knowledgeBase, key, { title: 'Lost', content })
  await sqs.send(new PurgeQueueCommand({ QueueUrl: system.queues.embedding.queueUrl }))
  await sql`update documents set resend_at = now() where id = ${document.id}`.execute(system.owner)
  await system.invoke('sweeper', {})
  expect((await receive()).map(({ Body }) => JSON.parse(Body!).id)).toEqual([document.id])
})

test('the canary’s bundle finds its key in its secret and takes its journey at the public address', async () => {
  const { key, organizationId } = await tenant()
  const agent = await createAgent(system.owner, organizationId, 'Canary')
  system.keep('canary', key)
  const isDocument = new RegExp(`^/v1/agents/${agent.id}/knowledge-base/[^/]+$`)
  let isDelivered = false
  system.before(async (method, url) => {
    if (isDelivered || method !== 'GET' || !isDocument.test(url.split('?')[0]!)) return
    isDelivered = true
    await deliver('embedding')
  })
  await system.invoke('canary', {})
  const { body } = await system.http('GET', `/v1/agents/${agent.id}/knowledge-base`, key)
  expect(body.data).toEqual([])
})

test('the bundles log requests and figures under the name of their Lambda, and no secret', async () => {
  const logs = await system.stop()
  expect(logs).toContain('"message":"request"')
  expect(logs).toMatch(/"Name":"OldestPendingSeconds".*"service":"cuecard-prod-sweeper"/)
  expect(logs).toMatch(/"Name":"DocumentsCompleted".*"service":"cuecard-prod-embedding"/)
  expect(logs).toMatch(/"CanarySuccess":1\b/)
  for (const secret of system.secrets) expect(logs).not.toContain(secret)
})
