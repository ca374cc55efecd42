import { describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import { levels } from '../../shared/retrieval/answerable.ts'
import { keepQuestions, storeQuestions } from '../support/documents/asked-questions.ts'
import { pagesOf } from '../support/http/pages.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

const listed = async ({ agentId, call }: Tenant, query: Record<string, string> = {}) =>
  await call('GET', `/v1/agents/${agentId}/questions?${new URLSearchParams(query)}`)

const questionsOf = async (tenant: Tenant, query?: Record<string, string>): Promise<string[]> =>
  (await listed(tenant, query)).body.data.map(({ question }: { question: string }) => question)

describe('the list of questions', () => {
  test('has each question and its hits, with the revision that was served', async () => {
    const tenant = await stand.tenant()
    await keepQuestions(stand, tenant)
    const { body: document } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Hours', content: 'Closed.' })
    await stand.deliver()
    const edited = { content: 'On Sunday we are closed.' }
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${document.id}`, edited)
    await stand.deliver()
    const { body: answer } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'Open on Sunday?' })
    const { body: kept } = await listed(tenant)
    expect(kept).toEqual({
      data: [
        {
          id: expect.any(String),
          asked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          question: 'Open on Sunday?',
          call_id: null,
          mode: 'hybrid',
          degraded: null,
          answerable: answer.answerable,
          status: 'found',
          value: answer.value,
          milliseconds: expect.any(Number),
          hits: [{ document_id: document.id, revision: 2, chunk_index: 0, score: answer.data[0].score }],
        },
      ],
      has_more: false,
      next_cursor: null,
    })
  })

  test('has the value that a table gave', async () => {
    const tenant = await stand.tenant()
    await keepQuestions(stand, tenant)
    const content = '| Pizza | Small | Large |\n| --- | --- | --- |\n| Diavola | £9.20 | £14.20 |'
    await tenant.call('POST', tenant.knowledgeBase, { title: 'Menu', content })
    await stand.deliver()
    const query = 'what does a large diavola cost'
    const { body: answer } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })
    expect(answer.value).toMatchObject({ text: '£14.20' })
    const { status, value } = answer
    expect((await listed(tenant)).body.data).toMatchObject([{ question: query, status, value }])
  })

  test('is newest first, and Link leads through its pages with their filter', async () => {
    const tenant = await stand.tenant()
    const asked = Array.from({ length: 5 }, (_, i) => ({ question: `${i}`, status: levels[i % 2 ? 0 : 1] }))
    await storeQuestions(stand, tenant, ...asked)
    const follow = async (path: string) => {
      const pages = await pagesOf(tenant, path, () => storeQuestions(stand, tenant, { question: 'meanwhile' }))
      return pages.flat().map(({ question }) => question)
    }
    const path = `/v1/agents/${tenant.agentId}/questions`
    expect(await follow(`${path}?limit=2`)).toEqual(['4', '3', '2', '1', '0'])
    expect(await follow(`${path}?limit=1&answered=true`)).toEqual(['3', '1'])
    const { next_cursor: cursor } = (await listed(tenant, { limit: '1', answered: 'true' })).body
    expect(await listed(tenant, { answered: 'false', cursor })).toMatchObject({ body: { code: 'invalid_cursor' } })
  })

  test('can be filtered by call, by answer and by time', async () => {
    const tenant = await stand.tenant()
    for (const asked of [
      { question: 'old', daysAgo: 20, status: 'found' },
      { question: 'first', daysAgo: 2, call_id: 'call 1', status: 'found' },
      { question: 'second', daysAgo: 1, call_id: 'call 1', status: 'uncertain' },
      { question: 'other', daysAgo: 0, call_id: 'call 2', status: 'nothing' },
    ] as const)
      await storeQuestions(stand, tenant, asked)
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    expect(await questionsOf(tenant, { call_id: 'call 1' })).toEqual(['second', 'first'])
    expect(await questionsOf(tenant, { call_id: 'call 1', answered: 'false' })).toEqual(['second'])
    expect(await questionsOf(tenant, { answered: 'true' })).toEqual(['first', 'old'])
    expect(await questionsOf(tenant, { from: daysAgo(3), to: daysAgo(0.5) })).toEqual(['second', 'first'])
    const [newest] = (await listed(tenant, { call_id: 'call 1' })).body.data
    const inParis = newest.asked_at.replace('Z', '+00:00')
    expect(await questionsOf(tenant, { to: inParis })).toEqual(['first', 'old'])
    expect(await questionsOf(tenant, { from: inParis })).toEqual(['other', 'second'])
  })

  test('omits questions older than 30 days and those of other agents', async () => {
    const [tenant, other] = [await stand.tenant(), await stand.tenant()]
    const { id } = await createAgent(stand.db, tenant.organizationId as never, 'Second')
    await storeQuestions(stand, tenant, { question: 'expired', daysAgo: 31 }, { question: 'kept', daysAgo: 29 })
    await storeQuestions(stand, other, { question: 'another organization’s' })
    expect(await questionsOf(tenant)).toEqual(['kept'])
    expect(await questionsOf({ ...tenant, agentId: id })).toEqual([])
  })

  test.each([
    ['call_id', ['', 'a'.repeat(256), 'a\u0007', 'a\u2028b']],
    ['answered', ['', 'yes', 'TRUE', '1']],
    ['from', ['', 'yesterday', '2026-03-02', '2026-03-02T08:15:30', '2026-02-30T08:15:30Z', '2026-03-02T25:15:30Z']],
    ['to', ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00', '2026-03-02T08:15:30+0100', '2026-3-2T08:15:30Z']],
  ])('is refused with a malformed %s', async (parameter, values) => {
    const tenant = await stand.tenant()
    for (const value of values)
      expect(await listed(tenant, { [parameter]: value }), value).toMatchObject({
        status: 400,
        body: { code: 'invalid_parameter', errors: [{ parameter }] },
      })
  })
})
