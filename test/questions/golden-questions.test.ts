import { describe, expect, test } from 'vitest'
import { type Answer, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const sunday = 'On Sunday we are closed.'

/** An agent with a document of its opening hours, which search serves. */
async function shop(content = `We are open Monday to Saturday, 9 to 18. ${sunday}`) {
  const tenant = await stand.tenant()
  const golden = `/v1/agents/${tenant.agentId}/golden-questions`
  const create = async (title: string, content: string) => {
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title, content })
    await stand.deliver()
    return body.id as string
  }
  const read = async (id: string) => (await tenant.call('GET', `${tenant.knowledgeBase}/${id}`)).body
  const hours = await create('Hours', content)
  const first = async (query: string) =>
    (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })).body.data[0]?.content as string | undefined
  return { ...tenant, golden, create, read, hours, first, document: `${tenant.knowledgeBase}/${hours}` }
}

const table = (price: string) => `| Pizza | Small | Large |\n|---|---|---|\n| Diavola | $9.20 | ${price} |`
const diavola = 'what does a large diavola cost'
const closed = { question: 'Are you open on Sunday?', expects: { words: 'Sunday we are closed' } }

describe('a golden question', () => {
  test('is asked when it is created, and listed with its result', async () => {
    const { call, golden, hours } = await shop()
    const { status, body, headers } = await call('POST', golden, { ...closed, on_failure: 'block' })
    expect(status).toBe(201)
    expect(headers.location).toBe(`${golden}/${body.id}`)
    expect(body).toMatchObject({ ...closed, within: 3, on_failure: 'block', as_of: null })
    expect(body.last_result).toMatchObject({ passed: true, rank: 1 })
    const { body: other } = await call('POST', golden, { question: 'Sunday', expects: { document_id: hours } })
    const nothing = await call('POST', golden, { question: 'Do you sell used cars?', expects: { nothing: true } })
    expect(nothing.body.last_result).toMatchObject({ passed: true, rank: null })
    const { body: list } = await call('GET', `${golden}?limit=2`)
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual([nothing.body.id, other.id])
    const { body: rest } = await call('GET', `${golden}?limit=2&cursor=${list.next_cursor}`)
    expect(rest.data).toEqual([body])
  })

  test('may expect the value that a table gives, or that none gives one', async () => {
    const { call, golden, create } = await shop()
    const expecting = async (expects: object, asked: object = { question: diavola }) => {
      const { status, body } = await call('POST', golden, { ...asked, expects })
      expect([status, body.expects]).toEqual([201, expects])
      return [body.last_result.passed, body.last_result.rank]
    }
    expect(await expecting({ value: null })).toEqual([true, null])
    const menu = await create('Menu', table('$25'))
    expect(await expecting({ value: null })).toEqual([false, null])
    expect(await expecting({ value: '$25' })).toEqual([true, null])
    expect(await expecting({ value: '$64' })).toEqual([false, null])
    const both = { document_id: menu, words: 'Diavola', value: '$25' }
    expect(await expecting(both)).toEqual([true, 1])
    expect(await expecting({ ...both, value: '$26' })).toEqual([false, 1])
    expect(await expecting({ ...both, words: 'Tuna' })).toEqual([false, null])
  })

  test('expects what a caller gets in a call with the same earlier turns', async () => {
    const { call, golden, create, knowledgeBase } = await shop()
    await create('Menu', table('$25'))
    const history = [diavola]
    const question = 'and a small one'
    for (const asked of [{ question }, { question, history }]) {
      const { body } = await call('POST', `${knowledgeBase}/search`, { query: question, history: asked.history })
      const passes = async (expects: object) =>
        (await call('POST', golden, { ...asked, expects })).body.last_result.passed
      expect(await passes({ value: body.value?.text ?? null })).toBe(true)
      expect(await passes({ nothing: true })).toBe(body.status !== 'found')
    }
  })

  test('is changed, asked again, and deleted', async () => {
    const { call, golden } = await shop()
    const { body } = await call('POST', golden, closed)
    const changed = await call('PATCH', `${golden}/${body.id}`, { expects: { words: 'always open' }, within: 1 })
    expect(changed.body).toMatchObject({ expects: { words: 'always open' }, within: 1, question: closed.question })
    expect(changed.body.last_result).toMatchObject({ passed: false, rank: null })
    expect((await call('DELETE', `${golden}/${body.id}`)).status).toBe(204)
    expect((await call('GET', `${golden}/${body.id}`)).body.code).toBe('golden_question_not_found')
  })

  test('that expects a document of another agent, no passage, or both a passage and nothing is refused', async () => {
    const { call, golden } = await shop()
    const other = await shop()
    const expecting = (expects: object) => call('POST', golden, { question: 'Sunday', expects })
    expect((await expecting({ document_id: other.hours })).body.code).toBe('document_not_found')
    for (const expects of [
      {},
      { nothing: true, words: 'x' },
      { nothing: true, value: null },
      { value: ' ' },
      { words: ' ' },
      { nothing: false },
    ])
      expect((await expecting(expects)).status, JSON.stringify(expects)).toBe(422)
    expect((await call('GET', golden)).body.data).toEqual([])
  })

  test('may follow other questions of its call', async () => {
    const { call, golden, create, document } = await shop('The workshop is open on Sunday from 9 to 12.')
    await create('Café', 'The café is open daily, on Sunday until 5.')
    const asked = { question: 'and on Sunday?', expects: { words: 'Sunday from 9' }, within: 1, on_failure: 'block' }
    const history = ['When is the workshop open?']
    const { body } = await call('POST', golden, { ...asked, history })
    expect(body).toMatchObject({ history, last_result: { passed: true, rank: 1 } })
    expect((await call('POST', `${golden}/run`)).body.data).toMatchObject([{ passed: true }])
    const changed = async (history: string[]) => (await call('PATCH', `${golden}/${body.id}`, { history })).body
    expect(await changed(['When is the café open?'])).toMatchObject({ last_result: { passed: false } })
    expect(await changed(history)).toMatchObject({ history, last_result: { passed: true } })
    expect((await call('DELETE', document)).body.code).toBe('golden_questions_fail')
    const refused = await call('POST', golden, { ...asked, history: Array(11).fill('Hello?') })
    expect(refused.body.errors).toMatchObject([{ pointer: '/history' }])
  })

  test('is run with all others, and its result has the best hit', async () => {
    const { call, golden } = await shop()
    const { body } = await call('POST', golden, closed)
    const { body: run } = await call('POST', `${golden}/run`)
    expect(run.data).toMatchObject([{ golden_question_id: body.id, passed: true, rank: 1 }])
    expect(run.data[0].first.content).toContain(sunday)
  })
})

