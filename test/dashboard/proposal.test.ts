import { describe, expect, test } from 'vitest'
import { proposeDays } from '../../functions/dashboard/documents/proposal.ts'
import { hiddenIn, listOf, write } from './document-rows.ts'
import { type SignedIn, signIn, useDashboard } from './support.ts'

const { signedIn, stand, browser } = useDashboard()

describe('a text that was changed on 23 November 2026', () => {
  const changed = new Date('2026-11-23T12:00:00Z')

  test.each([
    ['Prices valid until 31 May 2027.', undefined, '2027-05-31'],
    ['Valid through June 30th, 2027', undefined, '2027-06-30'],
    ['The offer expires on May 31st.', undefined, '2027-05-31'],
    ['valid until 2027-05-31', undefined, '2027-05-31'],
    ['valid until 5/31/2027', undefined, '2027-05-31'],
    ['Valid from 1 March 2027 until 31 May 2027', '2027-03-01', '2027-05-31'],
    ['Our winter card is valid from 1 to 15 March.', '2027-03-01', '2027-03-15'],
    ['Price list\n\nValid until 31 May 2025', undefined, '2025-05-31'],
    ['We are closed December 20 – January 6.', '2026-12-20', '2027-01-06'],
    ['vom 20.12. bis 6.1. geschlossen', '2026-12-20', '2027-01-06'],
    ['Wir haben vom 20. Dezember bis zum 6. Januar geschlossen!', '2026-12-20', '2027-01-06'],
    ['Betriebsferien 20.12. – 6.1.', '2026-12-20', '2027-01-06'],
    ['Vom 1.11. bis 30.11. geschlossen', '2026-11-01', '2026-11-30'],
    ['Gültig bis 31. Mai 2027', undefined, '2027-05-31'],
    ['Das Angebot gilt bis zum 31.5.', undefined, '2027-05-31'],
    ['gültig ab 01.03.2027', '2027-03-01', undefined],
    ['valable jusqu’au 31 mai 2027', undefined, '2027-05-31'],
    ['Offre valable du 1er mars au 31 mai 2027', '2027-03-01', '2027-05-31'],
    ['Fermé du 20/12 au 6/1', '2026-12-20', '2027-01-06'],
  ])('is proposed the days that it says: %s', async (text, from, until) => {
    expect(await proposeDays(text, changed)).toMatchObject({ from, until })
  })

  test.each([
    'Open Monday to Friday, 9 to 18. Closed on Sunday and from 12 to 13.',
    'Montag bis Freitag 9 bis 18 Uhr, sonst geschlossen',
    'Gilt von Montag bis Freitag, 8 bis 10 Uhr',
    'Fermé le lundi, et du mardi au vendredi de 12h à 14h',
    'Since 1987, and no card is valid.',
    'Our founder’s birthday is 12 May 1960.',
    'Der Geburtstag ist am 12.5.',
    'The fair is from 3 March 2027 to 5 March 2027.',
    'We are closed on 24 December.',
    'Ab 20.12. geschlossen',
    'Not valid from 1 March to 5 March.',
    'Nicht gültig vom 1.3. bis 5.3.',
    'Vouchers are valid for 3 years.',
    'Valid until May, or the end of 2027',
    'valid until 12/06/2027',
    'valid until 29 February',
    'gültig bis 45.13.',
    'Gültig ab 1.1.2020',
    'Spring prices: valid until 31 May 2027.\nSummer prices: valid until 31 August 2027.',
    'Cards are valid; in the big house beyond the river we have been since 3 May 2027 to 5 May 2027.',
    `${'We repair bicycles of all kinds. '.repeat(15)}\n\nThe card is valid until 31 May 2027.`,
    `From 20 December to 6 January we are closed.\n\n${'We repair bicycles of all kinds. '.repeat(15)}`,
  ])('is proposed nothing where it does not say clearly that it is valid then: %s', async (text) => {
    expect(await proposeDays(text, changed)).toBeUndefined()
  })
})

describe('the page of a document', () => {
  const nextYear = new Date().getFullYear() + 1
  const text = `Prices are valid until 31 May ${nextYear}.`

  async function pageOf(tenant: SignedIn, content = text, title = 'Prices') {
    const id = await write(tenant, title, content)
    await stand.deliver()
    const address = `${listOf(tenant)}/${id}`
    const dates = async () => (await tenant.call('GET', `${tenant.knowledgeBase}/${id}`)).body.valid_until
    return { id, address, dates, page: await tenant.browser.get(address) }
  }

  test('sets what the text says with one click, and nothing before it', async () => {
    const tenant = await signedIn()
    const { address, page, dates } = await pageOf(tenant)
    expect(page.text).toContain(`The text says “${text}” Serve it only until May 31, ${nextYear}? Set these days`)
    expect(await dates()).toBeNull()
    tenant.browser.jar.set('cuecard_zone', 'Europe%2FBerlin')
    const fields = { until: hiddenIn(page.html, 'until'), edits: hiddenIn(page.html, 'edits') }
    const after = await tenant.browser.submit(`${address}/dates`, fields)
    expect(after.text).toContain('“Prices” was saved.')
    expect(after.text).not.toContain('The text says')
    expect(await dates()).toBe(`${nextYear}-05-31T22:00:00.000Z`)
  })

  test('proposes what the title says, before the text is processed', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, `Prices, gültig bis 31.5.${nextYear}`, 'A haircut is 30 euros.')
    expect((await tenant.browser.get(`${listOf(tenant)}/${id}`)).text).toContain(`until May 31, ${nextYear}`)
  })

  test('changes nothing if somebody has edited the document in the meantime', async () => {
    const tenant = await signedIn()
    const { id, address, page, dates } = await pageOf(tenant)
    const fields = { until: hiddenIn(page.html, 'until'), edits: hiddenIn(page.html, 'edits') }
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { title: 'New prices' })
    expect((await tenant.browser.submit(`${address}/dates`, fields)).text).toContain('weren’t changed')
    expect(await dates()).toBeNull()
  })

  test('proposes nothing to a key that may only read, nor days for a document that has some', async () => {
    const tenant = await signedIn()
    const { id, address } = await pageOf(tenant)
    const reader = await stand.tenant(['kb:read'])
    await stand.db
      .updateTable('api_keys')
      .set({ organization_id: tenant.organizationId })
      .where('organization_id', '=', reader.organizationId)
      .execute()
    const page = await (await signIn(browser(), reader.apiKey)).get(address)
    expect(page.text).toContain(text)
    expect(page.text).not.toContain('The text says')
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { valid_from: '2000-01-01T00:00:00Z' })
    expect((await tenant.browser.get(address)).text).not.toContain('The text says')
  })

  test('restores an expired document with one click', async () => {
    const tenant = await signedIn()
    const { id, address } = await pageOf(tenant, 'We are closed.')
    const dates = { valid_from: '2000-01-01T00:00:00.000Z', valid_until: '2001-01-01T00:00:00.000Z' }
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, dates)
    const { html, text: expired } = await tenant.browser.get(address)
    expect(expired).toContain('Expired')
    const restored = await tenant.browser.submit(`${address}/dates`, { until: '', edits: hiddenIn(html, 'edits') })
    expect(restored.text).toContain('Ready')
    const { body } = await tenant.call('GET', `${tenant.knowledgeBase}/${id}`)
    expect([body.valid_from, body.valid_until]).toEqual([dates.valid_from, null])
  })
})
