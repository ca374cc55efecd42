import { beforeAll, describe, expect, test } from 'vitest'
import { mcpClient } from '../../mcp/mcp-client.ts'
import { serveTexts } from '../../support/documents/known-documents.ts'
import { type Tenant, useStand } from '../../support/stand/stand.ts'

const stand = useStand()

interface Shop {
  time_zone?: string
  holidays?: string
  documents: { title: string; content: string; valid_from?: string; valid_until?: string }[]
}

/** An agent in a place that serves documents. */
async function shopWith({ documents, ...place }: Shop): Promise<Tenant> {
  const tenant = await stand.tenant()
  const path = `/v1/agents/${tenant.agentId}`
  if (Object.keys(place).length > 0) expect((await tenant.call('PATCH', path, place)).status).toBe(200)
  await serveTexts(stand, tenant, documents)
  return tenant
}

const ask = async (tenant: Tenant, query: string, as_of: string, more: object = {}) =>
  (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query, as_of, ...more })).body

const hours = {
  title: 'Opening hours',
  content: `| Day | Open |
| --- | --- |
| Monday | Closed |
| Tuesday | 9:00 – 18:00 |
| Wednesday | 9:00 – 18:00 |
| Thursday | 14:00 – 20:00 |
| Friday | 9:00 – 17:00 |
| Saturday | 10:00 – 02:00 |
| Sunday | Closed |`,
}
const holidays = {
  title: 'Holidays',
  content:
    'On December 24 we close at 12:00. On Christmas Day we are closed. From July 20 to August 2 we are closed. On the first Tuesday of each month we are open until 22:00.',
}
const parking = { title: 'Parking', content: 'Park behind the house. The parking lot closes at 21:00 every day.' }
const notice = {
  title: 'A burst pipe',
  content: 'We are closed because of a burst pipe, and sorry for the trouble.',
  valid_from: '2026-11-26T05:00:00Z',
  valid_until: '2026-11-28T05:00:00Z',
}

