import { beforeAll, describe, expect, test } from 'vitest'
import { mcpClient } from '../mcp/mcp-client.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { tenantWith } from './knowledge.ts'

const stand = useStand()
/** A pizzeria with a courier. No test changes it. */
let tenant: Tenant

const menu = `Prices in pounds.

| Pizza | Mon–Thu | Mon–Thu | Fri–Sun | Fri–Sun |
| --- | --- | --- | --- | --- |
| Pizza | Small | Large | Small | Large |
| Classics | | | | |
| Margherita | £7.20 | £12.10 | £7.90 | £13.00 |
| Diavola | £8.40 | £13.60 | £9.10 | £14.20 |
| Specials | | | | |
| Truffle | £11.00 | £17.50 | £12.00 | £18.50 |`

const courier = `| Weight | Same town | Nationwide |
| --- | --- | --- |
| up to 2 kg | £4.80 | £9.50 |
| up to 5 kg | £6.20 | £12.00 |
| up to 10 kg | £8.90 | £16.80 |

Ask us about insurance.`

const hours = `| Day | Open | Kitchen closes |
| --- | --- | --- |
| Monday to Thursday | 11:30–22:00 | 21:15 |
| Friday and Saturday | 11:30–23:30 | 22:45 |
| Sunday | closed | – |

| Lesson | Age | Starts |
| --- | --- | --- |
| Little bakers | 4–6 | 10:00 |
| Young bakers | 7–12 | 14:30 |
| Bakers | 13+ | 17:00 |`

beforeAll(async () => {
  const texts = { Menu: menu, Courier: courier, 'Opening hours and lessons': hours }
  const documents = Object.entries(texts).map(([title, content]) => ({ title, content }))
  ;({ tenant } = await tenantWith(stand, ...documents))
})

const search = async (query: string, more: object = {}) =>
  (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query, ...more })).body
const valueFor = async (query: string, more?: object) => (await search(query, more)).value

describe('the value of a search is the cell', () => {
  test('of the named row and column, with their paths and its chunk', async () => {
    const { data, value } = await search('what does a large diavola cost on sunday')
    expect(value).toEqual({
      text: '£14.20',
      row: ['Classics', 'Diavola'],
      column: ['Fri–Sun', 'Large'],
      chunk_id: data.find(({ document_title }: { document_title: string }) => document_title === 'Menu').chunk_id,
      confidence: 0.99,
    })
  })

  test.each([
    ['how much is a small truffle pizza on a wednesday', '£11.00', 'a weekday within days'],
    ['how much for three kilos nationwide', '£12.00', 'a number below the lowest limit that it fits'],
    ['what is eight hundred grams in the same town', '£4.80', 'another unit'],
    ['how long are you open on friday', '11:30–23:30', 'a day of two'],
    ['when does the kitchen close on tuesday', '21:15', 'a column by its name'],
    ['what time does the lesson start for my nine year old', '14:30', 'an age within a range'],
    ['my son is fifteen when does his lesson start', '17:00', 'an age above a range'],
    ['how much is a 4 kg weight nationwide', '£12.00', 'an article before a measure, which is no code'],
    ['what is six kilo in the same town', '£8.90', 'a measure that is also the name of a letter'],
    ['how much is a little truffle pizza on sunday', '£12.00', 'a synonym of a size'],
    ['what is a large dyavola on monday', '£13.60', 'a name as it sounds'],
  ])('for “%s”: %s (%s)', async (query, text) => {
    expect(await valueFor(query)).toMatchObject({ text })
  })

  test('that an alternative to the question finds', async () => {
    const alternatives = ['how much is a small margherita on saturday']
    expect(await valueFor('how much is a small mark a reader', { alternatives })).toMatchObject({ text: '£7.90' })
  })
})

test('there is no value without a proof, nor for a search by vector only', async () => {
  for (const query of [
    'how much is a large calzone on sunday',
    'how much are 5 constructor in a constructor',
    'who is the chef',
    'what would forty kilos cost',
    'how much for a 4 kg parcel nationwide',
  ])
    expect(await valueFor(query), query).toBe(null)
  const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: Array(1536).fill(1) })
  expect(body.value).toBe(null)
})

