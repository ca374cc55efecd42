import { describe, expect, test } from 'vitest'
import { hiddenIn, listOf, rowOf, serve } from './document-rows.ts'
import { type SignedIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

async function documentWith(tenant: SignedIn, dates: object = {}, content = 'We are closed.') {
  const id = await serve(stand, tenant, 'Christmas', content)
  const address = `${listOf(tenant)}/${id}`
  const path = `${tenant.knowledgeBase}/${id}`
  const patch = async (changes: object) => expect((await tenant.call('PATCH', path, changes)).status).toBe(200)
  await patch({ title: 'Christmas', ...dates })
  return {
    address,
    patch,
    dates: async () => {
      const { valid_from, valid_until } = (await tenant.call('GET', path)).body
      return [valid_from, valid_until]
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
  ['from', 'until'].map((name) => new RegExp(`name="${name}" value="(.*?)"`).exec(html)![1])

describe('the list and the page of a document show', () => {
  test.each([
    ['Ready', {}, /changed/],
    ['Scheduled', { valid_from: inDays(2) }, / from /],
    ['Ready', { valid_from: inDays(-2), valid_until: inDays(2) }, / from .* until /],
    ['Expired', { valid_until: inDays(-2) }, / until /],
  ])('%s and its days: %j', async (label, dates, shown) => {
    const tenant = await signedIn()
    const document = await documentWith(tenant, dates)
    for (const text of [await document.row(), (await tenant.browser.get(document.address)).text]) {
      expect(text).toContain(label)
      expect(text).toMatch(shown)
      expect(text).not.toContain('previous version')
    }
  })

  test('the last day on which the document is served', async () => {
    const tenant = await signedIn()
    const document = await documentWith(tenant, { valid_until: '2999-01-01T00:00:00Z' })
    expect(await document.row()).toContain('until Dec 31, 2998')
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
      expect((await tenant.browser.get(document.address)).text).toContain(days)
      expect(daysIn((await tenant.browser.get(`${document.address}/edit`)).html)).toEqual([from, until])
    }
    expect(await document.dates()).toEqual([dates.valid_from, dates.valid_until])
  })

  test('no previous version of an edited document that has expired', async () => {
    const tenant = await signedIn()
    const document = await documentWith(tenant, { valid_until: inDays(-2) })
    await document.patch({ content: 'Another text.' })
    expect(await document.row()).toContain('Queued')
    expect(await document.row()).not.toContain('previous version')
  })
})

describe('the form of a text', () => {
  const newText = { title: 'Christmas', content: 'We are closed.' }

  test('takes the first and the last day in the agent’s time zone, and names the zone', async () => {
    const tenant = await signedIn()
    const days = { from: '2998-12-20', until: '2999-01-06' }
    for (const [zone, from, until] of [
      [undefined, '2998-12-20T00:00:00.000Z', '2999-01-07T00:00:00.000Z'],
      ['Europe/Berlin', '2998-12-19T23:00:00.000Z', '2999-01-06T23:00:00.000Z'],
      ['America/New_York', '2998-12-20T05:00:00.000Z', '2999-01-07T05:00:00.000Z'],
    ] as const) {
      if (zone) await setZone(tenant, zone)
      const { headers } = await tenant.browser.post(`${listOf(tenant)}/new`, { ...newText, ...days })
      const { body } = await tenant.call('GET', `${tenant.knowledgeBase}/${headers.location!.split('/').at(-1)}`)
      expect([body.valid_from, body.valid_until], zone).toEqual([from, until])
      const { html, text } = await tenant.browser.get(`${headers.location}/edit`)
      expect(daysIn(html)).toEqual([days.from, days.until])
      expect(text).toContain(`in the time zone ${zone ?? 'UTC'}.`)
    }
  })

  test.each([
    ['Europe/Berlin', '2027-03-28', '2027-10-31', '2027-03-27T23:00:00.000Z', '2027-10-31T23:00:00.000Z'],
    // The clocks skip from midnight to one, and in the other half of the year show the last hour of a day twice.
    ['America/Santiago', '2026-09-06', '2027-04-03', '2026-09-06T04:00:00.000Z', '2027-04-04T04:00:00.000Z'],
    // They show the first hour of a day twice.
    ['America/Havana', '2026-03-08', '2026-10-31', '2026-03-08T05:00:00.000Z', '2026-11-01T04:00:00.000Z'],
    // A day is missing.
    ['Pacific/Apia', '2011-12-29', '2011-12-29', '2011-12-29T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
  ])('starts a day at its first moment even if the clocks change on it: %s', async (zone, from, until, start, end) => {
    const tenant = await signedIn()
    await setZone(tenant, zone)
    const document = await documentWith(tenant)
    const { html } = await tenant.browser.get(`${document.address}/edit`)
    const fields = { ...newText, from, until, edits: hiddenIn(html, 'edits') }
    await tenant.browser.submit(`${document.address}/edit`, fields)
    expect(await document.dates()).toEqual([start, end])
    expect(daysIn((await tenant.browser.get(`${document.address}/edit`)).html)).toEqual([from, until])
  })

  test('keeps the time of a day that is not changed, and clears one that is emptied', async () => {
    const tenant = await signedIn()
    const dates = { valid_from: '2998-12-20T14:00:00.000Z', valid_until: '2999-01-06T18:30:00.123Z' }
    const document = await documentWith(tenant, dates)
    const edit = async (days: object) => {
      const { html } = await tenant.browser.get(`${document.address}/edit`)
      const [from, until] = daysIn(html) as [string, string]
      const fields = { ...newText, from, until, ...days, edits: hiddenIn(html, 'edits') }
      await tenant.browser.submit(`${document.address}/edit`, fields)
      return await document.dates()
    }
    expect(await edit({ title: 'Closed' })).toEqual([dates.valid_from, dates.valid_until])
    expect(await edit({ until: '2999-01-07' })).toEqual([dates.valid_from, '2999-01-08T00:00:00.000Z'])
    expect(await edit({ from: '', until: '' })).toEqual([null, null])
  })

  test('keeps dates that a field for days cannot show', async () => {
    const tenant = await signedIn()
    const dates = { valid_from: '0001-01-01T00:00:00.000Z', valid_until: '9999-12-31T23:59:59.999Z' }
    const document = await documentWith(tenant, dates)
    const { html } = await tenant.browser.get(`${document.address}/edit`)
    expect(daysIn(html)).toEqual(['', ''])
    const fields = { ...newText, from: '', until: '', edits: hiddenIn(html, 'edits') }
    await tenant.browser.submit(`${document.address}/edit`, fields)
    expect(await document.dates()).toEqual([dates.valid_from, dates.valid_until])
  })

  test.each([
    ['from', { from: 'tomorrow' }, 'Choose a day'],
    ['from', { from: '2027-02-29' }, 'Choose a day'],
    ['until', { until: '9999-12-31' }, 'Choose a day'],
    ['until', { until: '275760-09-13' }, 'Choose a day'],
    ['until', { from: '2027-01-06', until: '2026-12-20' }, 'The last day is before the first.'],
  ])('says beside %s what is wrong with it, and changes nothing: %j', async (field, days, fault) => {
    const tenant = await signedIn()
    const document = await documentWith(tenant)
    const { html } = await tenant.browser.get(`${document.address}/edit`)
    for (const path of [`${document.address}/edit`, `${listOf(tenant)}/new`]) {
      const answer = await tenant.browser.post(path, { ...newText, ...days, edits: hiddenIn(html, 'edits') })
      expect(answer.status).toBe(422)
      expect(answer.html.split(`<p id="${field}-fault" class="fault">`)[1]).toMatch(
        new RegExp(`^<svg.*</svg> ${fault}`),
      )
    }
    expect(await document.dates()).toEqual([null, null])
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
  })

  test('does not undo the dates that somebody else has set meanwhile', async () => {
    const tenant = await signedIn()
    const document = await documentWith(tenant)
    const { html } = await tenant.browser.get(`${document.address}/edit`)
    const valid_until = inDays(20)
    await document.patch({ valid_until })
    const fields = { ...newText, from: '', until: '', edits: hiddenIn(html, 'edits') }
    const conflict = await tenant.browser.post(`${document.address}/edit`, fields)
    expect([conflict.status, await document.dates()]).toEqual([409, [null, valid_until]])
    expect(conflict.text).toMatch(/Their version Christmas · until /)
  })
})

describe('Ask', () => {
  const ask = ({ browser, agentId }: SignedIn, fields: Record<string, string>) =>
    browser.get(`/dashboard/agents/${agentId}/ask?${new URLSearchParams({ q: 'are you closed', ...fields })}`)

  test('shows the answer of another time, in the agent’s time zone', async () => {
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
  })

  test('shows the chosen time, and keeps it in its links', async () => {
    const tenant = await signedIn()
    await documentWith(tenant, { valid_until: '2999-01-07T00:00:00Z' })
    await setZone(tenant, 'America/New_York')
    const { text, html } = await ask(tenant, { at: '2999-02-01T09:30' })
    expect(text).toContain('As of Feb 1, 2999, 9:30 AM (America/New_York), from the documents that are valid then.')
    expect(html).toContain('name="at" value="2999-02-01T09:30"')
    expect(html).toContain('at=2999-02-01T09%3A30&amp;mode=keyword')
  })

  test.each(['tomorrow', '2999-13-01T00:00', '275760-01-01T00:00', '0001-01-01T00:00', '9999-12-31T23:59'])(
    'answers for the present if the time is invalid: %s',
    async (at) => {
      const tenant = await signedIn()
      await documentWith(tenant)
      const { status, text } = await ask(tenant, { at })
      expect(status).toBe(200)
      expect(text).toContain('1 part found')
      expect(text).not.toContain('valid then')
    },
  )

  test('suggests no document that is not valid', async () => {
    const tenant = await signedIn()
    await documentWith(tenant, { valid_until: inDays(-2) })
    expect((await tenant.browser.get(`/dashboard/agents/${tenant.agentId}/ask`)).text).toContain(
      'There is nothing to find yet',
    )
  })
})
