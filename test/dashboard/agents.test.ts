import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { keptQueue, sweeperWith } from '../support/stand/worker.ts'
import { type Browser, signInAsPerson, useDashboard } from './support.ts'

const { stand, signedIn, browser: anyone } = useDashboard()

test('an agent is added and renamed, as the API then shows', async () => {
  const { browser, agentId, call } = await signedIn()
  const added = await browser.submit('/dashboard/agents/new', { name: ' Front desk ' })
  expect(added.text).toContain('“Front desk” was added.')
  expect(added.html).toContain('<title>Documents · Front desk')
  const rename = `/dashboard/agents/${agentId}/edit`
  expect((await browser.get(rename)).html).toContain('value="Agent"')
  expect((await browser.submit(rename, { name: 'Night <desk>' })).text).toContain('“Night <desk>” was saved.')
  const { body } = await call('GET', '/v1/agents')
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Front desk', 'Night <desk>'])
})

test('a new agent has the browser’s time zone, if the browser tells one that exists', async () => {
  const { browser, call } = await signedIn()
  expect((await browser.get('/dashboard/agents/new')).html).toContain(
    '<input type="hidden" name="time_zone" data-zone>',
  )
  for (const [time_zone, shown] of [
    ['America/New_York', 'America/New_York'],
    ['', 'UTC'],
    ['Nowhere/Land', 'UTC'],
  ] as const) {
    await browser.submit('/dashboard/agents/new', { name: 'Desk', time_zone })
    expect((await call('GET', '/v1/agents?limit=1')).body.data).toMatchObject([{ name: 'Desk', time_zone: shown }])
  }
})

test('an agent’s time zone and public holidays are chosen, and a country is proposed', async () => {
  const { browser, agentId, call } = await signedIn()
  const path = `/dashboard/agents/${agentId}/edit`
  const edit = async (fields: object) => {
    expect((await browser.submit(path, { name: 'Agent', ...fields })).text).toContain('“Agent” was saved.')
    const { time_zone, holidays } = (await call('GET', `/v1/agents/${agentId}`)).body
    return [time_zone, holidays]
  }
  expect((await browser.get(path)).html).toContain('<option value="" selected>Not chosen yet: UTC</option>')
  expect(await edit({ time_zone: '', holidays: '' })).toEqual(['UTC', null])
  expect((await browser.get(path)).text).toContain('Not chosen yet')
  expect(await edit({ time_zone: 'America/Toronto', holidays: '' })).toEqual(['America/Toronto', null])
  const chosen = await browser.get(path)
  expect(chosen.html).toContain('<option value="America/Toronto" selected>')
  expect(chosen.text).not.toContain('Not chosen yet')
  expect(chosen.text).toContain('America/Toronto is in CA.')
  expect(await edit({ time_zone: 'America/Toronto', holidays: ' ca-on ' })).toEqual(['America/Toronto', 'CA-ON'])
  expect((await browser.get(path)).text).not.toContain('is in CA')
  expect(await edit({ time_zone: 'Europe/Kyiv', holidays: '' })).toEqual(['Europe/Kyiv', null])
  const alias = await browser.get(path)
  expect(alias.html).toContain('<option value="Europe/Kyiv" selected>')
  expect(alias.text).toContain('Europe/Kyiv is in UA.')
  expect(await edit({ time_zone: 'UTC', holidays: '' })).toEqual(['UTC', null])
  expect((await browser.get(path)).text).not.toMatch(/UTC is in/)
  for (const [field, value, fault] of [
    ['time_zone', '+02:00', 'Choose a time zone.'],
    ['holidays', 'Canada', 'Enter a code, such as US or CA-ON.'],
  ] as const) {
    const { status, html } = await browser.post(path, { name: 'Agent', [field]: value })
    expect(status).toBe(422)
    expect(html).toMatch(new RegExp(`id="${field}-fault" class="fault">.*${fault}`))
  }
})

test('an agent’s documents name the public holidays that no text names, until one does', async () => {
  const { browser, agentId, organizationId, call } = await signedIn()
  await call('PATCH', `/v1/agents/${agentId}`, { time_zone: 'Europe/London', holidays: 'GB-ENG' })
  const checked = async () => {
    await sql`update agents set holidays_due_at = now() where id = ${agentId}`.execute(stand.db)
    await sweep({ ...sweeperWith(keptQueue().queue), now: () => new Date('2026-12-11T12:00:00Z') })
  }
  const page = `/dashboard/agents/${agentId}/documents`
  const sentence = 'No text says what you do on Christmas Day, Friday, 25 December.'
  expect((await browser.get(page)).text).not.toContain('No text says')
  await checked()
  const shown = await browser.get(page)
  expect(shown.text).toContain(sentence)
  expect(shown.html).toMatch(
    new RegExp(`<div class="notice"><p>${sentence}</p>\\s*<a href="${page}/new">Write text</a>`),
  )
  const { browser: viewing } = await signInAsPerson(anyone(), stand.db, organizationId, 'viewer')
  expect((await viewing.get(page)).text).toContain(sentence)
  expect((await viewing.get(page)).html).not.toContain(`${page}/new`)
  await browser.submit(`${page}/new`, { title: 'Christmas', content: 'We are closed on 25 December.' })
  await stand.deliver()
  await checked()
  expect((await browser.get(page)).text).not.toContain('No text says')
})

