import { expect, test } from 'vitest'
import { names } from '../../functions/dashboard/settings/webhooks.ts'
import { maxWebhooks } from '../../shared/webhooks/webhooks.ts'
import { isSignedWith, makeWebhook, useReceiver } from '../support/http/receiver.ts'
import { expectFault, type Page, useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()
const receiver = useReceiver(stand)
const { received, run } = receiver
const settings = '/dashboard/settings'
const path = `${settings}/webhooks`
const gone = 'It was turned off because its receiver answered 410 Gone.'
const fields = { url: 'https://shop.example/cuecard', events: ['document.failed', 'source.failed'] }

const secretIn = ({ html }: Page) => /<code id="secret">(whsec_[A-Za-z0-9+/]{43}=)<\/code>/.exec(html)?.[1]
const pathIn = ({ html }: Page) => new RegExp(`${path}/[0-9a-f-]{36}`).exec(html)![0]
const checkedIn = ({ html }: Page) => [...html.matchAll(/value="([^"]+)" checked/g)].map(([, event]) => event)

test('a new webhook has the chosen events, each once, and a secret, which is shown once and verifies what is sent; none is made above the maximum', async () => {
  const { browser, call } = await signedIn()
  const twice = [...fields.events.toReversed(), ...fields.events]
  const added = await browser.post(`${path}/new`, { ...fields, events: twice })
  expect([added.status, added.headers['cache-control']]).toEqual([200, 'private, no-store'])
  const one = pathIn(added)
  const rotated = await browser.post(`${one}/rotate`)
  const secrets = [added, rotated].map((page) => secretIn(page)!)
  expect(new Set(secrets).size).toBe(2)
  for (const later of [one, settings, `${path}/new`])
    expect((await browser.get(later)).html).not.toMatch(/whsec_|id="secret"/)
  expect((await call('GET', '/v1/webhooks')).body.data).toMatchObject([fields])
  const chosen = fields.events.map((event) => names[event]).join(' · ')
  expect((await browser.get(settings)).text).toContain(`${fields.url} On ${chosen}`)
  const more = await Promise.all(Array.from({ length: maxWebhooks }, () => browser.post(`${path}/new`, fields)))
  const [refused] = more.filter(({ status }) => status !== 200)
  expectFault(refused!, 'url', 'You have 10 webhooks, the maximum. Delete one that you no longer need.')
  expect(checkedIn(refused!)).toEqual(fields.events)
  expect((await call('GET', '/v1/webhooks')).body.data).toHaveLength(maxWebhooks)
  await browser.post(`${one}/test`)
  await run()
  expect(secrets.map((secret) => isSignedWith(secret, received[0]!))).toEqual([true, true])
})

test('forms send a test event and its replay; a disabled webhook says why, sends nothing, is enabled again, and deleted', async () => {
  const tenant = await signedIn()
  const { browser } = tenant
  const { id, deliveries } = await makeWebhook(tenant, fields.events)
  const one = `${path}/${id}`
  expect((await browser.get(one)).text).toContain('Nothing was sent in the last 30 days.')
  const sent = await browser.submit(`${one}/test`)
  expect(sent.text).toContain('The test event is on its way. Reload the page to see the result.')
  expect(sent.text).toContain(`Test event Waiting`)
  await run()
  const delivered = await browser.get(one)
  expect(delivered.text).toContain(`Test event Delivered`)
  expect(delivered.text).toContain('1 attempt')
  const [, replay = ''] = /action="([^"]+\/replay)"/.exec(delivered.html) ?? []
  expect((await browser.submit(replay)).text).toContain('The event is being sent again.')
  await run()
  expect(received.map((each) => each.event.data)).toEqual([{ webhook_id: id }, { webhook_id: id }])
  expect(received[0]!.id).toBe(received[1]!.id)

  await browser.post(`${one}/test`)
  receiver.answers(() => 410)
  await run()
  const disabled = await browser.get(one)
  expect(disabled.text).toContain(`Off ${gone}`)
  expect(disabled.html).not.toMatch(/\/(test|replay)"/)
  const before = await deliveries()
  for (const form of ['test', `deliveries/${before[0].id}/replay`])
    expect((await browser.submit(`${one}/${form}`)).text).toContain('Turn the webhook on first.')
  expect(await deliveries()).toEqual(before)
  const enabled = await browser.submit(`${one}/enable`)
  expect(enabled.text).toContain('The webhook is on again. Events that were waiting for it are sent now.')
  expect(enabled.text).toMatch(/ On /)
  expect(enabled.text).not.toContain(gone)
  expect(enabled.html).toContain(`${one}/test"`)
  const { text } = await browser.submit(`${one}/delete`)
  expect(text).toMatch(/The webhook was deleted\..*No webhooks yet\./)
  expect((await browser.get(one)).status).toBe(404)
})