describe('“today” is a day of the business', () => {
  let tenant: Tenant
  beforeAll(async () => {
    const documents = [parking, hours, holidays, notice]
    tenant = await shopWith({ time_zone: 'America/New_York', holidays: 'US', documents })
  })

  test.each([
    ['are you open today', '2026-06-11T15:00:00-04:00', 'Opening hours', '14:00 – 20:00', '2026-06-11'],
    ['are you open today', '2026-06-16T03:30:00Z', 'Opening hours', 'Closed', '2026-06-15'],
    ['how late are you open tomorrow', '2026-06-11T15:00:00-04:00', 'Opening hours', '9:00 – 17:00', '2026-06-12'],
    ['are you open today', '2026-11-26T12:00:00-05:00', 'A burst pipe', null, '2026-11-26'],
    ['are you open this friday afternoon', '2026-12-22T12:00:00-05:00', 'Holidays', null, '2026-12-25'],
    ['what time do you close on thursday', '2026-12-22T12:00:00-05:00', 'Holidays', null, '2026-12-24'],
    ['are you open on december twenty fourth', '2026-06-11T12:00:00-04:00', 'Holidays', null, '2026-12-24'],
    ['can i come by next tuesday', '2026-07-14T12:00:00-04:00', 'Holidays', null, '2026-07-21'],
    ['how late are you open today', '2026-09-01T12:00:00-04:00', 'Holidays', null, '2026-09-01'],
    ['are you still open', '2026-06-14T04:30:00Z', 'Opening hours', '10:00 – 02:00', '2026-06-14'],
    ['are you open on new year’s day', '2026-12-22T12:00:00-05:00', expect.any(String), null, '2027-01-01'],
  ])('“%s” at %s', async (query, as_of, title, value, day) => {
    const answer = await ask(tenant, query, as_of)
    expect(answer.dates).toEqual([{ said: expect.any(String), from: day, to: day }])
    expect({ first: answer.data[0].document_title, value: answer.value?.text ?? null }).toEqual({ first: title, value })
    const one = await ask(tenant, query, as_of, { limit: 1 })
    expect(one).toMatchObject({ value: answer.value, status: answer.status, dates: answer.dates })
    expect(one.data[0].chunk_id).toBe(answer.data[0].chunk_id)
  })

  test('usual hours do not answer for a holiday of which no text speaks', async () => {
    const usual = await shopWith({ time_zone: 'America/New_York', holidays: 'US', documents: [parking, hours] })
    const at = '2026-11-20T12:00:00-05:00'
    for (const query of [
      'are you open on thanksgiving',
      'are you open on november twenty sixth',
      'can i come in on christmas eve',
    ])
      expect(await ask(usual, query, at), query).toMatchObject({
        status: expect.not.stringMatching('found'),
        value: null,
      })
    expect(await ask(usual, 'are you open on november twenty fifth', at)).toMatchObject({ status: 'found' })
    expect(await ask(tenant, 'are you open on christmas eve', at)).toMatchObject({ status: 'found' })
  })

  test('a follow-up has the days of the turn before, and a question without days has none', async () => {
    const at = '2026-12-22T12:00:00-05:00'
    const history = ['are you open on friday']
    expect(await ask(tenant, 'and how late', at, { history })).toMatchObject({
      dates: [{ from: '2026-12-25' }],
      value: null,
    })
    expect((await ask(tenant, 'where do i park', at, { history })).dates).toEqual([
      { said: 'on friday', from: '2026-12-25', to: '2026-12-25' },
    ])
    expect((await ask(tenant, 'where do i park', at)).dates).toEqual([])
  })

  test('as spoken, the sentence about the day is there', async () => {
    const { data } = await ask(tenant, 'are you open this friday', '2026-12-22T12:00:00-05:00', { format: 'speech' })
    expect(data[0].content).toContain('On Christmas Day we are closed.')
  })

  test('a time that is none is refused; a prefetch takes one and ignores it', async () => {
    const refused = await tenant.call('POST', `${tenant.knowledgeBase}/search`, {
      query: 'x',
      as_of: '2026-02-30T00:00:00Z',
    })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/as_of' }] } })
    const prefetch = (as_of: string) =>
      tenant.call('POST', `${tenant.knowledgeBase}/search/prefetch`, { query: 'are you open today', as_of })
    expect((await prefetch('2026-06-11T15:00:00-04:00')).status).toBe(202)
    expect((await prefetch('yesterday')).status).toBe(422)
  })

  test('models are told which day it is, where the question names one', async () => {
    const today = /^Today is \p{L}+, \d{1,2} \p{L}+ \d{4}\.$/u
    const { tool } = mcpClient(tenant)
    expect((await tool('search', { query: 'are you open today' })).structuredContent.today).toMatch(today)
    expect((await tool('search', { query: 'where do i park' })).structuredContent).not.toHaveProperty('today')
    const retell = async (query: string) =>
      (await tenant.call('POST', `${tenant.knowledgeBase}/retell`, { query })).body
    expect(await retell('are you open tomorrow')).toMatch(/(?:^|\. )Today is [^.]+\.\n\nFrom “/)
    expect(await retell('where do i park')).not.toContain('Today is')
  })
})

test('an agent without a zone is in UTC, and a zone that is set later counts at once', async () => {
  const tenant = await shopWith({ documents: [hours] })
  const at = '2026-06-16T03:30:00Z'
  expect(await ask(tenant, 'are you open today', at)).toMatchObject({
    dates: [{ from: '2026-06-16' }],
    value: { text: '9:00 – 18:00' },
  })
  await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, { time_zone: 'Pacific/Kiritimati' })
  expect(await ask(tenant, 'are you open today', '2026-06-16T10:30:00Z')).toMatchObject({
    dates: [{ from: '2026-06-17' }],
  })
  await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, { time_zone: 'Pacific/Pago_Pago' })
  expect(await ask(tenant, 'are you open today', '2026-06-17T10:30:00Z')).toMatchObject({
    dates: [{ from: '2026-06-16' }],
  })
})

