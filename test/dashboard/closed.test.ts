import { describe, expect, test } from 'vitest'
import { daysInWords } from '../../functions/dashboard/times.ts'
import { dayOf } from '../../shared/organizations/time-zone.ts'
import { keepQuestions } from '../support/documents/asked-questions.ts'
import { checksOf, formWith, get, hiddenIn, listOf, pageOf, serve, setColumns, titlesIn } from './document-rows.ts'
import { askScreen, questionsScreen } from './kept-questions.ts'
import { expectFault, linkIn, plain, type SignedIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const zone = 'Europe/Berlin'
const dayMilliseconds = 86_400_000
const inDays = (days: number, where = zone) => dayOf(new Date(Date.now() + days * dayMilliseconds), where)
const pathOf = (tenant: { agentId: string }) => `${listOf(tenant)}/closed`
const askedOf = (location: string) => new URL(location, 'https://app.example.com').searchParams

/** Somebody whose agent is in Berlin and serves its usual hours. */
async function shop(): Promise<SignedIn> {
  const tenant = await signedIn()
  expect((await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, { time_zone: zone })).status).toBe(200)
  await serve(stand, tenant, 'Hours', 'We are open Monday to Sunday from 9:00 to 18:00.')
  return tenant
}

/** Sends the form. @returns the page that it leads to, and the document that it made */
async function save(tenant: SignedIn, fields: Record<string, string>) {
  const { status, headers } = await tenant.browser.post(pathOf(tenant), { open: 'closed', ...fields })
  expect(status).toBe(303)
  const [newest] = (await tenant.call('GET', tenant.knowledgeBase)).body.data
  return { location: headers.location!, document: await get(tenant, newest.id) }
}

test.each([
  ['2026-12-24', '2026-12-24', undefined, 'Thursday, 24 December 2026'],
  ['2026-12-24', '2026-12-24', '2026', 'Thursday, 24 December'],
  ['2026-07-20', '2026-08-02', undefined, 'from Monday, 20 July to Sunday, 2 August 2026'],
  ['2026-12-29', '2027-01-02', '2026', 'from Tuesday, 29 December 2026 to Saturday, 2 January 2027'],
])('the days from %s to %s are named in a page of the year %s: “%s”', (from, to, year, words) => {
  expect(daysInWords({ from, to }, year)).toBe(words)
})

describe('Closed on …', () => {
  const hours = { open: 'hours', opens: '10:00', closes: '14:00' }
  const [from, until] = [inDays(9), inDays(15)]
  const [day, week] = [from, until].map((to) => daysInWords({ from, to })) as [string, string]
  test.each([
    [`Closed on ${day}`, { until: '', note: 'Call 555 0100.' }, `We are closed on ${day}. Call 555 0100.`],
    [`Closed ${week}`, { until }, `We are closed ${week}.`],
    [`Open 10:00–14:00 on ${day}`, hours, `We are open from 10:00 to 14:00 on ${day}.`],
    [`Open 10:00–14:00 ${week}`, { ...hours, until }, `We are open from 10:00 to 14:00 each day ${week}.`],
  ])('writes a text for its days, and leads to what callers hear: %s', async (title, fields, content) => {
    const tenant = await shop()
    const { location, document } = await save(tenant, { from, ...fields })
    expect(document).toMatchObject({ title, content, valid_from: null })
    expect(dayOf(new Date(document.valid_until), zone)).toBe(inDays(content.includes(week) ? 16 : 10))
    expect(dayOf(new Date(Date.parse(document.valid_until) - 1), zone)).toBe(content.includes(week) ? until : from)
    expect(askedOf(location).get('q')).toBe(`are you open on ${day}`)
    const before = await tenant.browser.get(location)
    expect(before.text).toContain(`“${title}” was saved.`)
    expect(before.text).toContain('The answer appears here once it’s ready.')
    const address = plain(/class="answer panel"[^>]* hx-get="([^"]+)"/.exec(before.html)![1]!)
    await stand.deliver()
    const { html, text } = await tenant.browser.part(address)
    expect(text).toContain('Your agent would say this')
    expect(/<blockquote[^>]*>([^<]*)/.exec(html)![1]).toContain(content.split('. ')[0])
    expect(text).toContain(`Asked for ${daysInWords({ from, to: from }, inDays(0).slice(0, 4))} `)
  })

  test('is one tap from the documents, and takes days from today on, in the agent’s time zone', async () => {
    const tenant = await shop()
    expect((await tenant.browser.get(listOf(tenant))).html).toContain(`href="${pathOf(tenant)}">Closed on …</a>`)
    const { html, text } = await tenant.browser.get(pathOf(tenant))
    expect(text).toContain(`In the time zone ${zone}.`)
    expect(html).toContain(`type="date" min="${inDays(0)}"`)
    expect(html).toContain('name="open" value="closed" checked')
    for (const where of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, { time_zone: where })
      expect((await save(tenant, { from: inDays(0, where) })).document.status).toBe('pending')
      const past = await tenant.browser.post(pathOf(tenant), { open: 'closed', from: inDays(-1, where) })
      expectFault(past, 'from', 'This day has passed.')
    }
  })
})

