import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { checkDocuments } from '../../infra/admin/health.ts'
import { requestMeters } from '../../shared/http/request-meter.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { poison } from '../support/provider/provider-responses.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { limit, limitedTenant } from '../support/stand/tenant.ts'
import { databaseAs, keptQueue, newWorker, sweeperWith } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()

const limited = (tokens_per_day: number) => limitedTenant(stand, { tokens_per_day })

const text = (words: number) => Array.from({ length: words }, (_, i) => `word${i}.`).join(' ')

async function create(tenant: Tenant, content = text(20)) {
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content })
  return {
    id: body.id as string,
    organizationId: tenant.organizationId,
    read: async () => (await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body,
    patch: async (change: object) => (await tenant.call('PATCH', `${tenant.knowledgeBase}/${body.id}`, change)).body,
  }
}

/** A document that a worker has found to be beyond the day's tokens. */
async function waiting() {
  const tenant = await limited(0)
  const document = await create(tenant)
  const work = newWorker(stand, provider)
  await work([document])
  return { tenant, document, work }
}

const tokensToday = async (tenant: Tenant): Promise<number> =>
  (await tenant.call('GET', '/v1/organization/usage')).body.use.tokens_today

/** Records tokens of today. */
const use = (tenant: Tenant, tokens: number) =>
  sql`insert into embedded_tokens values (${tenant.organizationId}, (now() at time zone 'utc')::date, ${tokens})`.execute(
    stand.db,
  )

describe('a document beyond the day’s tokens', () => {
  test('waits for the next day, says so, and costs nothing', async () => {
    const tenant = await limited(1000)
    await use(tenant, 1000)
    const document = await create(tenant)
    const work = newWorker(stand, provider, { random: () => 0.5 })
    expect(await work([document])).toEqual({ batchItemFailures: [] })
    expect(provider.calls).toEqual([])
    const { status, waiting } = await document.read()
    const reason =
      'The 1,000 tokens a day that the organization may have embedded are used up. It goes on at 00:00 UTC.'
    expect({ status, waiting }).toMatchObject({ status: 'pending', waiting: { reason, attempts: 1 } })
    const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0)).getTime()
    const begins = new Date(waiting.next_attempt_at).getTime()
    expect(begins).toBeGreaterThanOrEqual(midnight)
    expect(begins).toBeLessThan(midnight + 600_000)
    expect(await tokensToday(tenant)).toBe(1000)
  })

  test('is not late while it waits, and its message is sent again when it is due', async () => {
    const { document } = await waiting()
    const wait = sql`(next_attempt_at - now() + interval '1 minute')`
    const passed = sql`update documents set next_attempt_at = next_attempt_at - ${wait}, resend_at = resend_at - ${wait},
        pending_since = pending_since - ${wait} where id = ${document.id}`
    const kept = keptQueue()
    await sweep(sweeperWith(kept.queue))
    expect(kept.sent).toEqual([])
    await passed.execute(stand.db)
    await sweep(sweeperWith(kept.queue))
    expect(kept.sent.map(({ id }) => id)).toContain(document.id)
    expect((await document.read()).status).toBe('pending')
  })

  test('is processed after a retry as soon as there are more', async () => {
    const { tenant, document, work } = await waiting()
    await limit(stand.db, tenant.organizationId, { tokens_per_day: 1000 })
    await document.patch({ status: 'pending' })
    await work([document])
    expect(await document.read()).toMatchObject({ status: 'completed', waiting: null })
  })

  test('starts within minutes after an operator raises the limit', async () => {
    const { tenant, document, work } = await waiting()
    await limit(stand.db, tenant.organizationId, { tokens_per_day: 1000 })
    await sql`update documents set resend_at = resend_at - interval '2 minutes' where id = ${document.id}`.execute(
      stand.db,
    )
    const kept = keptQueue()
    await sweep(sweeperWith(kept.queue))
    expect(kept.sent.map(({ id }) => id)).toContain(document.id)
    await work([document])
    expect(await document.read()).toMatchObject({ status: 'completed', waiting: null })
  })

  test('is shown to the operator neither as the provider’s fault nor with a negative age', async () => {
    await waiting()
    const checked = await checkDocuments(stand.db)
    expect(checked.waiting_for_tokens_of_the_next_day).toBeGreaterThanOrEqual(1)
    expect(checked.provider_fault).toBeNull()
    expect(checked.oldest_pending_seconds).toBeGreaterThanOrEqual(0)
  })

  test('also waits if they are used up before its golden questions are embedded', async () => {
    const tenant = await limited(1000)
    const question = 'Which word is the first?'
    const expects = { nothing: true }
    const asked = () => provider.calls.flatMap(({ texts }) => texts)
    await tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, { question, expects })
    await sql`update golden_questions set model = 'before' where organization_id = ${tenant.organizationId}`.execute(
      stand.db,
    )
    await use(tenant, 900)
    const document = await create(tenant, text(60))
    const work = newWorker(stand, provider)
    await work([document])
    expect(await document.read()).toMatchObject({
      status: 'pending',
      waiting: { reason: expect.stringContaining('tokens a day') },
    })
    expect(asked()).not.toContain(question)
    await limit(stand.db, tenant.organizationId, { tokens_per_day: 10_000 })
    await document.patch({ status: 'pending' })
    const before = await tokensToday(tenant)
    await work([document])
    expect((await document.read()).status).toBe('completed')
    expect(asked()).toContain(question)
    expect((await tokensToday(tenant)) - before).toBe(question.length / 4)
  })

  test('is served unchanged while an edit of it waits', async () => {
    const tenant = await limited(1000)
    const document = await create(tenant, 'The gate code is 4711.')
    const work = newWorker(stand, provider)
    await work([document])
    await use(tenant, 1000).catch(() => limit(stand.db, tenant.organizationId, { tokens_per_day: 0 }))
    await document.patch({ content: 'The gate code is 4712.' })
    await work([document])
    const query = { query: 'gate code', mode: 'keyword' }
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, query)
    expect(body.data[0].content).toContain('4711')
  })
})

