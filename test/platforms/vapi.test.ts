import { beforeAll, describe, expect, test } from 'vitest'
import { Unavailable } from '../../shared/unavailable.ts'
import { known, tenantWithDocuments } from '../support/documents/known-documents.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newPlatforms } from '../support/stand/new-platforms.ts'
import { hangingEmbedder, newEmbedder } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { manualClock } from '../support/time/manual-clock.ts'
import { ask, call, tools, user } from './vapi-messages.ts'

const stand = useStand()
/** A bakery's tenant; no test changes it. */
let tenant: Tenant
beforeAll(async () => {
  tenant = await tenantWithDocuments(stand)
})
const provider = useFakeProvider()

const reply = (...messages: object[]) => ({ type: 'knowledge-base-request', messages })

test('a tool’s question is searched with the caller’s earlier turns', async () => {
  const messages = [user('Where do guests park?'), { role: 'bot', message: 'Bread.' }, user('And for children?')]
  const asked = tools(call('1', { query: 'for children' }))
  const resultOf = async (message: object) => (await ask(tenant, message)).body.results[0].result
  expect(await resultOf(asked)).not.toContain(known.parking[1])
  expect(await resultOf({ ...asked, artifact: { messages } })).toMatch(/^From “Parking”/)
  expect(await resultOf({ ...asked, artifact: { messages: 'none' } })).not.toContain(known.parking[1])
})

describe('before a reply', () => {
  test('Vapi gets the passages for the caller’s last turn, best first, with their scores', async () => {
    const system = { role: 'system', content: 'You work for a bakery. Speak of gluten-free bread and of parking.' }
    const before = [system, user('Do you have gluten-free bread?'), { role: 'bot', message: 'Yes.' }]
    const { status, headers, body } = await ask(tenant, reply(...before, user('Where do guests park?')))
    expect(status).toBe(200)
    expect(headers['server-timing']).toMatch(/^embed;dur=/)
    const [title, content] = known.parking
    expect(body.documents[0]).toEqual({
      content: `From “${title}”:\n${content}`,
      similarity: expect.any(Number),
      uuid: expect.any(String),
    })
    const scores = body.documents.map(({ similarity }: { similarity: number }) => similarity)
    expect(scores).toEqual(scores.toSorted().toReversed())
    expect(scores.length).toBeLessThanOrEqual(3)
  })

  test('a fragment is searched together with the caller’s previous turn', async () => {
    const bot = { role: 'bot', content: 'You can park in the courtyard, free of charge, and order bread a day ahead.' }
    const best = async (last: string) =>
      (await ask(tenant, reply(user('Do you bake gluten-free bread?'), bot, user(last)))).body.documents[0].content
    for (const fragment of ['and for children', 'yes please', 'and?'])
      expect(await best(fragment), fragment).toContain(known.bread[1])
    expect(await best('Where do guests park?')).toContain(known.parking[1])
  })

  test('nothing is searched until the caller asks a question', async () => {
    const silent = ['system', 'bot'].map((role) => ({ role, content: 'Bread' }))
    for (const messages of [[], ...[user('Um, hello'), ...silent, user('')].map((message) => [message])])
      expect(await ask(tenant, reply(...messages))).toMatchObject({ status: 200, body: { documents: [] } })
  })

  test('the conversation is read in every form that Vapi sends', async () => {
    const question = 'Where do guests park?'
    const type = 'knowledge-base-request'
    const parts = [
      { type: 'text', text: 'Where do' },
      { type: 'image_url', image_url: {} },
    ]
    const content = [...parts, { type: 'text', text: 'guests park?' }]
    const toolCalls = { role: 'tool_calls', toolCalls: [], message: '' }
    for (const message of [
      reply(user(question)),
      reply({ role: 'user', message: question, time: 1, endTime: 2, secondsFromStart: 1 }),
      { type, messagesOpenAIFormatted: [user(question)] },
      { type, messagesOpenAIFormatted: [{ role: 'user', content }] },
      reply(toolCalls, user(question), { role: 'assistant', content: null }),
      { ...reply(user(question)), call: { id: 'x' }, newField: { of: ['Vapi'] } },
    ])
      expect((await ask(tenant, message)).body.documents[0].content).toContain(known.parking[1])
  })

  test('the answer is sent after a second, by keywords only, while the provider hangs', async () => {
    const clock = manualClock()
    const embedder = hangingEmbedder(() => clock.advance(10_000))
    const { status, body } = await newPlatforms({ embedder, clock })(tenant, 'vapi', {
      message: reply(user('Where do guests park?')),
    })
    expect(status).toBe(200)
    expect(body.documents[0].content).toContain(known.parking[1])
  })

  test('the provider is called with a time limit of two seconds, and with almost three for a tool', async () => {
    const clock = manualClock()
    const limits: number[] = []
    const embedder = hangingEmbedder((seconds) => {
      limits.push(seconds)
      clock.advance(10_000)
    })
    const platforms = newPlatforms({ embedder, clock })
    await platforms(tenant, 'vapi', { message: reply(user('Where do guests park?')) })
    await platforms(tenant, 'vapi', { message: tools(call('1', { query: 'Where may I park?' })) })
    expect(limits).toEqual([2, 2.985])
  })
})