test('an agent’s documents ask for its time zone until somebody who may change agents has chosen one', async () => {
  const owner = await signedIn()
  const page = `/dashboard/agents/${owner.agentId}`
  const asks = async ({ browser }: { browser: Browser }) =>
    (await browser.get(`${page}/documents`)).text.includes('the time zone of this business?')
  const zone = async () => (await owner.call('GET', `/v1/agents/${owner.agentId}`)).body.time_zone
  const { browser: editing } = await signInAsPerson(anyone(), stand.db, owner.organizationId, 'editor')
  expect([await asks(owner), await asks({ browser: editing })]).toEqual([true, false])
  expect((await editing.post(`${page}/edit`, { name: 'Agent', time_zone: 'UTC' })).status).toBe(403)
  expect([await asks(owner), await zone()]).toEqual([true, 'UTC'])
  const { html } = await owner.browser.get(`${page}/documents`)
  expect(html).toContain(`action="${page}/edit" hidden><input type="hidden" name="name" value="Agent">`)
  await owner.browser.submit(`${page}/edit`, { name: 'Agent', time_zone: 'America/New_York' })
  expect([await asks(owner), await zone()]).toEqual([false, 'America/New_York'])
})

test('an agent is deleted in its settings, by its name and with all that it has', async () => {
  const { browser, agentId, organizationId, call, knowledgeBase } = await signedIn()
  for (const title of ['Hours', 'Prices']) await call('POST', knowledgeBase, { title, content: 'Closed.' })
  await call('POST', `/v1/agents/${agentId}/golden-questions`, { question: 'Open?', expects: { nothing: true } })
  const settings = `/dashboard/agents/${agentId}/edit`
  expect((await browser.get('/dashboard')).html).toContain(`href="${settings}" aria-label="Settings of “Agent”"`)
  expect((await browser.get(settings)).text).toContain(
    'It stops answering at once, and takes along 2 documents and 1 check.',
  )
  const path = `/dashboard/agents/${agentId}/delete`
  for (const confirm of ['agent', '']) {
    const { status, html } = await browser.post(path, { confirm })
    expect(status).toBe(422)
    expect(html).toMatch(/id="confirm-fault" class="fault">.*This is not its name. Nothing was deleted./)
  }
  const { browser: editing } = await signInAsPerson(anyone(), stand.db, organizationId, 'editor')
  expect((await editing.post(path, { confirm: 'Agent' })).status).toBe(403)
  expect((await call('GET', knowledgeBase)).body.data).toHaveLength(2)

  const home = await browser.submit(path, { confirm: ' Agent ' })
  expect(home.text).toContain('“Agent” was deleted.')
  expect(home.text).toContain('No agents yet')
  for (const gone of [settings, `/dashboard/agents/${agentId}/documents`, `/dashboard/agents/${agentId}/trash`])
    expect((await browser.get(gone)).status).toBe(404)
  expect((await browser.post(path, { confirm: 'Agent' })).status).toBe(404)
})

test.each([
  [' ', 'Enter a name.'],
  ['a'.repeat(201), 'A name can have at most 200 characters.'],
])('an agent can’t be called %o', async (name, message) => {
  const { browser, agentId, call } = await signedIn()
  for (const path of ['/dashboard/agents/new', `/dashboard/agents/${agentId}/edit`]) {
    const { status, html } = await browser.post(path, { name })
    expect(status).toBe(422)
    expect(html).toMatch(new RegExp(`id="name-fault" class="fault">.*${message}`))
  }
  const { body } = await call('GET', '/v1/agents')
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Agent'])
})

test('an address without a screen redirects to the nearest one', async () => {
  const { browser, agentId } = await signedIn()
  const documents = `/dashboard/agents/${agentId}/documents`
  for (const [path, to] of [
    ['/dashboard/agents', '/dashboard'],
    [`/dashboard/agents/${agentId}`, documents],
    [`${documents}/`, documents],
  ] as const)
    expect(await browser.get(path), path).toMatchObject({ status: 303, headers: { location: to } })
})
