import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { consumer } from '../../functions/embedding/consumer.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { changeModels } from '../../infra/embedding-models.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import type { ModelMessage, Queue, WorkMessage } from '../../shared/queue.ts'
import { semaphore } from '../../shared/semaphore.ts'
import { newSearch } from '../support/own-search.ts'
import { twoModels } from '../support/reversed-embedder.ts'
import { type Tenant, useStand } from '../support/stand.ts'
import { databaseAs, sweeperWith } from '../support/worker.ts'

const stand = useStand()
const provider = { baseUrl: 'http://127.0.0.1:1/v1' }

/** A worker of a test's own, and the messages that it, and the sweeper, send. */
function workerWith(embedder: Embedder) {
  const sent: (WorkMessage | ModelMessage)[] = []
  const queue: Queue = { send: async (work) => void sent.push(work), changeVisibility: async () => {} }
  const handler = consumer({
    ...{ db: databaseAs('cuecard_embedding'), queue, embedder, chunkSize: { targetTokens: 12, overlapTokens: 0 } },
    ...{ callLimits: { inputs: 512, tokens: 290_000 }, semaphore: semaphore(4) },
  })
  const deliver = (body: object) =>
    handler({ Records: [{ messageId: 'm', receiptHandle: 'r', body: JSON.stringify({ v: 1, ...body }) }] } as never, {
      getRemainingTimeInMillis: () => 110_000,
    })
  return {
    sent,
    embed: ({ organizationId }: Tenant, id: string) => deliver({ organization_id: organizationId, document_id: id }),
    change: ({ organizationId, agentId }: Tenant) => deliver({ organization_id: organizationId, agent_id: agentId }),
    sweep: () => sweep(sweeperWith(queue)),
  }
}

async function documentOf(tenant: Tenant, title: string, content: string, worker: ReturnType<typeof workerWith>) {
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title, content })
  await worker.embed(tenant, body.id)
  return body.id as string
}

const embeddingOf = async (tenant: Tenant) => (await tenant.call('GET', `/v1/agents/${tenant.agentId}`)).body.embedding

/** Other files' agents have nothing to do with it. */
afterEach(() =>
  sql`update agents set next_model = null, former_model = null, former_until = null, model_due_at = null`.execute(
    stand.db,
  ),
)

test('an agent changes its model without a search that compares two, and returns', async () => {
  const tenant = await stand.tenant()
  const { first, calls, changing, returning } = twoModels()
  const worker = workerWith(first)
  await documentOf(tenant, 'Opening', 'We open at nine on Monday. We close at six on Friday.', worker)
  await documentOf(tenant, 'Parking', 'Guests park behind the house free of charge.', worker)
  expect(await embeddingOf(tenant)).toEqual({ model: 'first', next: null })
  const question = { query: 'Where do guests park?', mode: 'semantic' }
  const { search } = newSearch(provider, { embedder: changing })
  expect((await search(tenant, question)).body.data[0]).toMatchObject({ document_title: 'Parking' })
  await changeModels(stand.db, 'second', 'first')
  expect(await embeddingOf(tenant)).toMatchObject({ model: 'first', next: { model: 'second', embedded: 0 } })
  calls.length = 0
  await workerWith(changing).change(tenant)
  expect(calls.map(({ model }) => model)).toEqual(['second'])
  expect(await embeddingOf(tenant)).toEqual({ model: 'second', next: null })
  for (const mode of ['semantic', 'hybrid']) {
    const { body } = await search(tenant, { ...question, mode })
    expect(body.data[0]).toMatchObject({ document_title: 'Parking' })
    expect(body.degraded).toBeNull()
  }
  calls.length = 0
  await changeModels(stand.db, 'first', 'second')
  await workerWith(returning).change(tenant)
  expect(calls).toEqual([])
  expect(await embeddingOf(tenant)).toEqual({ model: 'first', next: null })
  expect((await search(tenant, question)).body.data[0]).toMatchObject({ document_title: 'Parking' })
})
