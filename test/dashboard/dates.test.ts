import { describe, expect, test } from 'vitest'
import { get, hiddenIn, listOf, rowOf, serve } from './document-rows.ts'
import { askScreen } from './kept-questions.ts'
import { type Page, type SignedIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const newText = { title: 'Christmas', content: 'We are closed.' }
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

async function documentWith(tenant: SignedIn, dates: object = {}) {
  const id = await serve(stand, tenant, newText.title, newText.content)
  const address = `${listOf(tenant)}/${id}`
  const path = `${tenant.knowledgeBase}/${id}`
  const patch = async (changes: object) => expect((await tenant.call('PATCH', path, changes)).status).toBe(200)
  await patch({ title: 'Christmas', ...dates })
  return {
    address,
    patch,
    dates: async () => {
      const { valid_from, valid_until } = await get(tenant, id)
      return [valid_from, valid_until]
    },
    /** Sends the form with these changes, and as it was loaded otherwise. */
    edit: async (changes: object = {}, form?: Page) => {
      const { html } = form ?? (await tenant.browser.get(`${address}/edit`))
      const [from, until] = daysIn(html) as [string, string]
      const fields = { ...newText, from, until, ...changes, edits: hiddenIn(html, 'edits') }
      return await tenant.browser.post(`${address}/edit`, fields)
    },
    row: async () => {
      const pages = await Promise.all(
        ['', '?show=past'].map((filter) => tenant.browser.get(`${listOf(tenant)}${filter}`)),
      )
      return rowOf(pages.map(({ html }) => html).join('\n'), id).replaceAll(/(<[^>]+>|\s)+/g, ' ')
    },
  }
}

const setZone = async ({ call, agentId }: SignedIn, time_zone: string) =>
  expect((await call('PATCH', `/v1/agents/${agentId}`, { time_zone })).status).toBe(200)

/** The values of the fields for the days. */
const daysIn = (html: string) =>
  ['from', 'until'].map((name) => new RegExp(`name="${name}"[^>]* value="(.*?)"`).exec(html)![1])

describe('the list and the page of a document show', () => {
  test.each([
    ['Ready', {}, /changed/],
    ['Scheduled', { valid_from: inDays(2) }, / from /],
    ['Ready', { valid_from: inDays(-2), valid_until: inDays(2) }, / from .* until /],
    ['Expired', { valid_until: inDays(-2) }, / until /],
  ])('%s and its days, and a previous version only if callers get it: %j', async (label, dates, shown) => {
    const tenant = await signedIn()
    const document = await documentWith(tenant, dates)
    for (const text of [await document.row(), (await tenant.browser.get(document.address)).text]) {
      expect(text).toContain(label)
      expect(text).toMatch(shown)
      expect(text).not.toContain('previous version')
    }
    await document.patch({ content: 'Another text.' })
    expect(await document.row()).toContain('Queued')
    expect((await document.row()).includes('previous version')).toBe(label === 'Ready')
  })

  test('days of the agent’s time zone, at the same moments after another one is chosen', async () => {
    const tenant = await signedIn()
    const dates = { valid_from: '2998-12-20T05:00:00.000Z', valid_until: '2999-01-07T05:00:00.000Z' }
    const document = await documentWith(tenant, dates)
    for (const [zone, days, from, until] of [
      ['UTC', 'from Dec 20, 2998 · until Jan 7, 2999', '2998-12-20', '2999-01-07'],
      ['America/New_York', 'from Dec 20, 2998 · until Jan 6, 2999', '2998-12-20', '2999-01-06'],
      ['America/Los_Angeles', 'from Dec 19, 2998 · until Jan 6, 2999', '2998-12-19', '2999-01-06'],
    ] as const) {
      await setZone(tenant, zone)
      expect(await document.row()).toContain(days)
      const { html, text } = await tenant.browser.get(document.address)
      expect(text).toContain(days)
      expect(html, 'in the time zone of the reader').not.toMatch(/data-local[^>]*>[^<]* 299\d/)
      expect(daysIn((await tenant.browser.get(`${document.address}/edit`)).html)).toEqual([from, until])
    }
    expect(await document.dates()).toEqual([dates.valid_from, dates.valid_until])
  })
})

describe('the form of a text', () => {
  test.each([
    [undefined, '2998-12-20', '2999-01-06', '2998-12-20T00:00:00.000Z', '2999-01-07T00:00:00.000Z'],
    ['America/New_York', '2998-12-20', '2999-01-06', '2998-12-20T05:00:00.000Z', '2999-01-07T05:00:00.000Z'],
    ['Europe/Berlin', '2027-03-28', '2027-10-31', '2027-03-27T23:00:00.000Z', '2027-10-31T23:00:00.000Z'],
    // The clocks skip from midnight to one, and in the other half of the year show the last hour of a day twice.
    ['America/Santiago', '2026-09-06', '2027-04-03', '2026-09-06T04:00:00.000Z', '2027-04-04T04:00:00.000Z'],
    // They show the first hour of a day twice.
    ['America/Havana', '2026-03-08', '2026-10-31', '2026-03-08T05:00:00.000Z', '2026-11-01T04:00:00.000Z'],
    // A day is missing.
    ['Pacific/Apia', '2011-12-29', '2011-12-29', '2011-12-29T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
  ])('takes days in the time zone %s, from their first moment', async (zone, from, until, start, end) => {
    const tenant = await signedIn()
    if (zone) await setZone(tenant, zone)
    const { headers } = await tenant.browser.post(`${listOf(tenant)}/new`, { ...newText, from, until })
    const { valid_from, valid_until } = await get(tenant, headers.location!.split('/').at(-1)!)
    expect([valid_from, valid_until]).toEqual([start, end])
    const { html, text } = await tenant.browser.get(`${headers.location}/edit`)
    expect(daysIn(html)).toEqual([from, until])
    expect(text).toContain(`in the time zone ${zone ?? 'UTC'}.`)
  })

  test('keeps the time of a day that is not changed or that it cannot show, and clears one that is emptied', async () => {
    const tenant = await signedIn()
    const dates = { valid_from: '2998-12-20T14:00:00.000Z', valid_until: '2999-01-06T18:30:00.123Z' }
    const document = await documentWith(tenant, dates)
    const edit = async (days: object) => {
      await document.edit(days)
      return await document.dates()
    }
    expect(await edit({ title: 'Closed' })).toEqual([dates.valid_from, dates.valid_until])
    expect(await edit({ until: '2999-01-07' })).toEqual([dates.valid_from, '2999-01-08T00:00:00.000Z'])
    expect(await edit({ from: '', until: '' })).toEqual([null, null])
    const extreme = { valid_from: '0001-01-01T00:00:00.000Z', valid_until: '9999-12-31T23:59:59.999Z' }
    await document.patch(extreme)
    expect(daysIn((await tenant.browser.get(`${document.address}/edit`)).html)).toEqual(['', ''])
    expect(await edit({})).toEqual([extreme.valid_from, extreme.valid_until])
  })
})

const ask = (tenant: SignedIn, fields: Record<string, string>) => askScreen(tenant, { q: 'are you closed', ...fields })

test('Ask shows the answer of another time, in the agent’s time zone, or of now if it is invalid', async () => {
  const tenant = await signedIn()
  const dates = { valid_from: '2998-12-20T00:00:00Z', valid_until: '2999-01-07T00:00:00Z' }
  await documentWith(tenant, dates)
  const finds = async (at: string) => (await ask(tenant, { at })).text.includes('1 part found')
  expect(await finds('')).toBe(false)
  expect(await finds('2998-12-19T23:59')).toBe(false)
  expect(await finds('2998-12-20T00:00')).toBe(true)
  expect(await finds('2999-01-06T23:59')).toBe(true)
  expect(await finds('2999-01-07T00:00')).toBe(false)
  await setZone(tenant, 'America/New_York')
  expect(await finds('2998-12-19T19:00')).toBe(true)
  expect(await finds('2998-12-19T18:59')).toBe(false)
  for (const at of ['tomorrow', '2999-13-01T00:00', '275760-01-01T00:00', '0001-01-01T00:00', '9999-12-31T23:59']) {
    const { status, text, html } = await ask(tenant, { at })
    expect([status, text.includes('1 part found'), html.includes(at)], at).toEqual([200, false, false])
  }
  const { text, html } = await ask(tenant, { at: '2999-02-01T09:30' })
  expect(text).toContain('Asked as of Feb 1, 2999, 9:30 AM (America/New_York)')
  expect(html).toContain('name="at" value="2999-02-01T09:30"')
})