describe('an agent without a ready document', () => {
  test('returns no documents, and results that say there is nothing to consult', async () => {
    const tenant = await stand.tenant()
    await tenant.call('POST', tenant.knowledgeBase, { title: known.parking[0], content: known.parking[1] })
    expect(await ask(tenant, reply(user('Where do guests park?')))).toMatchObject({
      status: 200,
      body: { documents: [] },
    })
    const nothing = /no ready documents: there is nothing to consult/
    const consult = async () =>
      (await ask(tenant, tools(call('1', { query: 'Where do guests park?' })))).body.results[0]
    expect((await consult()).result).toMatch(nothing)
    await stand.deliver()
    expect((await consult()).result).not.toMatch(nothing)
  })
})

describe('a message', () => {
  test('that asks nothing gets an empty answer', async () => {
    const { call, knowledgeBase } = await stand.tenant()
    for (const type of ['status-update', 'end-of-call-report', 'transcript', 'conversation-update', 'hang', 'new-kind'])
      expect(await call('POST', `${knowledgeBase}/vapi`, { message: { type, call: { id: 'x' } } })).toMatchObject({
        status: 200,
        body: {},
      })
  })

  test('that is malformed gets a sentence that says what is wrong', async () => {
    const { call, knowledgeBase } = await stand.tenant()
    for (const [body, place] of [
      [{}, /`message.type` is missing/],
      [{ message: 'tool-calls' }, /`message.type` is missing/],
      [{ message: { type: 5 } }, /`message.type` is missing/],
      [{ message: { type: 'tool-calls' } }, /`toolCallList`/],
      [{ message: tools({ name: 'search' }) }, /`toolCallList.0.id`/],
      [{ message: { type: 'knowledge-base-request', messages: 'none' } }, /`messages`/],
    ] as const)
      expect(await call('POST', `${knowledgeBase}/vapi`, body)).toMatchObject({
        status: 200,
        body: { error: expect.stringMatching(place) },
      })
  })
})

describe('a failure', () => {
  test('of the database or of ours is 200 too, and reveals nothing', async () => {
    const tenant = await stand.tenant()
    const broken = { ...hangingEmbedder(() => {}), isLocal: true as const }
    for (const [error, says] of [
      [new Unavailable('database', new Error('away')), /cannot be reached at the moment/],
      [new TypeError('secret'), /logged under the request id/],
    ] as const) {
      const platforms = newPlatforms({ embedder: { ...broken, embed: () => Promise.reject(error) } })
      const answers = [
        await platforms(tenant, 'vapi', { message: reply(user('Where do guests park?')) }),
        await platforms(tenant, 'vapi', { message: tools(call('1', { query: 'Where?' }), call('2', {})) }),
      ]
      expect(answers).toMatchObject([
        { status: 200, body: { documents: [], error: expect.stringMatching(says) } },
        { status: 200, body: { results: [{ error: expect.stringMatching(says) }, { toolCallId: '2' }] } },
      ])
      expect(JSON.stringify(answers)).not.toContain('secret')
    }
  })

  test('to embed a question that the provider refuses is an error on one line', async () => {
    provider.script([], { status: 400, headers: {}, body: JSON.stringify({ error: { message: 'too\nlong' } }) })
    const platforms = newPlatforms({ embedder: newEmbedder(provider) })
    const { status, body } = await platforms(tenant, 'vapi', {
      message: tools(call('1', { query: 'Where do guests park?' })),
    })
    provider.script([])
    expect(status).toBe(200)
    expect(body.results[0].error).toEqual(expect.any(String))
    expect(body.results[0].error).not.toContain('\n')
  })
})
