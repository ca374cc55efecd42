import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const longest = (start: string) => `${start} ${'ä'.repeat(6)} 営業時間 `.repeat(1000).slice(0, 8000)
const goldenOf = ({ agentId }: Tenant) => `/v1/agents/${agentId}/golden-questions`

const blocking = { question: 'Are you open on Sunday?', expects: { words: 'closed' }, on_failure: 'block' }

/** Adds golden questions, of other texts, with the vector of the blocking one. */
async function addGolden(tenant: Tenant, count: number, question: string, history: string[] = []) {
  const { body } = await tenant.call('POST', goldenOf(tenant), blocking)
  const vector = sql`model, embedding`
  await sql`insert into golden_questions (organization_id, agent_id, id, question, history, words, within, on_failure, ${vector})
    select organization_id, agent_id, gen_random_uuid(), ${question}, ${history}, 'closed', 3, 'warn', ${vector}
    from golden_questions, generate_series(1, ${count}::int) where id = ${body.id}`.execute(stand.db)
}

/** An agent with a document, and with golden questions of an earlier release, which did not bound their bytes. The last one blocks. */
async function shopOfBefore(count: number) {
  const tenant = await stand.tenant()
  const { knowledgeBase, call } = tenant
  const { body } = await call('POST', knowledgeBase, { title: 'Hours', content: 'On Sunday we are closed.' })
  await stand.deliver()
  await addGolden(tenant, count, longest('sunday'), Array(10).fill(longest('hours')))
  return { ...tenant, document: `${knowledgeBase}/${body.id}` }
}

test('golden questions with more text than the database returns at a time are all asked of a new text, a change and a deletion', async () => {
  const tenant = await shopOfBefore(75)
  const { call, knowledgeBase, document } = tenant
  const { body } = await call('POST', knowledgeBase, { title: 'Parking', content: 'Guests park behind the house.' })
  await stand.deliver()
  expect((await call('GET', `${knowledgeBase}/${body.id}`)).body.status).toBe('completed')
  expect((await call('PATCH', document, { title: 'Opening hours' })).status).toBe(200)
  const { body: ran } = await call('POST', `${goldenOf(tenant)}/run`)
  expect(ran.data.length).toBe(76)
  const refused = await call('DELETE', document)
  expect([refused.status, refused.body.code]).toEqual([409, 'golden_questions_fail'])
  expect((await call('DELETE', `${document}?ignore_golden_questions=true`)).status).toBe(204)
})

describe('an agent’s golden questions', () => {
  const question = (start: string) => ({
    question: longest(start),
    history: Array(10).fill(longest('hours')),
    expects: { words: 'x' },
  })

  test('have at most 2,000,000 bytes of text together; a longer one is refused, and a shorter one is not', async () => {
    const tenant = await stand.tenant()
    const { call } = tenant
    const golden = goldenOf(tenant)
    const made: string[] = []
    let refused: Awaited<ReturnType<typeof call>> | undefined
    while (!refused) {
      const answer = await call('POST', golden, question(`${made.length}`))
      if (answer.status === 201) made.push(answer.body.id)
      else refused = answer
    }
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', detail: expect.stringContaining('2,000,000 bytes') },
    })
    const { length } = Buffer.from(JSON.stringify(question('1')))
    expect(made.length).toBeGreaterThan(Math.floor(2_000_000 / length) - 2)
    expect(made.length).toBeLessThan(Math.ceil(2_000_000 / length) + 2)
    const short = await call('POST', golden, { question: 'Are you open?', expects: { words: 'x' } })
    expect(short.status).toBe(201)
    expect(await call('PATCH', `${golden}/${short.body.id}`, { history: question('').history })).toMatchObject({
      status: 422,
    })
    expect((await call('PATCH', `${golden}/${made[0]}`, { question: longest('other') })).status).toBe(200)
    expect((await call('PATCH', `${golden}/${made[0]}`, { history: [] })).status).toBe(200)
    expect((await call('PATCH', `${golden}/${short.body.id}`, { history: question('').history })).status).toBe(200)
    expect((await call('GET', `${golden}?limit=100`)).body.data.length).toBe(made.length + 1)
  })

  test('of an earlier release that have more can be shortened', async () => {
    const tenant = await shopOfBefore(14)
    const { call } = tenant
    const { body } = await call('GET', `${goldenOf(tenant)}?limit=2`)
    const one = `${goldenOf(tenant)}/${body.data[1].id}`
    expect(await call('PATCH', one, { question: `${longest('sunday')}`.slice(0, 7000) })).toMatchObject({ status: 200 })
    expect(await call('PATCH', one, { question: longest('sunday') })).toMatchObject({ status: 422 })
  })
})