test('the first search of an agent has the words of its own day, not of the day in UTC', async () => {
  const saturday = { title: 'The last of the week', content: 'Saturday: from nine to two.' }
  const tenant = await shopWith({ time_zone: 'Pacific/Kiritimati', documents: [saturday] })
  const onSaturday = await ask(tenant, 'when do you close today', '2026-06-12T12:00:00Z', { mode: 'keyword' })
  expect(onSaturday.data.map((hit: { document_title: string }) => hit.document_title)).toEqual([saturday.title])
  const onSunday = await ask(tenant, 'when do you close today', '2026-06-13T12:00:00Z', { mode: 'keyword' })
  expect(onSunday.data).toEqual([])
})

test('a price of summer is no exception, and hours of something else are none', async () => {
  const documents = [
    hours,
    { title: 'Terrace', content: 'The terrace is open from May 1 to October 15, every day from 10:00.' },
    { title: 'Drinks', content: 'From June to August:\n\n| Drink | Price |\n| --- | --- |\n| Iced latte | $4.75 |' },
  ]
  const tenant = await shopWith({ documents })
  const at = '2026-07-16T10:00:00Z'
  expect(await ask(tenant, 'are you open today', at)).toMatchObject({ value: { text: '14:00 – 20:00' } })
  expect(await ask(tenant, 'how much is an iced latte today', at)).toMatchObject({ value: { text: '$4.75' } })
  expect((await ask(tenant, 'is the terrace open today', at)).data[0].document_title).toBe('Terrace')
})

test('“and the day after” is the day after that of the turn before', async () => {
  const tenant = await shopWith({ time_zone: 'America/New_York', documents: [hours, holidays] })
  const at = '2026-06-10T12:00:00-04:00'
  const answer = await ask(tenant, 'and the day after', at, { history: ['are you open on thursday'] })
  expect(answer.dates).toEqual([{ said: 'the day after', from: '2026-06-12', to: '2026-06-12' }])
  expect(answer.value?.text).toBe('9:00 – 17:00')
  expect((await ask(tenant, 'and the day after', at)).dates).toEqual([])
})

test('the row of a holiday is not that of an ordinary day with a part of its name', async () => {
  const special = '| Day | Hours |\n|---|---|\n| Good Friday | closed |\n| Easter Monday | 10:00 – 14:00 |'
  const documents = [{ title: 'Holiday hours', content: special }]
  const tenant = await shopWith({ time_zone: 'America/Toronto', holidays: 'CA-ON', documents })
  expect((await ask(tenant, 'are you open today', '2026-12-04T12:00:00-05:00')).value).toBe(null)
  expect((await ask(tenant, 'what time are you open on good friday', '2026-12-04T12:00:00-05:00')).dates).toMatchObject(
    [{ from: '2027-03-26' }],
  )
})

test.each([
  ['Every other Thursday we are closed for training.'],
  ['This Thursday we close at 16:00.'],
  ['Closed Juneteenth weekend.'],
  ['From May 1 to July 15 the house is a building site, and we open by appointment only.'],
])('“%s” leaves the usual hours of a Thursday without proof', async (content) => {
  const documents = [hours, { title: 'Memo', content }]
  const tenant = await shopWith({ time_zone: 'America/New_York', documents })
  const answer = await ask(tenant, 'what time do you open on thursday', '2026-06-10T12:00:00-04:00')
  expect(answer.value).toBe(null)
  const friday = await ask(tenant, 'what time do you open on friday', '2026-09-10T12:00:00-04:00')
  expect(friday.value?.text).toBe('9:00 – 17:00')
})

