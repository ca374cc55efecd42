import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { questionsApp } from '../../functions/questions/app.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { changeModels, deleteFormerModels } from '../../infra/embedding-models.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { axis } from '../support/provider/axis.ts'
import { workerWith } from '../support/provider/model-worker.ts'
import { twoModels } from '../support/provider/reversed-embedder.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { limit } from '../support/stand/tenant.ts'
import { databaseAs, sweeperWith } from '../support/stand/worker.ts'

const stand = useStand()
const provider = { baseUrl: 'http://127.0.0.1:1/v1' }

// Leaves no agent in the middle of a change.
afterEach(async () => {
  const settled = { next_model: null, former_model: null, former_until: null, model_due_at: null }
  await stand.db.updateTable('agents').set(settled).execute()
})

async function serving(embedder: Embedder = twoModels().first): Promise<Tenant> {
  const tenant = await stand.tenant()
  const worker = workerWith(embedder)
  for (const [title, content] of [
    ['Opening', 'We open at nine on Monday. We close at six on Friday.'],
    ['Parking', 'Guests park behind the house free of charge.'],
  ]) {
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title, content })
    await worker.embed(tenant, body.id)
  }
  return tenant
}

const embeddingOf = async ({ call, agentId }: Tenant) => (await call('GET', `/v1/agents/${agentId}`)).body.embedding
const question = { query: 'Where do guests park?', mode: 'semantic' }
const toSecond = () => changeModels(stand.db, 'second', 'first')

test('an agent changes when every chunk has two vectors, no search compares both, and returning costs nothing', async () => {
  const { first, calls, changing } = twoModels()
  const tenant = await serving(first)
  const { search } = newSearch(provider, { embedder: changing })
  const parking = { data: [{ document_title: 'Parking' }, {}, {}], degraded: null }
  expect((await search(tenant, question)).body).toMatchObject(parking)
  expect(await embeddingOf(tenant)).toEqual({ model: 'first', next: null })
  await toSecond()
  expect(await embeddingOf(tenant)).toEqual({
    model: 'first',
    next: { model: 'second', embedded: 0, total: 3, waiting: null },
  })
  await workerWith(changing).change(tenant)
  expect(await embeddingOf(tenant)).toEqual({ model: 'second', next: null })
  for (const mode of ['semantic', 'hybrid'])
    expect((await search(tenant, { ...question, mode })).body).toMatchObject(parking)
  calls.length = 0
  await changeModels(stand.db, 'first', 'first')
  await workerWith(changing).change(tenant)
  expect(calls).toEqual([])
  expect(await embeddingOf(tenant)).toEqual({ model: 'first', next: null })
  expect((await search(tenant, question)).body).toMatchObject(parking)
})

test('the sweeper continues the change, and later deletes the former vectors', async () => {
  const { changing } = twoModels()
  const tenant = await serving()
  await toSecond()
  const { agentId, organizationId } = tenant
  const worker = workerWith(changing)
  const swept = async () => {
    worker.sent.length = 0
    await sweep(sweeperWith(worker.queue))
    return worker.sent.filter(({ kind, id }) => kind === 'agent' && id === agentId)
  }
  expect(await swept()).toEqual([{ organizationId, kind: 'agent', id: agentId }])
  expect(await swept()).toEqual([])
  await worker.change(tenant)
  const vectors = async () => {
    const of = sql`where organization_id = ${organizationId}`
    const { rows } = await sql<{ model: string }>`select model from vectors ${of}`.execute(stand.db)
    return rows.map(({ model }) => model)
  }
  await worker.change(tenant)
  expect((await vectors()).toSorted()).toEqual(['first', 'first', 'first', 'second', 'second', 'second'])
  await deleteFormerModels(stand.db)
  expect(await swept()).toHaveLength(1)
  await worker.change(tenant)
  expect(await vectors()).toEqual(['second', 'second', 'second'])
  expect(await swept()).toEqual([])
})