describe('a change that breaks a golden question', () => {
  const without = 'We are open Monday to Saturday, 9 to 18.'

  test('that blocks ends in error, names the question and the lost passage, and leaves the text before served', async () => {
    const { call, golden, document, hours, read, first } = await shop()
    await call('POST', golden, { ...closed, on_failure: 'block' })
    await call('PATCH', document, { content: without })
    await stand.deliver()
    const { status, error_message } = await read(hours)
    expect(status).toBe('error')
    expect(error_message).toContain(closed.question)
    expect(error_message).toContain(sunday)
    expect(await first('Sunday')).toContain(sunday)
    await call('PATCH', document, { status: 'pending', ignore_golden_questions: true })
    await stand.deliver()
    expect(await read(hours)).toMatchObject({ status: 'completed', warnings: [{ question: closed.question }] })
    expect(await first('Sunday')).toBe(without)
  })

  test('is named with the value that it would answer, and the expected one', async () => {
    const { call, golden, create, read, knowledgeBase } = await shop()
    const menu = await create('Menu', table('$25'))
    await call('POST', golden, { question: diavola, expects: { value: '$25' }, on_failure: 'block' })
    await call('PATCH', `${knowledgeBase}/${menu}`, { content: table('$64') })
    await stand.deliver()
    const { status, error_message } = await read(menu)
    expect(status).toBe('error')
    expect(error_message).toContain(`“${diavola}” would answer “$64” instead of “$25”`)
    const { body } = await call('DELETE', `${knowledgeBase}/${menu}`)
    expect(body.detail).toContain('would answer no value instead of “$25”')
    expect(body.golden_questions).toMatchObject([{ lost: null, value: { lost: '$25', instead: null } }])
  })

  test('is named with the passage that would answer it where nothing should', async () => {
    const { call, golden, create, read } = await shop()
    const question = 'Do you sell used cars?'
    await call('POST', golden, { question, expects: { nothing: true }, on_failure: 'block' })
    const { error_message } = await read(await create('Cars', 'We sell used cars.'))
    const named = `“${question}” would find “We sell used cars.” in “Cars”, though nothing should answer it.`
    expect(error_message).toContain(`The change would make 1 question fail: ${named}`)
  })

  test('that only warns takes effect, and the document has a warning until the question passes', async () => {
    const { call, golden, document, hours, read } = await shop()
    const { body } = await call('POST', golden, closed)
    await call('PATCH', document, { content: without })
    await stand.deliver()
    const warning = { code: 'golden_question_failed', golden_question_id: body.id, question: closed.question }
    expect(await read(hours)).toMatchObject({ status: 'completed', warnings: [warning] })
    await call('PATCH', document, { content: `${without} We do not sell bread.` })
    await stand.deliver()
    expect((await read(hours)).warnings).toEqual([warning])
    await call('PATCH', document, { content: `${without} ${sunday}` })
    await stand.deliver()
    expect((await read(hours)).warnings).toEqual([])
    expect((await call('GET', `${golden}/${body.id}`)).body.last_result).toMatchObject({ passed: true, rank: 1 })
  })

  test('is stopped if another document’s passage would come first, and not stopped for a question that fails anyway', async () => {
    const { call, golden, create, read, hours } = await shop()
    await call('POST', golden, { ...closed, expects: { document_id: hours }, within: 1, on_failure: 'block' })
    await call('POST', golden, { question: 'Do you have parking?', expects: { words: 'garage' }, on_failure: 'block' })
    const rival = await create('Are you open on Sunday?', 'Are you open on Sunday? Yes, in December, from 10 to 14.')
    expect(await read(rival)).toMatchObject({ status: 'error' })
    expect((await read(rival)).error_message).not.toContain('parking')
    const harmless = await create('Bread', 'A loaf of rye bread is 3.90.')
    expect(await read(harmless)).toMatchObject({ status: 'completed' })
  })

  test('is refused at once if it deletes the document or its chunks or changes a date', async () => {
    const { call, golden, document, first } = await shop()
    await call('POST', golden, { ...closed, on_failure: 'block' })
    const passed = '2020-01-01T00:00:00Z'
    for (const [method, path, body] of [
      ['DELETE', document],
      ['DELETE', `${document}/chunks`],
      ['PATCH', document, { valid_until: passed }],
    ] as const) {
      const { status, body: problem } = await call(method, path, body)
      expect([status, problem.code], `${method} ${path}`).toEqual([409, 'golden_questions_fail'])
      expect(problem.golden_questions).toEqual([
        expect.objectContaining({ question: closed.question, lost: sunday, instead: null }),
      ])
    }
    expect(await first('Sunday')).toContain(sunday)
    expect((await call('DELETE', `${document}?ignore_golden_questions=true`)).status).toBe(204)
    expect(await first('Sunday')).toBeUndefined()
  })

  test('by a client’s own chunks is refused when they are put into service', async () => {
    const { call, golden, document, first } = await shop()
    await call('POST', golden, { ...closed, on_failure: 'block' })
    const embedding = Array.from({ length: 1536 }, (_, i) => Math.cos(i))
    await call('POST', `${document}/chunks`, { chunks: [{ content: 'Open daily.', chunk_index: 0, embedding }] })
    expect((await call('PATCH', document, { status: 'completed' })).body.code).toBe('golden_questions_fail')
    expect(await first('Sunday')).toContain(sunday)
    const knowingly = { status: 'completed', ignore_golden_questions: true }
    expect((await call('PATCH', document, knowingly)).status).toBe(200)
    expect(await first('open')).toBe('Open daily.')
  })

  test('is refused if it would do so together with another at the same moment', async () => {
    const { call, golden, create, knowledgeBase, hours } = await shop()
    const other = await create('More hours', sunday)
    await call('POST', golden, { ...closed, on_failure: 'block' })
    const deletions = [hours, other].map((id) => call('DELETE', `${knowledgeBase}/${id}`))
    const statuses = (await Promise.all(deletions)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([204, 409])
  })

  test('is judged at the time that the question names', async () => {
    const { call, golden, document, hours, read } = await shop()
    const asOf = { as_of: '2030-12-25T10:00:00Z', on_failure: 'block' }
    await call('POST', golden, { ...closed, ...asOf })
    const { body } = await call('PATCH', document, { valid_until: '2030-12-24T00:00:00Z' })
    expect(body.code).toBe('golden_questions_fail')
    expect((await call('PATCH', document, { valid_until: '2031-01-01T00:00:00Z' })).status).toBe(200)
    expect(await read(hours)).toMatchObject({ status: 'completed' })
  })

  describe('in the future', () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const isRefused = ({ status, body }: Answer) => [status, body.code, body.golden_questions?.[0].as_of]

    test('is refused if it takes effect within 30 days, even in seconds, and accepted if later', async () => {
      const { call, golden, document } = await shop()
      await call('POST', golden, { ...closed, on_failure: 'block' })
      for (const valid_until of [new Date(Date.now() + 2_000).toISOString(), inDays(29)]) {
        const patched = await call('PATCH', document, { valid_until })
        expect(isRefused(patched)).toEqual([409, 'golden_questions_fail', valid_until])
        expect(patched.body.detail).toContain(`instead of “${sunday}” as of `)
        expect(patched.body.detail).toMatch(/ as of [A-Z][a-z]+ \d+, \d{4}, [\d:]+.[AP]M UTC\./)
      }
      expect((await call('PATCH', document, { valid_until: inDays(31) })).status).toBe(200)
    })

    test('is also a text that becomes valid then, which ends in error unless the question fails anyway', async () => {
      const { call, golden, knowledgeBase, hours, document, read } = await shop()
      await call('POST', golden, { ...closed, expects: { document_id: hours }, within: 1, on_failure: 'block' })
      const rival = async () => {
        const text = { title: closed.question, content: `${closed.question} Yes, in December, from 10 to 14.` }
        const { body } = await call('POST', knowledgeBase, { ...text, valid_from: inDays(3) })
        await stand.deliver()
        return await read(body.id)
      }
      const { status, error_message } = await rival()
      expect(status).toBe('error')
      expect(error_message).toMatch(/would find “.*” in “Are you open on Sunday\?”.* as of /)
      await call('PATCH', document, { valid_until: inDays(2), ignore_golden_questions: true })
      expect((await rival()).status).toBe('completed')
    })

    test('is also the deletion of a document that will answer then', async () => {
      const { call, golden, knowledgeBase, document } = await shop()
      const change = inDays(7)
      await call('PATCH', document, { valid_until: change })
      const next = { title: 'Hours from next week', content: sunday, valid_from: change }
      const { body } = await call('POST', knowledgeBase, next)
      await stand.deliver()
      await call('POST', golden, { ...closed, on_failure: 'block' })
      expect(isRefused(await call('DELETE', `${knowledgeBase}/${body.id}`))).toEqual([
        409,
        'golden_questions_fail',
        change,
      ])
      expect(isRefused(await call('PATCH', `${knowledgeBase}/${body.id}`, { valid_from: inDays(8) }))[2]).toBe(change)
      expect((await call('DELETE', `${knowledgeBase}/${body.id}?ignore_golden_questions=true`)).status).toBe(204)
    })

    test('leaves a warning with its time, which other dates remove and a run today does not', async () => {
      const { call, golden, document, hours, read } = await shop()
      const { body } = await call('POST', golden, closed)
      const valid_until = inDays(5)
      await call('PATCH', document, { valid_until })
      const warning = { code: 'golden_question_failed', golden_question_id: body.id, question: closed.question }
      expect((await read(hours)).warnings).toEqual([{ ...warning, as_of: valid_until }])
      expect((await call('POST', `${golden}/run`)).body.data).toMatchObject([{ passed: true }])
      expect((await read(hours)).warnings).toEqual([{ ...warning, as_of: valid_until }])
      await call('PATCH', document, { valid_until: null })
      expect((await read(hours)).warnings).toEqual([])
    })
  })
})
