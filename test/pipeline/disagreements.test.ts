import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import type { Document } from '../../shared/documents/contract/document.ts'
import { createFile, newExtractor } from '../support/documents/files.ts'
import { figuresOf } from '../support/logs/figures-of.ts'
import { axis } from '../support/provider/axis.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()

const trim = 'A nail trim costs $25.'
const table = (price: string, name = 'Nail trim') => `| Service | Price |\n|---|---|\n| ${name} | ${price} |`

/** An agent's documents, by what is made of each. */
async function salon() {
  const tenant = await stand.tenant()
  const { call, knowledgeBase } = tenant
  const at = (id: string) => `${knowledgeBase}/${id}`
  const create = async (content: string, more: object = {}) => {
    const { body } = await call('POST', knowledgeBase, { title: 'Services', content, ...more })
    await stand.deliver()
    return body.id as string
  }
  const patch = async (id: string, changes: object) => {
    const { status } = await call('PATCH', at(id), changes)
    await stand.deliver()
    return status
  }
  const read = async (id: string) => await call('GET', at(id))
  const warnings = async (...ids: string[]) =>
    await Promise.all(ids.map(async (id): Promise<Document['warnings']> => (await read(id)).body.warnings))
  return { ...tenant, at, create, patch, read, warnings }
}

/** An agent with a text and a table that give one service two prices. */
async function contradicting() {
  const agent = await salon()
  const text = await agent.create(trim)
  const list = await agent.create(table('$18'))
  expect(await agent.warnings(text, list)).toMatchObject([[{ with: list }], [{ with: text }]])
  return { ...agent, text, list, both: () => agent.warnings(text, list) }
}

const none = [[], []]

describe('documents that give one thing different prices', () => {
  test('have a warning each, and the other’s ETag stays', async () => {
    const agent = await salon()
    const text = await agent.create(trim)
    const { headers } = await agent.read(text)
    const file = await createFile(stand, agent, { fileName: 'prices.csv' })
    await newExtractor(stand, { extractText }).upload(file, 'Service,Price\nBath,$40\nNail trim,$18\n')
    await stand.deliver()
    const here = { chunk_index: 0, text: trim }
    const there = { chunk_index: 0, text: 'Nail trim, Price: $18' }
    const code = 'documents_disagree'
    expect(await agent.warnings(text, file.id)).toEqual([
      [{ code, with: file.id, here, there }],
      [{ code, with: text, here: there, there: here }],
    ])
    expect((await agent.read(text)).headers.etag).toBe(headers.etag)
    const { body } = await agent.call('GET', agent.knowledgeBase)
    expect(body.data.map(({ warnings }: Document) => warnings.length)).toEqual([1, 1])
    expect((await agent.call('PATCH', agent.at(text), { title: 'Other' })).body.warnings).toHaveLength(1)
  })

  test.each<[string, (agent: Awaited<ReturnType<typeof contradicting>>) => Promise<unknown>]>([
    ['one agrees', ({ patch, list }) => patch(list, { content: table('25.00 USD') })],
    ['one no longer says it', ({ patch, text }) => patch(text, { content: 'We trim nails.' })],
    ['one has other metadata', ({ patch, list }) => patch(list, { metadata: { site: 'north' } })],
    ['one has an end', ({ patch, list }) => patch(list, { valid_until: new Date(Date.now() + 12e8).toISOString() })],
    [
      'one is not valid yet',
      ({ patch, list }) => patch(list, { valid_from: new Date(Date.now() + 9e8).toISOString() }),
    ],
  ])('have none if %s', async (_, change) => {
    const agent = await contradicting()
    await change(agent)
    expect(await agent.both()).toEqual(none)
  })

  test('have none while one is in the trash, and none when it is deleted', async () => {
    const { call, at, text, list, warnings, both } = await contradicting()
    await call('DELETE', `${at(list)}?trash=true`)
    expect(await warnings(text)).toEqual([[]])
    expect((await call('POST', `${at(list)}/restore`)).body.warnings).toHaveLength(1)
    expect(await both()).toMatchObject([[{ with: list }], [{ with: text }]])
    await call('DELETE', at(list))
    expect(await warnings(text)).toEqual([[]])
    const { rows } = await sql`select from document_claims where document_id = ${list}`.execute(stand.db)
    expect(rows).toEqual([])
  })

  test('have one again when their metadata are equal again, or one is valid as long as the other', async () => {
    const { call, at, patch, text, list, both } = await contradicting()
    for (const change of [{ metadata: { site: 'north' } }, { valid_until: '2999-01-01T00:00:00Z' }]) {
      expect((await call('PATCH', at(list), change)).body.warnings).toEqual([])
      expect(await both()).toEqual(none)
      await patch(text, change)
      expect(await both()).toMatchObject([[{ with: list }], [{ with: text }]])
    }
  })

  test('keep it while another text of one is processed, and when a golden question runs', async () => {
    const { call, agentId, at, text, list, both } = await contradicting()
    const golden = `/v1/agents/${agentId}/golden-questions`
    await call('POST', golden, { question: 'How much is a nail trim?', expects: { document_id: text } })
    expect((await call('POST', `${golden}/run`)).body.data).toMatchObject([{ passed: true }])
    await call('PATCH', at(list), { content: table('$25') })
    expect(await both()).toMatchObject([[{ with: list }], [{ with: text }]])
    await stand.deliver()
    expect(await both()).toEqual(none)
  })

  test('that complete at the same time have a warning each', async () => {
    const { call, knowledgeBase, warnings } = await salon()
    const documents = ['$25', '$18'].map((price) => ({ title: 'T', content: table(price) }))
    const { body } = await call('POST', `${knowledgeBase}/batch`, { documents })
    await stand.deliver()
    const [one, other] = body.data.map(({ id }: Document) => id)
    expect(await warnings(one, other)).toMatchObject([[{ with: other }], [{ with: one }]])
  })

  test('are served without a warning if it cannot be stored, and have one after a retry', async () => {
    const { create, patch, read, warnings } = await salon()
    const text = await create(trim)
    const grant = (verb: string) => sql.raw(`${verb} cuecard_embedding`).execute(stand.db)
    await grant('revoke insert on document_claims from')
    let list = ''
    const figures = await figuresOf(async () => {
      list = await create(table('$18'))
    }).finally(() => grant('grant insert on document_claims to'))
    expect(figures).toMatchObject({ ClaimsNotKept: 1 })
    expect((await read(list)).body).toMatchObject({ status: 'completed', warnings: [] })
    await patch(list, { status: 'pending' })
    expect(await warnings(text, list)).toMatchObject([[{ with: list }], [{ with: text }]])
  })

  test('have at most 20 warnings', async () => {
    const { call, knowledgeBase, warnings } = await salon()
    const names = Array.from({ length: 25 }, (_, i) => `Bath ${i + 100}`)
    const documents = ['$25', '$18'].map((price) => {
      return { title: 'T', content: names.map((name) => `${name} costs ${price}.`).join('\n\n') }
    })
    const { body } = await call('POST', `${knowledgeBase}/batch`, { documents })
    await stand.deliver()
    const [one] = await warnings(body.data[0].id)
    expect(one).toHaveLength(20)
  })

  test('are compared when you complete or extend chunks of your own', async () => {
    const { call, knowledgeBase, at, create, warnings } = await salon()
    const text = await create(trim)
    const { body } = await call('POST', knowledgeBase, { title: 'Own' })
    const chunk = (content: string, chunk_index: number) => ({ content, chunk_index, embedding: axis(chunk_index) })
    const post = (...chunks: object[]) => call('POST', `${at(body.id)}/chunks`, { chunks })
    await post(chunk('Baths are $40.', 0))
    expect((await call('PATCH', at(body.id), { status: 'completed' })).status).toBe(200)
    expect(await warnings(text, body.id)).toEqual(none)
    await post(chunk(table('18 dollars'), 1))
    const [here, there] = await warnings(text, body.id)
    expect([here, there]).toMatchObject([[{ with: body.id, there: { chunk_index: 1 } }], [{ with: text }]])
    await post(chunk('A nail trim costs $20 on some days.', 2), chunk('A nail trim costs $30.', 3))
    expect(await warnings(text, body.id)).toEqual(none)
  })
})

