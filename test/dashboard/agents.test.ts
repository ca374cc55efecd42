import { expect, test } from 'vitest'
import { expectFault, useDashboard } from './support.ts'

const { signedIn } = useDashboard()

test('an agent is added, with the browser’s time zone if it tells one that exists, and renamed', async () => {
  const { browser, agentId, call } = await signedIn()
  const zones = ['America/New_York', '', 'Nowhere/Land']
  for (const time_zone of zones) await browser.submit('/dashboard/agents/new', { name: 'Desk', time_zone })
  const { data } = (await call('GET', '/v1/agents?limit=3')).body
  expect(data).toMatchObject(['UTC', 'UTC', zones[0]].map((time_zone) => ({ name: 'Desk', time_zone })))
  const form = await browser.get('/dashboard/agents/new')
  expect(form.html).toContain('<input type="hidden" name="time_zone" data-zone>')
  const added = await browser.submit('/dashboard/agents/new', { name: ' Front desk ' })
  expect(added.text).toContain('“Front desk” was added.')
  expect(added.html).toContain('<title>Documents · Front desk')
  const rename = `/dashboard/agents/${agentId}/edit`
  expect((await browser.get(rename)).html).toContain('value="Agent"')
  expect((await browser.submit(rename, { name: 'Night <desk>' })).text).toContain('“Night <desk>” was saved.')
  const names = (await call('GET', '/v1/agents')).body.data.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['Front desk', 'Desk', 'Desk', 'Desk', 'Night <desk>'])
})

test('an agent’s time zone and public holidays are chosen, and a country is proposed', async () => {
  const { browser, agentId, call } = await signedIn()
  const path = `/dashboard/agents/${agentId}/edit`
  const edit = async (fields: object) => {
    expect((await browser.submit(path, { name: 'Agent', ...fields })).text).toContain('“Agent” was saved.')
    const { time_zone, holidays } = (await call('GET', `/v1/agents/${agentId}`)).body
    return [time_zone, holidays]
  }
  const shown = async () => {
    const { html, text } = await browser.get(path)
    const [, selected] = /<option value="([^"]*)" selected/.exec(html) ?? []
    return [selected, / (Not chosen yet|\S+ is in [A-Z]+)/.exec(text)?.[1]]
  }
  expect(await shown()).toEqual(['', 'Not chosen yet'])
  for (const [time_zone, holidays, stored, selected, says] of [
    ['', '', ['UTC', null], '', 'Not chosen yet'],
    ['America/Toronto', '', ['America/Toronto', null], 'America/Toronto', 'America/Toronto is in CA'],
    ['America/Toronto', ' ca-on ', ['America/Toronto', 'CA-ON'], 'America/Toronto', undefined],
    ['Europe/Kyiv', '', ['Europe/Kyiv', null], 'Europe/Kyiv', 'Europe/Kyiv is in UA'],
    ['UTC', '', ['UTC', null], 'UTC', undefined],
  ] as const) {
    expect(await edit({ time_zone, holidays })).toEqual(stored)
    expect(await shown()).toEqual([selected, says])
  }
})

test('an agent is deleted in its settings, by its name and with all that it has', async () => {
  const { browser, agentId, call, knowledgeBase } = await signedIn()
  for (const title of ['Hours', 'Prices']) await call('POST', knowledgeBase, { title, content: 'Closed.' })
  await call('POST', `/v1/agents/${agentId}/golden-questions`, { question: 'Open?', expects: { nothing: true } })
  const settings = `/dashboard/agents/${agentId}/edit`
  expect((await browser.get('/dashboard')).html).toContain(`href="${settings}" aria-label="Settings of “Agent”"`)
  expect((await browser.get(settings)).text).toContain(
    'It stops answering at once, and takes along its documents, websites, checks and questions.',
  )
  const path = `/dashboard/agents/${agentId}/delete`
  for (const confirm of ['agent', ''])
    expectFault(await browser.post(path, { confirm }), 'confirm', 'This is not its name. Nothing was deleted.')
  expect((await call('GET', knowledgeBase)).body.data).toHaveLength(2)

  const home = await browser.submit(path, { confirm: ' Agent ' })
  expect(home.text).toContain('“Agent” was deleted.')
  expect(home.text).toContain('No agents yet')
  expect((await browser.get(settings)).status).toBe(404)
})
