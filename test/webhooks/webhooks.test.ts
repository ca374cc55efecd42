import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../shared/ids.ts'
import { madeBy } from '../../shared/webhooks/events.ts'
import { pagesOf } from '../support/http/pages.ts'
import { isSignedWith, makeWebhook, newWebhook, useReceiver } from '../support/http/receiver.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const receiver = useReceiver(stand)
const { received, run } = receiver
const events = ['document.completed']

test('only the answers to POST and to a rotation have the secret', async () => {
  const { call } = await stand.tenant()
  const { body } = await call('POST', '/v1/webhooks', { url: 'https://shop.example/', events })
  expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const path = `/v1/webhooks/${body.id}`
  const rotated = (await call('POST', `${path}/rotate-secret`)).body
  expect(rotated.secret).not.toBe(body.secret)
  const others = [await call('GET', path), await call('GET', '/v1/webhooks'), await call('PATCH', path, { events })]
  for (const other of others) expect(JSON.stringify(other.body)).not.toMatch(/whsec|secret/)
})

test('for 24 hours after a rotation both secrets verify, then the new one only', async () => {
  const { tenant, secret, path } = await newWebhook(stand)
  const next = (await tenant.call('POST', `${path}/rotate-secret`)).body.secret
  const verifying = async () => {
    await tenant.call('POST', `${path}/test`)
    await run()
    return [secret, next].map((each) => isSignedWith(each, received.at(-1)!))
  }
  expect(await verifying()).toEqual([true, true])
  receiver.pass(24 * 3600 - 60)
  expect(await verifying()).toEqual([true, true])
  receiver.pass(120)
  expect(await verifying()).toEqual([false, true])
})

test('a test event and a replay are sent at once, the replay with the same id', async () => {
  const { tenant, id, path, deliveries } = await newWebhook(stand)
  const sent = await tenant.call('POST', `${path}/test`)
  expect(sent).toMatchObject({ status: 202, body: { type: 'webhook.test', status: 'pending' } })
  await run()
  const replayed = await tenant.call('POST', `${path}/deliveries/${sent.body.id}/replay`)
  expect(replayed).toMatchObject({ status: 202, body: { id: sent.body.id, status: 'pending', attempts: 0 } })
  await run()
  expect(received.map((each) => [each.id, each.event.type, each.event.data])).toEqual(
    Array(2).fill([sent.body.id, 'webhook.test', { webhook_id: id }]),
  )
  expect(await deliveries()).toMatchObject([{ id: sent.body.id, status: 'delivered' }])
})

test('an address that is not public or not https is refused, and changes nothing', async () => {
  const { call } = await stand.tenant()
  const urls = [
    'http://shop.example/',
    'https://127.0.0.1/',
    'https://169.254.169.254/',
    'https://[::1]/',
    'https://localhost/',
    'https://db.internal/',
    'shop.example',
  ]
  for (const url of [...urls, 'https://2130706433/', `https://shop.example/${'x'.repeat(2000)}`])
    expect(await call('POST', '/v1/webhooks', { url, events }), url).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/url' }] },
    })
  expect((await call('GET', '/v1/webhooks')).body.data).toEqual([])
})

test('an organization has at most ten webhooks, however many are made at once', async () => {
  const { call } = await stand.tenant()
  const made = await Promise.all(
    Array.from({ length: 12 }, () => call('POST', '/v1/webhooks', { url: 'https://shop.example/', events })),
  )
  expect(made.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), 422, 422])
})

test('deliveries are paged newest first', async () => {
  const { tenant, path } = await newWebhook(stand)
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.unshift((await tenant.call('POST', `${path}/test`)).body.id)
  const pages = await pagesOf(tenant, `${path}/deliveries?limit=2`)
  expect(pages.flat().map(({ id }) => id)).toEqual(ids)
})

test('a delivery of another webhook is not found', async () => {
  const tenant = await stand.tenant()
  const [one, other] = [await makeWebhook(tenant, events), await makeWebhook(tenant, events)]
  const { body } = await tenant.call('POST', `${one.path}/test`)
  for (const id of [body.id, newId()])
    expect((await tenant.call('POST', `${other.path}/deliveries/${id}/replay`)).body.code).toBe('delivery_not_found')
})

test('deliveries are kept for 30 days', async () => {
  const { tenant, path, deliveries } = await newWebhook(stand)
  await tenant.call('POST', `${path}/test`)
  const kept = (await tenant.call('POST', `${path}/test`)).body.id
  await sql`update webhook_deliveries set created_at = now() - interval '31 days' where id <> ${kept}`.execute(stand.db)
  await stand.sweep()
  expect((await deliveries()).map(({ id }: { id: string }) => id)).toEqual([kept])
})

test('the list of events names each SQL function and file that makes one', async () => {
  const { rows } = await sql<{ name: string; body: string }>`
    select proname as name, pg_get_functiondef(oid) as body from pg_proc
    where pronamespace = 'public'::regnamespace and prokind = 'f'`.execute(stand.db)
  const made = rows
    .filter(({ name, body }) => name !== 'tell' && /\btell\(/.test(body))
    .flatMap(({ name, body }) => [...body.matchAll(/'(\w+\.\w+)'/g)].map(([, event]) => `${event} by ${name}`))
  const listed = Object.entries(madeBy).flatMap(([event, names]) => names.map((name) => `${event} by ${name}`))
  expect([...new Set(made)].sort()).toEqual(listed.sort())
  const cwd = join(import.meta.dirname, '../..')
  const makers = globSync('{functions,shared}/**/*.ts', { cwd }).filter((file) =>
    /insert into webhook_deliveries|insertInto\('webhook_deliveries|\btell\(/.test(
      readFileSync(join(cwd, file), 'utf8'),
    ),
  )
  expect(makers).toEqual(['shared/webhooks/deliveries.ts'])
})