test('hours of a shop and its café are not one', async () => {
  const content =
    '| Day | Store | Café |\n|---|---|---|\n| Friday | 9 am – 6 pm | 8 am – 10 pm |\n| Saturday | 9 am – 5 pm | 8 am – 10 pm |'
  const tenant = await shopWith({ time_zone: 'America/New_York', documents: [{ title: 'Hours', content }] })
  const at = '2026-06-11T12:00:00-04:00'
  for (const query of [
    'what time do you close tomorrow',
    'when do you open on saturday',
    'until when are you open on friday',
  ])
    expect((await ask(tenant, query, at)).value, query).toBe(null)
  expect((await ask(tenant, 'what time does the café close on saturday', at)).value?.text).toBe('8 am – 10 pm')
})

test('after midnight “tonight” and “still open” are of the evening before, and of no later one', async () => {
  const content =
    '| Day | Open |\n|---|---|\n| Monday | closed |\n| Tuesday | 18:00 – 01:00 |\n| Saturday | 17:00 – 04:00 |\n| Sunday | 16:00 – 23:00 |'
  const tenant = await shopWith({ time_zone: 'America/New_York', documents: [{ title: 'Hours', content }] })
  const night = await ask(tenant, 'how late are you open tonight', '2026-11-15T01:00:00-05:00')
  expect(night.value?.text).toBe('17:00 – 04:00')
  expect((await ask(tenant, 'are you still open', '2026-11-17T00:30:00-05:00')).value).toBe(null)
  expect((await ask(tenant, 'when do you open today', '2026-11-17T00:30:00-05:00')).value?.text).toBe('18:00 – 01:00')
})

test('a price of the asked day counts where the list has one', async () => {
  const content = '| Service | Price |\n|---|---|\n| Key copy | $3.50 |\n| Key copy on Sunday | $5 |\n| Blade | $9 |'
  const tenant = await shopWith({ time_zone: 'America/New_York', documents: [{ title: 'Prices', content }] })
  const price = async (as_of: string) => (await ask(tenant, 'how much is a key copy tomorrow', as_of)).value?.text
  expect(await price('2026-09-05T12:00:00-04:00')).toBe('$5')
  expect((await ask(tenant, 'how much is a blade today', '2026-09-05T12:00:00-04:00')).value?.text).toBe('$9')
})

test('a part that is closed, a notice of others and news of the day don’t answer for the business', async () => {
  const texts = {
    Closures: 'The grooming salon is closed from 8 to 20 June 2026, since Hana is on holiday.',
    News: 'The council’s hearing about the cycle lane closes at 5 pm on 11 June.\n\nGrooming won a prize.',
  }
  const documents = [...Object.entries(texts).map(([title, content]) => ({ title, content })), hours]
  const tenant = await shopWith({ time_zone: 'America/New_York', documents })
  const answer = await ask(tenant, 'are you open tomorrow', '2026-06-11T12:00:00-04:00')
  expect(answer.data[0].document_title).toBe('Opening hours')
  const salon = await ask(tenant, 'is the grooming salon open tomorrow', '2026-06-11T12:00:00-04:00')
  expect(salon.data[0].document_title).toBe('Closures')
})

test('the sentence after one with a date is of that day, and “Sat. Oct. 17” is one date', async () => {
  const changes = 'Sat. Oct. 17, 2026 - the whole house is rented out. The bar opens at 8 pm for everybody.'
  const documents = [hours, { title: 'Changes', content: changes }]
  const tenant = await shopWith({ time_zone: 'America/New_York', documents })
  const answer = await ask(tenant, 'when does the bar open this saturday', '2026-10-14T12:00:00-04:00')
  expect(answer.data[0].document_title).toBe('Changes')
  expect(answer.value).toBe(null)
})

