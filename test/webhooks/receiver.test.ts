import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { deliver } from '../../functions/delivery/deliver.ts'
import { request } from '../../shared/outbound/request.ts'
import { useStand } from '../support/stand/stand.ts'
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
