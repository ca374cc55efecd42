import { beforeAll, describe, expect, test } from 'vitest'
import { mcpClient } from '../mcp/mcp-client.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { tenantWith } from './knowledge.ts'

const stand = useStand()

const knowing = async (content: string) => (await tenantWith(stand, { title: 'Visit', content })).tenant

async function said(content: string, query: string): Promise<string> {
  const tenant = await knowing(content)
  const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query, format: 'speech' })
  return body.data[0].content
}

const pizzas = '| Pizza | Small | Large |\n| --- | --- | --- |\n| Diavola | £9.20 | £14.20 |\n| Truffle | £11 | – |'

describe('a passage in speech', () => {
  test.each([
    ['# Pizza', 'Pizza.'],
    ['The piz\u200bza costs \u20688\u2060 euros\u2069.', 'The pizza costs 8 euros.'],
    [pizzas, 'Diavola, Small: £9.20, Large: £14.20. Truffle, Small: £11.'],
    ['| Size | Price |\n|---|---|\n| Large pizza | £14.20 |', 'Large pizza: £14.20.'],
    ['| Size | Price with tip |\n|---|---|\n| Large pizza | £14.20 |', 'Large pizza, Price with tip: £14.20.'],
    [
      '| Pizza oven | Open |\n|---|---|\n| Monday | 9 am – 6 pm |\n| Friday | 9 am – 7 pm |\n| Sunday | 11 am – 3 pm |',
      'Monday: 9 am to 6 pm. Friday: 9 am to 7 pm. Sunday: 11 am to 3 pm.',
    ],
    [
      'For a pizza:\n\n- bring **cash**\n- [ ] park _behind_ the `house`',
      'For a pizza: bring cash. park behind the house.',
    ],
    [
      '> See [the pizza menu](https://example.com/menu) or https://www.example.com.',
      'See the pizza menu or example.com.',
    ],
    [
      'We make pizza, pasta & more, Mon–Fri 9–18 and Sat/Sun 10:00 – 14:00, e.g. for approx. 20.',
      'We make pizza, pasta and more, Monday to Friday 9 to 18 and Saturday and Sunday 10:00 to 14:00, for example for approximately 20.',
    ],
    [
      'For a pizza call +44 20 7946 0958 or (555) 867-5309.',
      'For a pizza call plus four four, two zero, seven nine four six, zero nine five eight or five five five, eight six seven, five three zero nine.',
    ],
    [
      'The pizza of 2026-03-01 and of 01-03-2026 is no. 7, code K-4471, for 3.50.',
      'The pizza of 2026-03-01 and of 01-03-2026 is number 7, code K-4471, for 3.50.',
    ],
    [
      'Eine Pizza gibt es z. B. Mo–Fr ab 9 Uhr, So: geschlossen, Hauptstr. 5, ca. 5 Min. von der Tel. 030 1234567.',
      'Eine Pizza gibt es zum Beispiel Montag bis Freitag ab 9 Uhr, Sonntag: geschlossen, Hauptstraße 5, circa 5 Minuten von der Telefon null drei null, eins zwei drei vier fünf sechs sieben.',
    ],
    [
      'La pizza est servie le lundi et le mardi, tél. 01 23 45 67 89, p. ex. avec vous.',
      'La pizza est servie le lundi et le mardi, tél. 01 23 45 67 89, p. ex. avec vous.',
    ],
  ])('is said without Markdown, as a person would say it: %s', async (content, spoken) => {
    expect(await said(content, 'pizza')).toBe(spoken)
  })

  test('has at most 600 characters, in whole sentences around the answer', async () => {
    const filler = (name: string) =>
      Array.from({ length: 9 }, (_, i) => `The ${name} room number ${i} is quiet and has a wide bed.`)
    const spoken = await said(
      [...filler('north'), 'Parking costs nine pounds.', ...filler('south')].join(' '),
      'what is parking',
    )
    expect(spoken).toContain('Parking costs nine pounds.')
    expect(spoken.length).toBeLessThanOrEqual(600)
    expect(spoken.length).toBeGreaterThan(500)
    expect(spoken).toMatch(/^The .*wide bed\.$/)
    const endless = await said(`parking ${'a, '.repeat(500)}`, 'parking')
    expect(endless.length).toBeLessThanOrEqual(600)
  })

  test('includes the row of the value', async () => {
    const rows = Array.from(
      { length: 20 },
      (_, i) => `| Room ${i} with a view of the large garden | £${i + 40} | £${i + 80} |`,
    )
    const spoken = await said(
      `| Room | One night | One week |\n| --- | --- | --- |\n${rows.join('\n')}`,
      'how much is room 17 for one week',
    )
    expect(spoken).toContain('Room 17 with a view of the large garden, One night: £57, One week: £97.')
  })
})

describe('speech is given', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await knowing(`${pizzas}\n\nWe bake **all day**.`)
  })
  const query = 'do you bake a diavola'
  const baked = 'We bake all day.'

  test('by a search only on request, with the same value', async () => {
    const ask = async (more: object) =>
      (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query, ...more })).body
    const [written, spoken] = [await ask({ format: 'markdown' }), await ask({ format: 'speech' })]
    expect(written).toEqual(await ask({}))
    expect(written.data[0].content).toContain('**all day**')
    expect(spoken).toEqual({ ...written, data: [{ ...written.data[0], content: expect.stringContaining(baked) }] })
    const { status } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query, format: 'ssml' })
    expect(status).toBe(422)
  })

  test.each(['', '?format=speech'])('to Vapi and Retell only if the address asks for it: “%s”', async (asked) => {
    const text = asked ? baked : '**all day**'
    const calls = [{ id: '1', name: 'search', arguments: { query } }]
    const message = { type: 'tool-calls', toolCallList: calls }
    const vapi = await tenant.call('POST', `${tenant.knowledgeBase}/vapi${asked}`, { message })
    expect(vapi.body.results[0].result).toContain(text)
    const retell = await tenant.call('POST', `${tenant.knowledgeBase}/retell${asked}`, { query })
    expect(retell.body).toContain(text)
  })

  test('over MCP if the model or the address asks for it', async () => {
    const { structuredContent } = await mcpClient(tenant).tool('search', { query, format: 'speech' })
    expect(structuredContent.results[0].text).toContain(baked)
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: { query } } }
    const accept = { accept: 'application/json, text/event-stream' }
    const answered = await tenant.call('POST', `/v1/agents/${tenant.agentId}/mcp?format=speech`, body, accept)
    expect(answered.body.result.structuredContent.results[0].text).toContain(baked)
  })
})
