import { neonConfig } from '@neondatabase/serverless'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { keepQuestion } from '../../shared/retrieval/keep-question.ts'
import type { Hit } from '../../shared/retrieval/schemas.ts'
import { mcpClient } from '../mcp/mcp-client.ts'
import { keepQuestions, keptQuestions, storeQuestions } from '../support/documents/asked-questions.ts'
import { figuresOf } from '../support/logs/figures-of.ts'
import { axis } from '../support/provider/axis.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { hangingEmbedder, newSearch } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { manualClock } from '../support/time/manual-clock.ts'
import { scopeOf, searchDatabaseOf, tenantWith } from './knowledge.ts'

const provider = useFakeProvider()
const stand = useStand()

/** The requests to the database. A test may let some fail or hang. */
let sent: string[] = []
let cut: RegExp | undefined
let silenced: RegExp | undefined
neonConfig.fetchFunction = (url: string, init: RequestInit) => {
  const body = String(init.body)
  sent.push(body)
  if (cut?.test(body)) return Promise.reject(new TypeError('fetch failed'))
  if (!silenced?.test(body)) return fetch(url, init)
  return new Promise((_, reject) => init.signal!.addEventListener('abort', () => reject(init.signal!.reason)))
}
afterEach(() => {
  sent = []
  cut = undefined
  silenced = undefined
})
afterAll(() => {
  neonConfig.fetchFunction = undefined
})

const query = 'Are you open on Sunday?'
const call_id = 'Jabr9TXYYJHfvl6Syypi88rdAHYHmcq6'

const tenantWithDocument = async () =>
  (await tenantWith(stand, { title: 'Hours', content: 'On Sunday we are closed.' })).tenant

async function tenantThatKeeps(): Promise<Tenant> {
  const tenant = await tenantWithDocument()
  await keepQuestions(stand, tenant)
  return tenant
}

const search = (tenant: Tenant, body: object = { query }) => tenant.call('POST', `${tenant.knowledgeBase}/search`, body)

/** Every way in which a voice agent asks. */
const ways: Record<string, (tenant: Tenant) => Promise<unknown>> = {
  search: (tenant) => search(tenant, { query, call_id }),
  MCP: (tenant) => {
    const params = { name: 'search', arguments: { query }, _meta: { 'dev.cuecard/call_id': call_id } }
    return mcpClient(tenant).send('tools/call', params, { 'x-call-id': 'not this one' })
  },
  'MCP, as Vapi calls it': (tenant) =>
    mcpClient(tenant).send('tools/call', { name: 'search', arguments: { query } }, { 'x-call-id': call_id }),
  'Vapi, before a reply': (tenant) =>
    tenant.call('POST', `${tenant.knowledgeBase}/vapi`, {
      message: { type: 'knowledge-base-request', call: { id: call_id }, messages: [{ role: 'user', content: query }] },
    }),
  'Vapi, by a tool': (tenant) =>
    tenant.call('POST', `${tenant.knowledgeBase}/vapi`, {
      message: {
        type: 'tool-calls',
        call: { id: call_id },
        toolCallList: [{ id: 'c', function: { name: 'search', arguments: { query } } }],
      },
    }),
  Retell: (tenant) => tenant.call('POST', `${tenant.knowledgeBase}/retell`, { call: { call_id }, args: { query } }),
}