test('a document whose days have passed is among the past ones only, of which each answers as of its days, until its last day is cleared', async () => {
  const tenant = await shop()
  const { document } = await save(tenant, { from: inDays(2) })
  await stand.deliver()
  const list = async (query = '') => await tenant.browser.get(`${listOf(tenant)}${query}`)
  expect((await list()).text).toContain('Current 2 Needs you 0 Past 0')
  const lastMonth = new Date(Date.now() - 30 * dayMilliseconds).toISOString()
  await setColumns(stand, document.id, `valid_until = '${lastMonth}'`)
  const current = await list()
  expect(current.text).toContain('Current 1 Needs you 0 Past 1')
  expect(titlesIn(current.html)).toEqual(['Hours'])
  const past = await list('?show=past')
  expect(titlesIn(past.html)).toEqual([document.title])
  expect(past.text).toContain('Expired')
  const none = await list('?q=closed')
  expect(none.html).toContain('?q=closed&amp;show=past">Look among past documents</a>')
  expect(titlesIn((await list('?q=closed&show=past')).html)).toEqual([document.title])
  const asked = async (at = '') => (await askScreen(tenant, { q: document.title, at })).text
  expect(await asked()).not.toContain('We are closed on')
  expect(await asked(`${inDays(-40)}T10:00`)).toContain('We are closed on')

  const address = pageOf(tenant, document.id)
  const edits = hiddenIn((await tenant.browser.get(`${address}/edit`)).html, 'edits')
  const { title, content } = document
  await tenant.browser.submit(`${address}/edit`, { title, content, edits, from: '', until: '' })
  expect(titlesIn((await list()).html)).toEqual([title, 'Hours'])
})

describe('a check of a question that names days', () => {
  const q = 'are you open tomorrow'
  /** @returns what expects that a time is between now and then */
  const untilNow =
    (started = Date.now()) =>
    (time: string) => {
      expect(Date.parse(time)).toBeGreaterThanOrEqual(started)
      expect(Date.parse(time)).toBeLessThanOrEqual(Date.now())
    }
  const keep = async (tenant: SignedIn, query: Record<string, string>) => {
    const answer = await askScreen(tenant, query)
    return { answer, form: formWith(answer.html, 'Right, keep it') }
  }
  test('is asked as of the moment of the answer in Ask, or of now, and other questions at no moment', async () => {
    const tenant = await shop()
    const { answer, form } = await keep(tenant, { q, at: '2027-01-04T23:30' })
    expect(answer.text).toContain('Asked for Tuesday, 5 January ')
    const made = await tenant.browser.submit(...form)
    expect(made.text).toContain('It passes')
    expect(made.text).toContain('asked as of Jan 4, 2027, 11:30 PM (Europe/Berlin)')
    expect(await checksOf(tenant)).toMatchObject([{ as_of: '2027-01-04T22:30:00.000Z' }])
    expect(made.html).toContain('at=2027-01-04T23%3A30')
    const isNow = untilNow()
    isNow((await keep(tenant, { q })).form[1].as_of!)
    const other = await keep(tenant, { q: 'what are your hours' })
    expect(other.answer.text).not.toContain('Asked for')
    expect(other.form[1]).not.toHaveProperty('as_of')
  })

  test('is asked as of the caller’s call if its answer is corrected', async () => {
    const tenant = await shop()
    await keepQuestions(stand, tenant)
    await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: q })
    await stand.db
      .updateTable('question_log')
      .set({ asked_at: new Date(Date.now() - 3 * dayMilliseconds) })
      .execute()
    const questions = await questionsScreen(tenant, { show: 'all' })
    const correct = linkIn(questions.html, 'Correct it')
    const at = new URLSearchParams(correct.split('?')[1]).get('at')!
    expect(dayOf(new Date(at), zone)).toBe(inDays(-3))
    const { html } = await tenant.browser.get(correct)
    const text = { title: 'Hours', content: 'We are open daily from 8:00 to 18:00.', golden: '1' }
    await tenant.browser.submit(correct, { ...text, edits: hiddenIn(html, 'edits') })
    expect(await checksOf(tenant)).toMatchObject([{ question: q, as_of: at }])
  })
})