test('of two seasons’ tables the one of the asked day has the value', async () => {
  const table = (hours: string) => `| Day | Open |\n| --- | --- |\n| Monday | ${hours} |\n| Tuesday | 9:00 – 18:00 |`
  const content = `## Summer hours, 1 April to 30 September\n\n${table('9:00 – 18:00')}\n\n## Winter hours, 1 October to 31 March\n\n${table('Closed')}`
  const tenant = await shopWith({ documents: [{ title: 'Opening hours', content }, parking] })
  const query = 'what time do you close on monday'
  expect(await ask(tenant, query, '2026-07-10T15:00:00Z')).toMatchObject({
    value: { text: '9:00 – 18:00' },
    status: 'found',
  })
  expect(await ask(tenant, query, '2026-12-10T15:00:00Z')).toMatchObject({ value: { text: 'Closed' }, status: 'found' })
})

test.each([
  ['Christmas closure: 24 Dec - 3 Jan.', '2026-12-29'],
  ['The Tuesday after Easter we are closed.', '2026-04-07'],
  ['We close for the holidays on December 23 and reopen on January 4.', '2026-12-30'],
  ['Annual leave: 15 to 19 June', '2026-06-17'],
  ['Closed:\n\n- Memorial Day\n- Labor Day', '2026-05-25'],
])('usual hours are no value beside “%s”', async (content, day) => {
  const tenant = await shopWith({ holidays: 'US', documents: [hours, { title: 'Changes', content }] })
  const { value, dates } = await ask(tenant, 'what are your hours today', `${day}T12:00:00Z`)
  expect({ value, dates }).toEqual({ value: null, dates: [{ said: 'today', from: day, to: day }] })
})

describe('a golden question', () => {
  const create = (tenant: Tenant, body: object) =>
    tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, body)
  const expects = { words: '14:00 – 20:00' }

  test('with a day relative to now needs a moment, and is asked at it', async () => {
    const tenant = await shopWith({ documents: [hours, holidays] })
    for (const question of ['are you open today', 'do you open next friday', 'and this friday', 'habt ihr morgen auf'])
      expect(await create(tenant, { question, expects }), question).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ pointer: '/as_of', code: 'required' }] },
      })
    const asked = await create(tenant, {
      question: 'are you open today',
      expects: { ...expects, value: '14:00 – 20:00' },
      as_of: '2026-06-11T15:00:00Z',
    })
    expect(asked).toMatchObject({ status: 201, body: { last_result: { passed: true, rank: 1 } } })
    const path = `/v1/agents/${tenant.agentId}/golden-questions/${asked.body.id}`
    expect(await tenant.call('PATCH', path, { as_of: null })).toMatchObject({ status: 422 })
    expect((await tenant.call('GET', path)).body.as_of).toBe('2026-06-11T15:00:00.000Z')
    const closed = await create(tenant, {
      question: 'are you open today',
      expects: { value: null, words: 'On Christmas Day we are closed' },
      as_of: '2026-12-25T15:00:00Z',
    })
    expect(closed).toMatchObject({ status: 201, body: { last_result: { passed: true, rank: 1 } } })
  })

  test('“on Thursday” without a moment means any Thursday: a text for one Thursday changes nothing', async () => {
    const tenant = await shopWith({ documents: [hours] })
    const kept = await create(tenant, {
      question: 'are you open on thursday',
      expects: { ...expects, value: '14:00 – 20:00' },
      on_failure: 'block',
    })
    expect(kept).toMatchObject({ status: 201, body: { last_result: { passed: true } } })
    const days = Array.from({ length: 14 }, (_, i) => new Date(Date.now() + i * 86_400_000))
    const dates = days.map((day) => day.toLocaleDateString('en', { month: 'long', day: 'numeric', timeZone: 'UTC' }))
    const content = dates.map((date) => `On ${date} we are closed.`).join(' ')
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Closed', content })
    await stand.deliver()
    expect((await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body).toMatchObject({
      status: 'completed',
      warnings: [],
    })
  })
})
