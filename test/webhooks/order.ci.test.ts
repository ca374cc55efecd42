import { expect, test } from 'vitest'
import { newId } from '../../shared/ids.ts'
import { away, makeWebhook, newWebhook, tellOn, useReceiver } from '../support/http/receiver.ts'
import { figuresOf } from '../support/logs/figures-of.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const receiver = useReceiver(stand)
const { received, run } = receiver
const tell = tellOn(stand)
const hour = 3600
const events = ['document.completed']

test('events of one document arrive in order, and those of others do not wait', async () => {
  const { tenant } = await newWebhook(stand)
  const [first, second] = [newId(), newId()]
  for (const n of [1, 2, 3]) await tell(tenant, first, { n })
  await tell(tenant, second, { n: 4 })
  receiver.answers(({ event }) => (event.data.n === 1 ? 500 : 204))
  await run()
  expect(received.map(({ event }) => event.data.n).toSorted()).toEqual([1, 4])
  receiver.answers(() => 204)
  receiver.pass(10)
  await run()
  expect(received.slice(2).map(({ event }) => event.data.n)).toEqual([1, 2, 3])
})

test('a slow receiver holds up nobody else', async () => {
  const { tenant: slow } = await newWebhook(stand, events, 'https://slow.example/')
  const { tenant: quick } = await newWebhook(stand, events, 'https://quick.example/')
  for (let i = 0; i < 8; i++) await tell(slow, newId())
  for (let i = 0; i < 20; i++) await tell(quick, newId())
  const { promise: answered, resolve: answer } = Promise.withResolvers<number>()
  const { promise: isQuickDone, resolve: quickDone } = Promise.withResolvers<void>()
  let left = 20
  receiver.answers(({ url }) => {
    if (url.includes('slow')) return answered
    if (--left === 0) quickDone()
    return 204
  })
  const running = run()
  await isQuickDone
  expect(received.filter(({ url }) => url.includes('slow')).length).toBeLessThanOrEqual(5)
  answer(204)
  expect(await running).toEqual({ delivered: 28, failed: 0 })
})

test('sixty receivers that hang at once delay the others by two seconds', async () => {
  for (let organization = 0; organization < 6; organization++) {
    const tenant = await stand.tenant()
    for (let i = 0; i < 10; i++) await makeWebhook(tenant, events, `https://hangs-${i}.example/`)
    await tell(tenant, newId())
  }
  const { tenant: quick } = await newWebhook(stand, events, 'https://quick.example/')
  await tell(quick, newId())
  const { promise: answered, resolve: answer } = Promise.withResolvers<number>()
  const { promise: isQuickDone, resolve: quickDone } = Promise.withResolvers<number>()
  receiver.answers(({ url }) => {
    if (url.includes('hangs')) return answered
    quickDone(performance.now())
    return 204
  })
  const started = performance.now()
  const running = run()
  const timer = setTimeout(() => quickDone(Number.POSITIVE_INFINITY), 10_000)
  const waited = (await isQuickDone) - started
  clearTimeout(timer)
  answer(204)
  expect(await running).toEqual({ delivered: 61, failed: 0 })
  expect(waited).toBeGreaterThan(1_900)
  expect(waited).toBeLessThan(5_000)
})

test('the age of the oldest due delivery is reported, even while its webhook is busy and others have new events', async () => {
  const { tenant: slow } = await newWebhook(stand, events, 'https://slow.example/')
  const { tenant: quick } = await newWebhook(stand, events, 'https://quick.example/')
  for (let i = 0; i < 8; i++) await tell(slow, newId())
  receiver.pass(600)
  const { promise: answered, resolve: answer } = Promise.withResolvers<number>()
  let remaining = 26_000
  receiver.answers(async ({ url }) => {
    if (url.includes('quick')) {
      // The second poll finds it, and is the last.
      remaining = 21_000
      answer(204)
    } else if (received.length === 1) await tell(quick, newId())
    return await answered
  })
  const sums = await figuresOf(() => run(() => remaining))
  expect(sums.WebhooksDelivered).toBe(9)
  expect(sums.OldestDeliverySeconds).toBeGreaterThanOrEqual(600)
})

test('a webhook whose receiver fails does not count as late', async () => {
  const { tenant } = await newWebhook(stand)
  for (let i = 0; i < 8; i++) await tell(tenant, newId())
  receiver.answers(away)
  await run()
  receiver.pass(hour)
  const sums = await figuresOf(() => run())
  expect(sums).toMatchObject({ WebhooksFailed: 8, OldestDeliverySeconds: 0 })
})

test('a webhook that is deleted during a run gets nothing more', async () => {
  const { tenant, path } = await newWebhook(stand)
  for (let i = 0; i < 12; i++) await tell(tenant, newId())
  receiver.answers(async () => {
    await tenant.call('DELETE', path)
    return 500
  })
  await run()
  receiver.pass(hour)
  await run()
  expect(received).toHaveLength(5)
  expect((await tenant.call('GET', path)).body.code).toBe('webhook_not_found')
})