test.each([
  ['an equal price', trim, table('25.00 USD')],
  ['another unit', 'Parking costs $5 per hour.', 'Parking costs $20 per day.'],
  ['another currency', trim, table('€18')],
  ['another size', 'A 60-minute massage costs $80.', 'A 90-minute massage costs $110.'],
  ['several prices in one document', trim, `${table('$18')}\n\nA nail trim costs $20.`],
  ['the end of the hours instead of their beginning', 'We open at 9 am on Monday.', 'On Monday we close at 5 pm.'],
  ['a duration', 'A massage takes 1:30 hours.', 'A massage takes 2:15 hours.'],
])('%s is no contradiction', async (_, ...contents) => {
  const { create, warnings } = await salon()
  const ids: string[] = []
  for (const content of contents) ids.push(await create(content))
  expect(await warnings(...ids)).toEqual(none)
})

const long = `${'x'.repeat(299)}😀`
test.each([
  [
    'a range of times',
    'On Monday we are open from 9 am to 5 pm.',
    '| Day | Opening hours |\n|---|---|\n| Monday | 9:00–18:00 |',
  ],
  ['a German time', 'Montags öffnen wir um 9 Uhr.', 'Montags öffnen wir um 09:30 Uhr.'],
  ['a French range', 'Le lundi, ouvert de 9h30 à 18h30.', 'Le lundi, ouvert de 9h00 à 18h30.'],
  ['a German price', 'Eine Pediküre kostet 25 €.', '| Leistung | Preis (€) |\n|---|---|\n| Pediküre | 27,50 |'],
  ['a French price', 'La pédicure coûte 25 euros.', 'Prix de la pédicure : 1.250,00 €'],
  ['a long name that ends with an emoji', table('$25', long), table('$18', long)],
  ['a number in a row of prices', 'Haircut – 25,- €', '| | Haircut |\n|---|---|\n| Price | 30 |'],
  [
    'a number in a price list',
    'Margherita, large: £9',
    '# Prices\n\n| Pizza | Large |\n|---|---|\n| Margherita | 14.20 |',
  ],
])('%s contradicts another', async (_, ...contents) => {
  const { create, warnings } = await salon()
  const [one, other] = [await create(contents[0]!), await create(contents[1]!)]
  expect(await warnings(one, other)).toMatchObject([[{ with: other }], [{ with: one }]])
})