test('an unavailable provider delays only the change, and so do used-up tokens', async () => {
  const { changing } = twoModels((model) => {
    if (model === 'second') throw new EmbeddingError('unavailable', 'The provider is down')
  })
  const tenant = await serving()
  await toSecond()
  const worker = workerWith(changing)
  await worker.change(tenant)
  expect((await embeddingOf(tenant)).next).toMatchObject({ embedded: 0, waiting: 'The provider is down' })
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'New', content: 'The pool opens in May.' })
  await worker.embed(tenant, body.id)
  expect((await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body.status).toBe('completed')
  const { search } = newSearch(provider, { embedder: changing })
  expect((await search(tenant, { query: 'When does the pool open?' })).body).toMatchObject({
    data: [{ document_title: 'New' }, {}, {}, {}],
    degraded: null,
  })
  await limit(stand.db, tenant.organizationId, { tokens_per_day: 100 })
  await sql`update embedded_tokens set tokens = 90 where organization_id = ${tenant.organizationId}`.execute(stand.db)
  await workerWith(twoModels().changing).change(tenant)
  expect((await embeddingOf(tenant)).next.waiting).toContain('tokens a day')
})

test('a client’s own chunks block the change, and are listed', async () => {
  const { changing } = twoModels()
  const tenant = await serving()
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Own' })
  const path = `${tenant.knowledgeBase}/${body.id}`
  await tenant.call('POST', `${path}/chunks`, { chunks: [{ content: 'a', chunk_index: 0, embedding: axis(1) }] })
  await toSecond()
  const worker = workerWith(changing)
  await worker.change(tenant)
  const { next } = await embeddingOf(tenant)
  expect(next.waiting).toContain(body.id)
  await tenant.call('DELETE', path)
  await worker.change(tenant)
  expect(await embeddingOf(tenant)).toEqual({ model: 'second', next: null })
})

test('a client names the model of its vectors: stored chunks get those of the next one, and the agent changes', async () => {
  const { changing } = twoModels()
  const tenant = await serving()
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Own' })
  const path = `${tenant.knowledgeBase}/${body.id}/chunks`
  const upload = async (content: string, chunk_index: number, embedding_model: string) =>
    await tenant.call('POST', path, { chunks: [{ content, chunk_index, embedding: axis(1) }], embedding_model })
  expect(await upload('a', 0, 'first')).toMatchObject({ status: 201 })
  const wrong = { status: 422, body: { errors: [{ pointer: '/embedding_model' }] } }
  expect(await upload('a', 0, 'second')).toMatchObject(wrong)
  await toSecond()
  expect(await upload('b', 1, 'third')).toMatchObject(wrong)
  const conflict = { status: 409, body: { chunk_indexes: [0] } }
  expect(await upload('other', 0, 'second')).toMatchObject(conflict)
  const [stored] = (await tenant.call('GET', path)).body.data
  expect(await upload('a', 0, 'second')).toMatchObject({ status: 201, body: { data: [stored], chunk_count: 1 } })
  expect(await upload('a', 0, 'second')).toMatchObject(conflict)
  await workerWith(changing).change(tenant)
  expect(await embeddingOf(tenant)).toEqual({ model: 'second', next: null })
  expect(await upload('b', 1, 'first')).toMatchObject(wrong)
  expect(await upload('b', 1, 'second')).toMatchObject({ status: 201, body: { chunk_count: 2 } })
})

/** Passages under the title are near the question, and nothing else is. */
const near = (model: string, title: string): Embedder => ({
  model,
  embed: async (texts) =>
    texts.map((text) => Float32Array.from(axis(text.startsWith(title) || text.includes('automobile') ? 1 : 2))),
})

test('a golden question that blocks holds the agent back, and says so', async () => {
  const [first, second] = [near('first', 'Parking'), near('second', 'Opening')]
  const tenant = await serving(first)
  const call = callerOf(questionsApp({ db: databaseAs('cuecard_questions'), embedder: first }), tenant.apiKey)
  const path = `/v1/agents/${tenant.agentId}/golden-questions`
  const golden = { question: 'An automobile?', expects: { words: 'behind the house' }, within: 1, on_failure: 'block' }
  const { body } = await call('POST', path, golden)
  expect(body.last_result.passed).toBe(true)
  await toSecond()
  const worker = workerWith({ ...second, previous: first })
  await worker.change(tenant)
  expect(await embeddingOf(tenant)).toMatchObject({
    model: 'first',
    next: { model: 'second', embedded: 3, total: 3, waiting: expect.stringContaining('“An automobile?” would find') },
  })
  await call('PATCH', `${path}/${body.id}`, { on_failure: 'warn' })
  await worker.change(tenant)
  expect(await embeddingOf(tenant)).toEqual({ model: 'second', next: null })
  const { body: run } = await call('POST', `${path}/run`)
  expect(run.data[0]).toMatchObject({ passed: false, first: { document_title: 'Opening' } })
})

