import { v7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { batchExample } from '../../functions/questions/schemas.ts'
import { createAgent } from '../../infra/admin/agents.ts'
import { allApps } from '../../infra/openapi/apps.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { keepQuestions, keptQuestions, storeQuestions } from '../support/documents/asked-questions.ts'
import { away, failing } from '../support/http/provoking.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const [example] = batchExample.questions as [(typeof batchExample.questions)[number]]
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

async function tenantThatKeeps(): Promise<Tenant> {
  const tenant = await stand.tenant()
  await keepQuestions(stand, tenant)
  return tenant
}

/** A question that was asked so many milliseconds ago. */
function asked(ago = 0, more: object = {}) {
  const msecs = Date.now() - ago
  return { ...example, id: v7({ msecs }), asked_at: new Date(msecs).toISOString(), ...more }
}

const report = ({ agentId, call }: Tenant, questions: unknown) =>
  call('POST', `/v1/agents/${agentId}/questions/batch`, { questions })
const keptOf = async (tenant: Tenant, questions: object[]) => (await report(tenant, questions)).body.kept
const listed = async ({ agentId, call }: Tenant) => (await call('GET', `/v1/agents/${agentId}/questions`)).body.data
const wordsOf = async (tenant: Tenant) => (await listed(tenant)).map(({ question }: { question: string }) => question)

describe('questions that a client answered', () => {
  test('are listed as they were asked, among those that the service answered, in the order of time', async () => {
    const tenant = await tenantThatKeeps()
    const value = { text: '£9', row: ['Diavola'], column: ['Small'], chunk_id: newId(), confidence: 0.99 }
    const whole = asked(2 * hour, { question: '  What does it cost? ', degraded: 'keyword_only', value, hits: [] })
    const { call_id: _, ...plain } = asked(hour, { question: 'Where can I park?', status: 'nothing', answerable: 0 })
    const early = asked(-4 * minute, { question: 'Are there towels?' })
    expect(await report(tenant, [plain, early, whole])).toMatchObject({ status: 200, body: { kept: 3 } })
    await storeQuestions(stand, tenant, { question: 'Are you open on Sunday?' })
    const [first, second, third, fourth] = await listed(tenant)
    expect(first).toMatchObject({ id: early.id, asked_at: early.asked_at, question: 'Are there towels?' })
    expect(second.question).toBe('Are you open on Sunday?')
    const hits = example.hits.map(({ chunk_id, ...hit }) => hit)
    expect(third).toEqual({ ...plain, call_id: null, hits })
    expect(fourth).toEqual({ ...whole, question: 'What does it cost?' })
    const kept = (await keptQuestions(stand, tenant)).find(({ id }) => id === plain.id)!.hits
    expect(kept).toEqual(example.hits)
  })

  test('are kept once, however often and at the same time they are sent', async () => {
    const tenant = await tenantThatKeeps()
    const questions = Array.from({ length: 30 }, (_, i) => asked(i * minute, { question: `Is room ${i} free?` }))
    const batches = [questions.slice(0, 20), questions.slice(10).toReversed(), questions]
    const answers = await Promise.all(batches.map((batch) => keptOf(tenant, batch)))
    expect(answers).toEqual([20, 20, 30])
    const before = await listed(tenant)
    const again = questions.map((each) => ({
      ...each,
      id: each.id.toUpperCase(),
      question: 'Another?',
      status: 'nothing',
    }))
    expect(await keptOf(tenant, [...again, again[0]!])).toBe(30)
    expect(await listed(tenant)).toEqual(before)
    expect(await keptQuestions(stand, tenant)).toHaveLength(30)
  })

  test('are not kept without searchable words, after 30 days, or where the organization keeps none', async () => {
    const [on, off] = [await tenantThatKeeps(), await stand.tenant()]
    const questions = [
      asked(0, { question: 'hello um yes please' }),
      asked(31 * day),
      asked(0, { asked_at: '0001-01-01T00:00:00Z' }),
    ]
    expect(await keptOf(on, questions)).toBe(0)
    const kept = asked(29 * day, { question: `${'😀 word '.repeat(800)}` })
    expect(await keptOf(on, [...questions, kept])).toBe(1)
    const [{ question }] = await listed(on)
    expect([...question]).toHaveLength(500)
    expect(await keptOf(off, [kept, asked()])).toBe(0)
    expect(await keptQuestions(stand, off)).toEqual([])
  })

  test('are the agent’s own: another organization’s agent is not found, and its ids are free', async () => {
    const [mine, theirs] = [await tenantThatKeeps(), await tenantThatKeeps()]
    const { id: agentId } = await createAgent(stand.db, mine.organizationId as OrganizationId, 'Second')
    const question = asked()
    expect(await keptOf(theirs, [question])).toBe(1)
    for (const questions of [[question], [asked(40 * day)]])
      for (const asker of [mine, await stand.tenant()])
        for (const agentId of [theirs.agentId, newId()])
          expect(await report({ ...asker, agentId }, questions)).toMatchObject({
            status: 404,
            body: { code: 'agent_not_found' },
          })
    expect(await keptQuestions(stand, mine)).toEqual([])
    for (const tenant of [mine, { ...mine, agentId }]) {
      expect(await keptOf(tenant, [{ ...question, question: 'My towels?' }])).toBe(1)
      expect(await wordsOf(tenant)).toEqual(['My towels?'])
    }
    expect(await wordsOf(theirs)).toEqual([question.question])
  })

  test('are kept up to 200 of an hour, also if they come late, together and in any order', async () => {
    const tenant = await tenantThatKeeps()
    const start = Math.floor(Date.now() / hour) * hour - 20 * day
    const batchAt = (at: number) =>
      Array.from({ length: 100 }, (_, i) => asked(Date.now() - at, { question: `Is room ${i} free?` }))
    const batches = [0, 20, 40, 59].map((minutes) => batchAt(start + minutes * minute))
    const answers: number[] = await Promise.all(batches.map((batch) => keptOf(tenant, batch)))
    expect(answers.toSorted()).toEqual([0, 0, 100, 100])
    expect(await keptOf(tenant, batches[answers.indexOf(0)]!)).toBe(0)
    expect(await keptOf(tenant, batches[answers.indexOf(100)]!)).toBe(100)
    for (const other of [start - minute, start + hour + minute]) expect(await keptOf(tenant, batchAt(other))).toBe(100)
    expect(await keptQuestions(stand, tenant)).toHaveLength(400)
  })
})

test('what the list says of a tiny probability is what the log can hold', async () => {
  const tenant = await tenantThatKeeps()
  expect(await keptOf(tenant, [asked(0, { answerable: 5e-324 })])).toBe(1)
  expect(await listed(tenant)).toMatchObject([{ answerable: 0 }])
})

test('a 503 says that a repeat is safe', async () => {
  const { agentId, apiKey } = await stand.tenant()
  const call = callerOf(allApps(failing(1, away)).questions!, apiKey)
  const { status, body } = await call('POST', `/v1/agents/${agentId}/questions/batch`, { questions: [asked()] })
  expect(status).toBe(503)
  expect(body.detail).toMatch(/^It is unknown whether .* safe\.$/)
})

const [hit] = example.hits
const value = { text: '£9', row: ['Diavola'], column: ['Small'], chunk_id: newId(), confidence: 0.99 }
const { asked_at: _, ...timeless } = asked()

test.each<[string, object | object[], string]>([
  ['no question', [], ''],
  ['more than 100 questions', Array(101).fill(asked()), ''],
  ['an unknown field', asked(0, { is_wrong: true }), '/0/is_wrong'],
  ['a malformed id', asked(0, { id: 'q1' }), '/0/id'],
  ['no time', timeless, '/0/asked_at'],
  ['a time in the future', asked(-hour), '/0/asked_at'],
  ['a time without a zone', asked(0, { asked_at: '2026-03-02T08:15:30' }), '/0/asked_at'],
  ['a blank question', asked(0, { question: ' ' }), '/0/question'],
  ['a long question', asked(0, { question: 'a'.repeat(8001) }), '/0/question'],
  ['a call id with a line break', asked(0, { call_id: 'a\n' }), '/0/call_id'],
  ['another mode', asked(0, { mode: 'fuzzy' }), '/0/mode'],
  ['another degradation', asked(0, { degraded: 'slow' }), '/0/degraded'],
  ['no probability', asked(0, { answerable: 1.1 }), '/0/answerable'],
  ['another status', asked(0, { status: 'lost' }), '/0/status'],
  ['a duration below zero', asked(0, { milliseconds: -1 }), '/0/milliseconds'],
  ['a duration that the log cannot hold', asked(0, { milliseconds: 2 ** 31 }), '/0/milliseconds'],
  ['a value with another field', asked(0, { value: { ...value, price: 9 } }), '/0/value/price'],
  ['a value that is long', asked(0, { value: { ...value, text: 'a'.repeat(10_000) } }), '/0/value'],
  ['a value with many names', asked(0, { value: { ...value, row: Array(21).fill('') } }), '/0/value/row'],
  ['a value without proof', asked(0, { value: { ...value, confidence: 0.4 } }), '/0/value/confidence'],
  ['more than 50 hits', asked(0, { hits: Array(51).fill(hit) }), '/0/hits'],
  ['a hit without its chunk', asked(0, { hits: [{ ...hit, chunk_id: undefined }] }), '/0/hits/0/chunk_id'],
  ['a hit of no revision', asked(0, { hits: [{ ...hit, revision: -1 }] }), '/0/hits/0/revision'],
  ['a score above one', asked(0, { hits: [{ ...hit, score: 2 }] }), '/0/hits/0/score'],
])('a batch with %s is refused, and nothing of it is kept', async (_, wrong, pointer) => {
  const tenant = await tenantThatKeeps()
  const questions = Array.isArray(wrong) ? wrong : [wrong, asked()]
  expect(await report(tenant, questions)).toMatchObject({
    status: 422,
    body: {
      code: 'validation_failed',
      errors: [{ pointer: `/questions${pointer}`, detail: expect.not.stringContaining('Invalid') }],
    },
  })
  expect(await keptQuestions(stand, tenant)).toEqual([])
})
