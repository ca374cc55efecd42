import { beforeAll, describe, expect, test } from 'vitest'
import { known, tenantWithDocuments } from '../support/documents/known-documents.ts'
import { newPlatforms } from '../support/stand/new-platforms.ts'
import { hangingEmbedder } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { manualClock } from '../support/time/manual-clock.ts'
import { ask, call, tools } from './vapi-messages.ts'

const stand = useStand()
/** A bakery's tenant; no test changes it. */
let tenant: Tenant
beforeAll(async () => {
  tenant = await tenantWithDocuments(stand)
})
const passage = ([title, content]: readonly [string, string]) => `From “${title}”: ${content}`

describe('a tool call', () => {
  test('gets the passages on a single line', async () => {
    const tenant = await stand.tenant()
    const content = `# Prices\n\n| Bike | Day |\n|------|----:|\n| City | 15 € |\n| Cargo | 45 € |\n\nAll prices\r\ninclude a helmet.\u2028- and a lock\n- and lights`
    await tenant.call('POST', tenant.knowledgeBase, { title: 'Price\nlist', content })
    await stand.deliver()
    const { body } = await ask(tenant, tools(call('call_1', { query: 'What does the cargo bike cost?' })))
    expect(body).toEqual({
      results: [
        {
          name: 'search_knowledge_base',
          toolCallId: 'call_1',
          result:
            'Day, Cargo: 45 €. From “Price list”: Prices: Bike | Day; City | 15 €; Cargo | 45 €; All prices include a helmet. - and a lock - and lights',
        },
      ],
    })
  })

  test('is understood with its arguments in every form', async () => {
    const query = 'Where do guests park?'
    const { status, body } = await ask(
      tenant,
      tools(
        call('object', { query }),
        call('json', JSON.stringify({ query })),
        call('other-name', { question: query, limit: 3 }),
        call('query-first', { query, language: 'en' }),
        { id: 'flat', name: 'search_knowledge_base', arguments: { query } },
        { id: 'parameters', name: 'search_knowledge_base', parameters: { query } },
        { id: 'nested-parameters', function: { name: 'search_knowledge_base', parameters: { query } } },
      ),
    )
    expect(status).toBe(200)
    expect(body.results.map(({ toolCallId }: { toolCallId: string }) => toolCallId)).toEqual([
      ...'object json other-name query-first flat parameters nested-parameters'.split(' '),
    ])
    for (const { result } of body.results) expect(result.startsWith(passage(known.parking))).toBe(true)
  })

  test('finds what an alternative names, and ignores alternatives that a search would refuse', async () => {
    const query = 'zzyzx qwrtp'
    const { body } = await ask(
      tenant,
      tools(
        call('good', { query, alternatives: ['Where do guests park?'] }),
        call('mixed', JSON.stringify({ query, alternatives: ['', 7, 'Where do guests park?'] })),
        call('malformed', { query: 'Where do guests park?', alternatives: { first: 3 } }),
      ),
    )
    for (const { result } of body.results) expect(result.startsWith(passage(known.parking))).toBe(true)
  })

  test('among several gets its own answer, and its failure does not affect the others', async () => {
    const without = [{}, { one: 'a text', two: 'another' }, 'no JSON', { query: ' \n ' }]
    const calls = [
      call('bread', { query: 'Is there gluten-free bread?' }),
      call('table', { query: 'Where do guests park?' }, 'book_table'),
      ...without.map((args, i) => call(`${i}`, args)),
      call('parking', { query: 'Where do guests park?' }),
    ]
    const error = 'The argument `query` is missing: pass what the caller wants to know.'
    expect((await ask(tenant, tools(...calls))).body.results).toMatchObject([
      { toolCallId: 'bread', result: expect.stringContaining(passage(known.bread)) },
      { toolCallId: 'table', name: 'book_table', error: expect.stringContaining('There is no tool of this name.') },
      ...without.map((_, i) => ({ toolCallId: `${i}`, error })),
      { toolCallId: 'parking', result: expect.stringContaining(passage(known.parking)) },
    ])
  })

  test('that runs beside another counts once in Server-Timing', async () => {
    const clock = manualClock()
    let hanging = 0
    const embedder = hangingEmbedder(() => {
      if (++hanging === 2) clock.advance(3_000)
    })
    const calls = [call('1', { query: 'Where do guests park?' }), call('2', { query: 'Is there gluten-free bread?' })]
    const { headers, body } = await newPlatforms({ embedder, clock })(tenant, 'vapi', { message: tools(...calls) })
    expect(body.results).toMatchObject([{ result: expect.any(String) }, { result: expect.any(String) }])
    const embed = Number(/^embed;dur=([\d.]+)/.exec(headers['server-timing']!)![1])
    expect(embed).toBeGreaterThan(2_000)
    expect(embed).toBeLessThanOrEqual(3_000)
  })

  test('is not answered if its message has more than ten, and the answer states the limit', async () => {
    const calls = Array.from({ length: 11 }, (_, i) => call(`${i}`, { query: 'Where do guests park?' }))
    expect((await ask(tenant, tools(...calls))).body).toEqual({
      error: '`message.toolCallList` must have at most 10 calls.',
    })
    const { body } = await ask(tenant, tools(...calls.slice(1)))
    expect(body.results).toHaveLength(10)
  })

  test('about something unknown gets an answer that says so', async () => {
    const { body } = await ask(tenant, tools(call('1', { query: 'zzyzx qwrtp' })))
    expect(body.results[0].result).toMatch(/nothing on this/)
  })
})