test('the day’s tokens are exceeded by at most one call, however many documents come at once', async () => {
  const tenant = await limited(60)
  const documents = await Promise.all(Array.from({ length: 10 }, () => create(tenant, text(40))))
  const work = newWorker(stand, provider)
  for (const document of documents) await work([document])
  const states = await Promise.all(documents.map(async ({ read }) => (await read()).status))
  const completed = states.filter((status) => status === 'completed').length
  expect(states.filter((status) => status === 'pending')).toHaveLength(10 - completed)
  expect(completed).toBeGreaterThanOrEqual(1)
  const used = await tokensToday(tenant)
  expect(used).toBeGreaterThanOrEqual(60)
  expect(used - used / completed).toBeLessThan(60)
})

test('a database fault while tokens are returned fails only the document, and the worker continues', async () => {
  const tenant = await limited(100_000)
  const document = await create(tenant, text(200))
  provider.script(Array(8).fill('server_error'))
  const db = databaseAs('cuecard_embedding')
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`.execute(stand.db)
  await sql`create trigger refuse before update on embedded_tokens for each row
    when (new.tokens < old.tokens) execute function refuse()`.execute(stand.db)
  const work = newWorker(stand, provider, { db, callLimits: { inputs: 1, tokens: 100 }, concurrency: 2 })
  const before = provider.calls.length
  expect((await work([document])).batchItemFailures).toHaveLength(1)
  const made = provider.calls.length - before
  await sql`drop trigger refuse on embedded_tokens`.execute(stand.db)
  provider.script([])
  // Two in flight together, each tried twice: none began after the fault.
  expect(made).toBeLessThanOrEqual(4)
  await sql`update documents set next_attempt_at = now() where id = ${document.id}`.execute(stand.db)
  await newWorker(stand, provider)([document])
  expect((await document.read()).status).toBe('completed')
})

test('a call that the provider does not answer with vectors costs nothing', async () => {
  const tenant = await limited(1000)
  const document = await create(tenant)
  provider.script(['too_many_requests'])
  await newWorker(stand, provider)([document])
  expect((await document.read()).status).toBe('pending')
  expect(await tokensToday(tenant)).toBe(0)
})

test('a golden question without a vector costs nothing, and a rejected one is asked by its keywords', async () => {
  const tenant = await limited(10_000)
  const [rejected, other] = [`Which word is the ${poison}?`, 'Which word is the last?']
  for (const question of [rejected, other])
    await tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, {
      question,
      expects: { words: 'word0' },
    })
  await sql`update golden_questions set model = 'before' where organization_id = ${tenant.organizationId}`.execute(
    stand.db,
  )
  const ofQuestions = await tokensToday(tenant)
  const document = await create(tenant)
  const work = newWorker(stand, provider)
  provider.script([], ({ texts }) => (texts.includes(other) ? 'too_many_requests' : 'ok'))
  await work([document])
  expect((await document.read()).waiting.reason).toContain('429')
  const ofChunks = (await tokensToday(tenant)) - ofQuestions
  provider.script([])
  await document.patch({ status: 'pending' })
  await work([document])
  expect(await document.read()).toMatchObject({ status: 'completed', error_message: null })
  expect((await tokensToday(tenant)) - ofQuestions - ofChunks).toBe(Math.ceil(other.length / 4))
  const { rows } = await sql<{ question: string }>`select question from golden_questions
    where organization_id = ${tenant.organizationId} and model = 'before'`.execute(stand.db)
  expect(rows).toEqual([{ question: rejected }])
  const plain = await limited(10_000)
  await work([await create(plain)])
  expect(ofChunks).toBe(await tokensToday(plain))
})

describe('a question beyond the day’s tokens', () => {
  async function used() {
    const tenant = await limited(1000)
    const document = await create(tenant, 'The gate code is 4711.')
    await newWorker(stand, provider)([document])
    await limit(stand.db, tenant.organizationId, { tokens_per_day: 0 })
    return { tenant, ...newSearch(provider) }
  }

  test('is answered by keywords without a call to the provider', async () => {
    const { tenant, search } = await used()
    const before = provider.calls.length
    const { status, body } = await search(tenant, { query: 'gate code' })
    expect({ status, degraded: body.degraded }).toEqual({ status: 200, degraded: 'keyword_only' })
    expect(body.data[0].content).toContain('4711')
    expect(provider.calls).toHaveLength(before)
  })

  test.each(['semantic search', 'prefetch'])('is 429 if it needs a vector: %s', async (what) => {
    const { tenant, search, prefetch } = await used()
    const query = 'gate code'
    const asked = what === 'prefetch' ? prefetch(tenant, query) : search(tenant, { query, mode: 'semantic' })
    const { status, body, headers } = await asked
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(headers['ratelimit-policy']).toBe('"tokens";q=0;w=86400')
    const wait = Number(headers['retry-after'])
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(86_400)
    expect(headers.ratelimit).toBe(`"tokens";r=0;t=${wait}`)
  })

  test('does not result from questions that the provider did not answer', async () => {
    const tenant = await limited(1000)
    const { search } = newSearch(provider)
    provider.script([], 'server_error')
    for (let i = 0; i < 5; i++)
      expect((await search(tenant, { query: `gate code ${i}` })).body.degraded).toBe('keyword_only')
    expect(await tokensToday(tenant)).toBe(0)
  })

  test('is embedded as soon as the limit is raised, even if nothing else is counted', async () => {
    const tenant = await limited(10)
    const id = tenant.organizationId as OrganizationId
    let milliseconds = 0
    const meter = requestMeters(databaseAs('cuecard_dashboard'), { now: () => milliseconds })(id)
    await meter.reserveTokens(20)
    await meter.finish(0)
    await expect(meter.reserveTokens(1)).rejects.toThrow('used up')
    await limit(stand.db, tenant.organizationId, { tokens_per_day: 1000 })
    milliseconds += 1000
    await meter.admit()
    await meter.reserveTokens(1)
  })

  test('is found by its vector if that is known', async () => {
    const tenant = await limited(1000)
    const { search } = newSearch(provider)
    await search(tenant, { query: 'gate code', mode: 'semantic' })
    await limit(stand.db, tenant.organizationId, { tokens_per_day: 0 })
    expect((await newSearch(provider).search(tenant, { query: 'Gate code?', mode: 'semantic' })).status).toBe(200)
  })
})

test('questions cost tokens, once for the same words', async () => {
  const tenant = await limited(1000)
  const { search } = newSearch(provider)
  await search(tenant, { query: 'x'.repeat(400), mode: 'semantic' })
  await search(tenant, { query: 'x'.repeat(400), mode: 'semantic' })
  expect(await tokensToday(tenant)).toBe(100)
})