test('a price of what no text names has no sure answer, whatever else the first text has', async () => {
  const content = 'A consultation for a dog costs £48, and a nail trim for a dog costs £18.'
  const { tenant } = await tenantWith(stand, { title: 'Vet prices', content })
  const ask = async (query: string) => (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })).body
  expect((await ask('how much is a nail trim for a dog')).status).toBe('found')
  expect((await ask('how much are the frontline drops for a dog')).status).not.toBe('found')
})

test('a question that leaves out what a text only includes has no sure answer', async () => {
  const content = '| Service | Price |\n|---|---|\n| Microchip with registration | $45 |\n| Nail trim | $18 |'
  const { tenant } = await tenantWith(stand, { title: 'Vet prices', content })
  const ask = async (query: string) => (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })).body
  const [sure, unsure] = [
    await ask('price of a microchip with registration'),
    await ask('microchip without registration'),
  ]
  expect([sure.status, sure.value?.text]).toEqual(['found', '$45'])
  expect([unsure.status, unsure.value]).toEqual(['uncertain', null])
})

test('a row that begins with a code is named by the name beside it', async () => {
  const content = `| Code | Bike | 1 day | 1 week |
| --- | --- | --- | --- |
| RNT-40 | E-bike | £60 | £280 |
| RNT-10 | City bike | £30 | £120 |`
  const { tenant: own } = await tenantWith(stand, { title: 'Rentals', content })
  for (const query of ['what does an e-bike cost for one week', 'what does r n t forty cost for one week']) {
    const { body } = await own.call('POST', `${own.knowledgeBase}/search`, { query })
    expect(body.value).toMatchObject({ text: '£280', row: ['E-bike'], column: ['1 week'] })
  }
})

test('rows of a long table have their group and both header rows in every passage', async () => {
  const rows = (group: string) =>
    Array.from({ length: 60 }, (_, i) => `| ${group} ${i} | £${i}.10 | £${i}.20 | £${i}.30 | £${i}.40 |`)
  const head = menu.split('\n').slice(2, 5)
  const content = [...head, '| Thin | | | | |', ...rows('thinly'), '| Thick | | | | |', ...rows('thickly')].join('\n')
  const { tenant: own } = await tenantWith(stand, { title: 'Bases', content })
  for (const [row, group] of [
    ['thinly 57', 'Thin'],
    ['thickly 41', 'Thick'],
  ]) {
    const query = `what does a large ${row} cost on saturday`
    const { body } = await own.call('POST', `${own.knowledgeBase}/search`, { query })
    expect(body.value).toMatchObject({ row: [group, row], column: ['Fri–Sun', 'Large'] })
  }
})

describe('a likely value comes first in an answer', () => {
  const query = 'what does a large diavola cost on sunday'
  const said = 'Fri–Sun, Large, Classics, Diavola: £14.20'

  test('over MCP', async () => {
    const result = await mcpClient(tenant).tool('search', { query })
    const { confidence } = await valueFor(query)
    expect(result.structuredContent).toMatchObject({ value: said, confidence })
    expect(result.content[0].text.startsWith(`{"value":"${said}","confidence":${confidence},`)).toBe(true)
    const { structuredContent } = await mcpClient(tenant).tool('search', { query: 'who makes the pizza' })
    expect(structuredContent).not.toHaveProperty('confidence')
  })

  test('to Vapi, for a tool and before a reply', async () => {
    const vapi = async (message: object) =>
      (await tenant.call('POST', `${tenant.knowledgeBase}/vapi`, { message })).body
    const calls = [{ id: '1', type: 'function', function: { name: 'knowledge_base', arguments: { query } } }]
    const { results } = await vapi({ type: 'tool-calls', toolCallList: calls })
    expect(results[0].result).toMatch(new RegExp(`^${said}\\. Today is [^.]+\\. From “`))
    const messages = [{ role: 'user', content: query }]
    const { documents } = await vapi({ type: 'knowledge-base-request', messages })
    expect(documents[0].content).toMatch(new RegExp(`^${said}\\. Today is [^.]+\\.\n\nFrom “`))
  })

  test('to Retell', async () => {
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/retell`, { query })
    expect(body).toMatch(new RegExp(`^${said}\\. Today is [^.]+\\.\n\nFrom “`))
    const unlikely = await tenant.call('POST', `${tenant.knowledgeBase}/retell`, { query: 'who makes the pizza' })
    expect(unlikely.body.startsWith('From “')).toBe(true)
  })
})