describe('a question', () => {
  test.each(Object.entries(ways))(
    'by %s is kept with its call’s id, status and value only; where questions are not kept, it costs no statement',
    async (_, ask) => {
      const [off, on] = [await tenantWithDocument(), await tenantThatKeeps()]
      const statementsOf = async (tenant: Tenant) => {
        sent = []
        await ask(tenant)
        // An instance reports its requests once a second, whatever they are.
        const own = sent.filter((body) => !body.includes('count_requests'))
        return own.map((body) => JSON.parse(body).queries?.length ?? 1)
      }
      for (const tenant of [off, on]) await ask(tenant)
      const { organizationId, agentId } = on
      const kept = await keptQuestions(stand, on)
      const [without, withLog] = [await statementsOf(off), await statementsOf(on)]
      expect(withLog).toEqual([...without, 1])
      expect(await keptQuestions(stand, off)).toEqual([])
      await keepQuestions(stand, on, false)
      const { body } = await search(on)
      expect(kept).toEqual([
        {
          organization_id: organizationId,
          agent_id: agentId,
          id: expect.any(String),
          question: query,
          call_id,
          mode: 'hybrid',
          is_degraded: false,
          is_wrong: false,
          asked_again_version: null,
          answered_since: null,
          is_answered_since: false,
          hits: body.data.map(({ chunk_id, document_id, chunk_index, score }: Hit) => ({
            chunk_id,
            document_id,
            revision: 1,
            chunk_index,
            score,
          })),
          answerable: body.answerable,
          status: body.status,
          value: body.value,
          milliseconds: expect.any(Number),
          asked_at: expect.any(Date),
        },
      ])
    },
  )

  test('from a platform is answered and kept without an invalid call id; a search with one is refused', async () => {
    const tenant = await tenantThatKeeps()
    const improper = ['', 'a'.repeat(256), 'a\n', 7, null, { id: 'c' }]
    const messages = [{ role: 'user', content: query }]
    for (const id of improper) {
      const vapi = { message: { type: 'knowledge-base-request', call: { id }, messages } }
      const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/vapi`, vapi)
      expect(body.documents).toHaveLength(1)
      const retell = { call: { call_id: id }, args: { query } }
      expect(await tenant.call('POST', `${tenant.knowledgeBase}/retell`, retell)).toMatchObject({ status: 200 })
      const params = { name: 'search', arguments: { query }, _meta: { 'dev.cuecard/call_id': id } }
      expect((await mcpClient(tenant).send('tools/call', params)).body.result.isError).toBeUndefined()
      for (const path of ['search', 'search/prefetch'])
        expect(await tenant.call('POST', `${tenant.knowledgeBase}/${path}`, { query, call_id: id })).toMatchObject({
          status: 422,
          body: { errors: [{ pointer: '/call_id' }] },
        })
    }
    const kept = await keptQuestions(stand, tenant)
    expect(kept.map(({ call_id }) => call_id)).toEqual(Array(3 * improper.length).fill(null))
  })

  test('is not kept if it is a vector, a prefetch, or words that cannot find anything', async () => {
    const tenant = await tenantThatKeeps()
    await search(tenant, { embedding: axis(1) })
    await tenant.call('POST', `${tenant.knowledgeBase}/search/prefetch`, { query, call_id })
    await search(tenant, { query: 'hello um yes please' })
    expect(await keptQuestions(stand, tenant)).toEqual([])
    const { answerable } = (await search(tenant, { query, embedding: axis(1), mode: 'semantic' })).body
    expect(await keptQuestions(stand, tenant)).toMatchObject([{ question: query, mode: 'semantic', answerable }])
  })

  test('without hits is kept as unanswered', async () => {
    const tenant = await tenantThatKeeps()
    await search(tenant, { query: 'Do you sell cars?', mode: 'keyword' })
    expect(await keptQuestions(stand, tenant)).toMatchObject([{ mode: 'keyword', hits: [], answerable: 0 }])
  })

  test('is not kept if its search is refused', async () => {
    const tenant = await tenantThatKeeps()
    expect((await search(tenant, { query, limit: 0 })).status).toBe(422)
    const elsewhere = { ...tenant, knowledgeBase: (await stand.tenant()).knowledgeBase }
    expect((await search(elsewhere)).status).toBe(404)
    expect(await keptQuestions(stand, tenant)).toEqual([])
  })

  test('is kept as degraded if it was answered by words only', async () => {
    const tenant = await tenantThatKeeps()
    const { search } = newSearch(provider)
    provider.script([], { status: 401, body: '{}' })
    expect((await search(tenant, { query })).body.degraded).toBe('keyword_only')
    expect(await keptQuestions(stand, tenant)).toMatchObject([{ mode: 'hybrid', is_degraded: true }])
  })

  test('is cut to its first 500 characters, even of surrogate pairs', async () => {
    const tenant = await tenantThatKeeps()
    await search(tenant, { query: `  ${'😀 word '.repeat(800)}`, mode: 'keyword' })
    const [kept] = await keptQuestions(stand, tenant)
    expect([...kept!.question]).toHaveLength(500)
  })
})

describe('an answer', () => {
  const isInsert = /insert into \\"question_log\\"/

  test.each([
    ['fails', () => (cut = isInsert)],
    ['hangs', () => (silenced = isInsert)],
  ])('comes in time if the log %s, and a metric counts the loss', async (_, break_) => {
    const tenant = await tenantThatKeeps()
    break_()
    let status = 0
    const figures = await figuresOf(async () => {
      ;({ status } = await search(tenant))
    })
    expect(status).toBe(200)
    expect(figures).toMatchObject({ QuestionsNotKept: 1 })
    expect(await keptQuestions(stand, tenant)).toEqual([])
  })

  test('that is late does not wait for the log', async () => {
    const tenant = await tenantThatKeeps()
    const clock = manualClock()
    const { search } = newSearch(provider, { clock, embedder: hangingEmbedder(() => clock.advance(3_000)) })
    const figures = await figuresOf(async () => {
      expect((await search(tenant, { query })).body.degraded).toBe('keyword_only')
    })
    expect(figures).toMatchObject({ QuestionsNotKept: 1 })
    expect(sent.filter((body) => isInsert.test(body))).toEqual([])
  })

  test('waits for the log no longer than its deadline allows', async () => {
    const limits = vi.spyOn(AbortSignal, 'timeout')
    const tenant = await tenantThatKeeps()
    const clock = manualClock()
    const { search } = newSearch(provider, { clock, embedder: hangingEmbedder(() => clock.advance(900)) })
    await search(tenant, { query, deadline_ms: 1_000, mode: 'keyword' })
    await search(tenant, { query, deadline_ms: 60, mode: 'keyword' })
    expect(limits.mock.calls.flat()).toEqual(expect.arrayContaining([250, 60]))
    limits.mockRestore()
  })
})

describe('the log', () => {
  const keep = (tenant: Tenant, text: string) => {
    const question = { text, mode: 'hybrid', isDegraded: false, hits: [], answerable: 0.5, milliseconds: 9 } as const
    const answer = { status: 'found', value: null } as const
    return keepQuestion(searchDatabaseOf(tenant), scopeOf(tenant), { ...question, ...answer }, 5_000)
  }

  test('accepts nothing once it is switched off, even from an instance that has not noticed yet', async () => {
    const tenant = await tenantThatKeeps()
    await search(tenant)
    await keepQuestions(stand, tenant, false)
    await search(tenant)
    expect(await keptQuestions(stand, tenant)).toHaveLength(1)
  })

  test('accepts 200 questions an hour per organization', async () => {
    const [busy, other] = [await tenantThatKeeps(), await tenantThatKeeps()]
    // In this hour and the next, which may begin before the question is asked.
    for (const daysAgo of [0, -1 / 24]) {
      const earlier = Array.from({ length: 200 }, (_, i) => ({ question: `question ${i}`, daysAgo }))
      await storeQuestions(stand, busy, ...earlier)
    }
    await keep(busy, 'one too many')
    await keep(other, 'another organization’s')
    expect(await keptQuestions(stand, busy)).toHaveLength(400)
    expect(await keptQuestions(stand, other)).toHaveLength(1)
  })

  test('keeps a question for 30 days, until the sweeper deletes it', async () => {
    const tenant = await stand.tenant()
    await storeQuestions(stand, tenant, ...[31, 29, 0, 40].map((daysAgo) => ({ question: `${daysAgo}`, daysAgo })))
    expect(await stand.sweep()).toMatchObject({ questions_purged: 2 })
    expect((await keptQuestions(stand, tenant)).map(({ question }) => question)).toEqual(['29', '0'])
    expect(await stand.sweep()).toMatchObject({ questions_purged: 0 })
  })

  test('is neither shown nor set by the API’s organization', async () => {
    const tenant = await tenantThatKeeps()
    const { body } = await tenant.call('GET', '/v1/organization')
    expect(Object.keys(body)).toEqual(['id', 'name', 'auto_delete_done_calls', 'created_at'])
    const patched = await tenant.call('PATCH', '/v1/organization', { log_questions: false })
    expect(patched.status).toBe(422)
  })
})