test('a golden question that the next model rejects is asked by its words, and delays nothing', async () => {
  const { first, changing } = twoModels()
  const tenant = await serving(first)
  const call = callerOf(questionsApp({ db: databaseAs('cuecard_questions'), embedder: first }), tenant.apiKey)
  const path = `/v1/agents/${tenant.agentId}/golden-questions`
  for (const question of ['Where do guests park?', 'When do you open?', 'Who parks behind the house?'])
    await call('POST', path, { question, expects: { words: 'e' }, on_failure: 'block' })
  await toSecond()
  const rejecting: Embedder = {
    ...changing,
    embed(texts, options) {
      if (texts.some((text) => text.startsWith('Who'))) throw new EmbeddingError('input_rejected', 'Not acceptable')
      return changing.embed(texts, options)
    },
  }
  await workerWith(rejecting).change(tenant)
  expect(await embeddingOf(tenant)).toEqual({ model: 'second', next: null })
  const { rows } = await sql<{ model: string }>`select model from golden_questions
    where organization_id = ${tenant.organizationId} order by id`.execute(stand.db)
  expect(rows.map(({ model }) => model)).toEqual(['second', 'second', 'first'])
})

test('golden questions of several round trips are all asked before the agent changes', async () => {
  const { first, changing } = twoModels()
  const tenant = await serving(first)
  const call = callerOf(questionsApp({ db: databaseAs('cuecard_questions'), embedder: first }), tenant.apiKey)
  for (let i = 0; i < 55; i++)
    await call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, {
      question: `Question ${i}: where do guests park?`,
      expects: { words: 'behind the house' },
    })
  await toSecond()
  await sql`update golden_questions set passed = null where organization_id = ${tenant.organizationId}`.execute(
    stand.db,
  )
  await workerWith(changing).change(tenant)
  expect(await embeddingOf(tenant)).toEqual({ model: 'second', next: null })
  const { rows } = await sql<{ passed: boolean; count: number }>`select passed, count(*)::int as count
    from golden_questions where organization_id = ${tenant.organizationId} and model = 'second' group by 1`.execute(
    stand.db,
  )
  expect(rows).toEqual([{ passed: true, count: 55 }])
})

test('a document in the trash delays no change, costs nothing, and is embedded again once it is restored', async () => {
  const { first, calls, changing } = twoModels()
  const tenant = await serving(first)
  const { body } = await tenant.call('GET', tenant.knowledgeBase)
  const { id } = body.data.find(({ title }: { title: string }) => title === 'Parking')
  const path = `${tenant.knowledgeBase}/${id}`
  await tenant.call('DELETE', `${path}?trash=true`)
  await toSecond()
  calls.length = 0
  await workerWith(changing).change(tenant)
  expect(await embeddingOf(tenant)).toEqual({ model: 'second', next: null })
  expect(calls.flatMap(({ texts }) => texts).join()).not.toContain('Guests park')
  const { search } = newSearch(provider, { embedder: changing })
  expect((await tenant.call('POST', `${path}/restore`)).body).toMatchObject({
    status: 'pending',
    searchable_chunk_count: 0,
  })
  await workerWith(changing).embed(tenant, id)
  expect((await search(tenant, question)).body).toMatchObject({ data: [{ document_title: 'Parking' }, {}, {}] })
})

test('a document in the trash that had both vectors is served at once after the change', async () => {
  const { first, changing } = twoModels()
  const tenant = await serving(first)
  await toSecond()
  await workerWith(changing).change(tenant)
  const { body } = await tenant.call('GET', tenant.knowledgeBase)
  const path = `${tenant.knowledgeBase}/${body.data[0].id}`
  await tenant.call('DELETE', `${path}?trash=true`)
  await changeModels(stand.db, 'first', 'first')
  await workerWith(changing).change(tenant)
  expect(await embeddingOf(tenant)).toEqual({ model: 'first', next: null })
  expect((await tenant.call('POST', `${path}/restore`)).body).toMatchObject({ status: 'completed', title: 'Parking' })
  const { search } = newSearch(provider, { embedder: changing })
  expect((await search(tenant, question)).body).toMatchObject({ data: [{ document_title: 'Parking' }, {}, {}] })
})
