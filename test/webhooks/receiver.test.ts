import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deliver } from '../../functions/delivery/deliver.ts'
import { newId } from '../../shared/ids.ts'
import { request } from '../../shared/outbound/request.ts'
import { broken, flooding, rawPeer, silent } from '../support/http/raw-peers.ts'
import { makeWebhook } from '../support/http/receiver.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'
import { blocksOf } from '../support/tools/guide-blocks.ts'

const stand = useStand()
const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'functions/reference/guides/15-webhooks.md'), 'utf8')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test('the guide’s receiver, in a process of its own, accepts what the Lambda sends and rejects a changed body', async () => {
  process.env.ALLOW_LOOPBACK = 'true'
  const tenant = await stand.tenant()
  const PORT = `${await freePort()}`
  const url = `http://127.0.0.1:${PORT}/`
  const { body: webhook } = await tenant.call('POST', '/v1/webhooks', { url, events: ['document.completed'] })
  const code = blocksOf(guide).find(({ language }) => language === 'ts')!.text
  // The receiver prints a line when it listens.
  const args = ['--input-type=module-typescript', '--eval', code.replace(/\)$/, ", () => console.log('ready'))")]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, PORT, WEBHOOK_SECRET: webhook.secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('ready')
    const limits = { maxBytes: 0, milliseconds: 10_000, isLoopbackAllowed: true }
    const run = (spoil = (body: string) => body) =>
      deliver(
        {
          db: databaseAs('cuecard_delivery'),
          send: async (to, headers, body) =>
            (await request(to, { method: 'POST', headers, body: spoil(body), ...limits })).status,
        },
        () => 21_000,
      )
    const tried = await tenant.call('POST', `/v1/webhooks/${webhook.id}/test`)
    expect(await run()).toEqual({ delivered: 1, failed: 0 })
    expect((await lines.next()).value).toContain(`${tried.body.id} webhook.test`)
    await tenant.call('POST', `/v1/webhooks/${webhook.id}/test`)
    expect(await run((body) => body.replace('webhook.test', 'webhook.fake'))).toEqual({ delivered: 0, failed: 1 })
  } finally {
    child.kill()
  }
})

test('a webhook whose server never answers is disabled after days, and others get their events meanwhile', async () => {
  process.env.ALLOW_LOOPBACK = 'true'
  await sql`truncate organizations cascade`.execute(stand.db)
  const peers = Object.entries({ ...silent, 'a flood of 100': flooding['a flood of 100']!, ...broken })
  const hostile = [await stand.tenant(), await stand.tenant()]
  const urls = await Promise.all(peers.map(([, act]) => rawPeer(act)))
  const webhooks = await Promise.all(urls.map((url, i) => makeWebhook(hostile[i % 2]!, ['document.completed'], url)))
  const other = await stand.tenant()
  const answering = await rawPeer((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
  const { deliveries: others } = await makeWebhook(other, ['document.completed'], answering)
  const tell = async ({ organizationId }: Tenant) =>
    await sql`select tell(${organizationId}, 'document.completed', ${newId()}, '{}')`.execute(stand.db)
  let now = Date.now() + 30_000
  const limits = { maxBytes: 0, milliseconds: 500, isLoopbackAllowed: true }
  const run = async () =>
    await deliver(
      {
        db: databaseAs('cuecard_delivery'),
        now: () => new Date(now),
        send: async (to, headers, body) => (await request(to, { method: 'POST', headers, body, ...limits })).status,
      },
      () => 21_000,
    )

  await Promise.all([...hostile, other].map(tell))
  expect(await run()).toEqual({ delivered: 1, failed: peers.length })
  expect(await others()).toMatchObject([{ status: 'delivered', response_status: 204 }])
  for (const [i, { deliveries }] of webhooks.entries()) {
    const error = expect.stringMatching(
      /^(No answer within 0.5 seconds|The answer has more|It answers with another|The conn)/,
    )
    const failed = { status: 'pending', attempts: 1, response_status: null, error, next_attempt_at: expect.any(String) }
    expect(await deliveries(), peers[i]![0]).toMatchObject([failed])
  }
  expect(await run()).toEqual({ delivered: 0, failed: 0 })
  now += 5.1 * 24 * 3600 * 1000
  await Promise.all([...hostile, other].map(tell))
  expect(await run()).toEqual({ delivered: 1, failed: 2 * peers.length })
  for (const tenant of hostile) {
    const { data } = (await tenant.call('GET', '/v1/webhooks')).body
    for (const webhook of data) expect(webhook).toMatchObject({ status: 'disabled', disabled_reason: 'failing' })
  }
  expect((await other.call('GET', '/v1/webhooks')).body.data).toMatchObject([{ status: 'enabled' }])
})
